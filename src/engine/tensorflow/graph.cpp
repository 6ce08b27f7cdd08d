#include "engine/tensorflow/graph.hpp"

#include "core/protobuf.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

/// ConfigProto. GPUs are hidden from it, and operations that a file puts on one run on the CPU.
std::string config_of(const ThreadCounts& threads) {
  constexpr std::uint64_t device_count = 1, intra_op_threads = 2, inter_op_threads = 5, soft_placement = 7,
                          own_threads = 9;
  std::string gpus, config;
  protobuf::put_field(gpus, 1, "GPU");
  protobuf::put_number(gpus, 2, 0);
  protobuf::put_field(config, device_count, gpus);
  protobuf::put_number(config, intra_op_threads, static_cast<std::uint64_t>(threads.intra_op));
  protobuf::put_number(config, inter_op_threads, static_cast<std::uint64_t>(threads.inter_op));
  protobuf::put_number(config, soft_placement, 1);
  protobuf::put_number(config, own_threads, 1);
  return config;
}

/// `open(options, status)` gives the session.
template <class Open>
Result<SharedSession> make_session(const Api& api, const SharedGraph& graph, const ThreadCounts& threads,
                                   Open open) {
  const CallStatus status(api);
  const Owned<TF_SessionOptions> options(api.NewSessionOptions(), api.DeleteSessionOptions);
  const auto config = config_of(threads);
  api.SetConfig(options.get(), config.data(), config.size(), status.get());
  NEPH_CHECK(status.check("setting threads"));
  TF_Session* const session = open(options.get(), status.get());
  NEPH_CHECK(status.check("cannot compile for CPU"));
  return SharedSession(session, [&api, graph](TF_Session* ended) {
    const CallStatus ignored(api);
    api.CloseSession(ended, ignored.get());
    api.DeleteSession(ended, ignored.get());
  });
}

Result<Port> port_of(const Api& api, TF_Graph* graph, const TF_Output& tensor, const std::string& name) {
  const auto element = element_of(api.OperationOutputType(tensor));
  if (!element)
    return fail(ErrorCode::unsupported, "'{}' has elements that neph cannot pass on; cast it in the model",
                name);
  Port port{.name = name, .element = *element};
  const CallStatus status(api);
  const auto rank = api.GraphGetTensorNumDims(graph, tensor, status.get());
  NEPH_CHECK(status.check(name));
  port.open_rank = rank < 0;
  if (rank <= 0) return port;
  port.shape.resize(static_cast<std::size_t>(rank));
  api.GraphGetTensorShape(graph, tensor, port.shape.data(), rank, status.get());
  NEPH_CHECK(status.check(name));
  return port;
}

Result<TF_Output> find_tensor(const Api& api, TF_Graph* graph, const std::string& name) {
  NEPH_TRY(const auto parts, split_tensor_name(name));
  auto* const operation = api.GraphOperationByName(graph, parts.first.c_str());
  if (operation == nullptr || parts.second >= api.OperationNumOutputs(operation))
    return fail(ErrorCode::corrupt, "its signature names '{}', which its graph lacks", name);
  return TF_Output{operation, parts.second};
}

}  // namespace

SharedGraph make_graph(const Api& api) { return {api.NewGraph(), api.DeleteGraph}; }

Result<SharedGraph> import_graph(const Api& api, std::string_view graph_def) {
  auto graph = make_graph(api);
  const CallStatus status(api);
  const Owned<TF_ImportGraphDefOptions> options(api.NewImportGraphDefOptions(),
                                                api.DeleteImportGraphDefOptions);
  const TF_Buffer buffer{graph_def.data(), graph_def.size(), nullptr};
  api.GraphImportGraphDef(graph.get(), &buffer, options.get(), status.get());
  auto imported = status.check("TensorFlow does not take the graph");
  if (imported) return graph;
  auto error = std::move(imported.error());
  if (error.code == ErrorCode::invalid_argument) error.code = ErrorCode::corrupt;  // the file, not an option
  return tl::unexpected(std::move(error));
}

std::vector<std::string> tensors_of(const Api& api, TF_Graph* graph,
                                    const std::vector<std::string>& operations) {
  std::vector<std::string> tensors;
  for (const auto& name : operations) {
    auto* const operation = api.GraphOperationByName(graph, name.c_str());
    const int count = operation == nullptr ? 0 : api.OperationNumOutputs(operation);
    for (int i = 0; i < count; ++i) tensors.push_back(fmt::format("{}:{}", name, i));
  }
  return tensors;
}

Result<Ends> ends_in(const Api& api, TF_Graph* graph, const std::vector<std::string>& tensors) {
  Ends ends{.ports = {}, .tensors = tensors};
  for (const auto& name : tensors) {
    NEPH_TRY(const auto tensor, find_tensor(api, graph, name));
    NEPH_TRY(auto port, port_of(api, graph, tensor, name));
    ends.ports.push_back(std::move(port));
  }
  return ends;
}

Result<SharedSession> open_session(const Api& api, const SharedGraph& graph, const ThreadCounts& threads) {
  return make_session(api, graph, threads, [&](const TF_SessionOptions* options, TF_Status* status) {
    return api.NewSession(graph.get(), options, status);
  });
}

Result<SharedSession> open_saved_model(const Api& api, const SharedGraph& graph, const std::string& folder,
                                       const std::vector<std::string>& tags, const ThreadCounts& threads) {
  std::vector<const char*> names;
  for (const auto& tag : tags) names.push_back(tag.c_str());
  return make_session(api, graph, threads, [&](const TF_SessionOptions* options, TF_Status* status) {
    return api.LoadSessionFromSavedModel(options, nullptr, folder.c_str(), names.data(),
                                         static_cast<int>(names.size()), graph.get(), nullptr, status);
  });
}

Result<std::vector<TF_Output>> find_tensors(const Api& api, TF_Graph* graph, const Ends& ends) {
  std::vector<TF_Output> found;
  for (std::size_t i = 0; i < ends.ports.size(); ++i) {
    NEPH_TRY(const auto tensor, find_tensor(api, graph, ends.tensors[i]));
    if (api.OperationOutputType(tensor) != type_of(ends.ports[i].element))
      return fail(ErrorCode::corrupt, "'{}' has another type in its graph than in its signature",
                  ends.ports[i].name);
    found.push_back(tensor);
  }
  return found;
}

}  // namespace neph::engine::tensorflow_plugin
