// A model's file with the weights that a training gave it.
#include <exception>

#include "net/onnx_elements.hpp"
#include "net/onnx_model.hpp"
#include "net/program.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

Status bring_in_all(onnx::GraphProto& graph, const std::filesystem::path& folder);

/// Also what bodies store: the new file may lie elsewhere than the data files of the old one.
template <class Nodes>
Status bring_in_of_nodes(Nodes& nodes, const std::filesystem::path& folder) {
  for (auto& node : nodes)
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) NEPH_CHECK(bring_in(*attribute.mutable_t(), folder));
      for (auto& tensor : *attribute.mutable_tensors()) NEPH_CHECK(bring_in(tensor, folder));
      if (attribute.has_g()) NEPH_CHECK(bring_in_all(*attribute.mutable_g(), folder));
      for (auto& graph : *attribute.mutable_graphs()) NEPH_CHECK(bring_in_all(graph, folder));
    }
  return {};
}

Status bring_in_all(onnx::GraphProto& graph, const std::filesystem::path& folder) {
  for (auto& tensor : *graph.mutable_initializer()) NEPH_CHECK(bring_in(tensor, folder));
  return bring_in_of_nodes(*graph.mutable_node(), folder);
}

Status check_count(const std::string& name, std::size_t have, std::size_t given) {
  if (have == given) return {};
  return fail(ErrorCode::invalid_argument,
              "tensor '{}' has {} elements in the model, and {} are given for it", name, have, given);
}

/// In a Constant, which may hold its floats in several ways.
Status replace_in_constant(onnx::NodeProto& node, const std::vector<float>& elements) {
  const auto& name = node.output(0);
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) {
      attribute.mutable_t()->set_name(name);
      return replace_elements(*attribute.mutable_t(), elements);
    }
    if (attribute.has_f()) {
      NEPH_CHECK(check_count(name, 1, elements.size()));
      attribute.set_f(elements.front());
      return {};
    }
    if (attribute.name() == "value_floats") {
      NEPH_CHECK(check_count(name, static_cast<std::size_t>(attribute.floats_size()), elements.size()));
      attribute.mutable_floats()->Assign(elements.begin(), elements.end());
      return {};
    }
  }
  return fail(ErrorCode::invalid_argument, "tensor '{}' has no floats in the model", name);
}

Status replace_all(onnx::GraphProto& graph, const Weights& weights) {
  std::set<std::string, std::less<>> replaced;
  for (auto& tensor : *graph.mutable_initializer())
    if (const auto found = weights.find(tensor.name()); found != weights.end()) {
      NEPH_CHECK(replace_elements(tensor, found->second));
      replaced.insert(tensor.name());
    }
  for (auto& node : *graph.mutable_node()) {
    if (!is_own(node) || node.op_type() != "Constant" || node.output_size() == 0) continue;
    const auto found = weights.find(node.output(0));
    if (found == weights.end()) continue;
    NEPH_CHECK(replace_in_constant(node, found->second));
    replaced.insert(node.output(0));
  }
  for (const auto& [name, elements] : weights)
    if (!replaced.contains(name)) return fail(ErrorCode::not_found, "the model stores no tensor '{}'", name);
  return {};
}

Result<std::string> replaced(onnx::ModelProto& model, const std::filesystem::path& folder,
                             const Weights& weights) {
  NEPH_CHECK(replace_all(*model.mutable_graph(), weights));  // first: what is replaced need not be brought in
  NEPH_CHECK(bring_in_all(*model.mutable_graph(), folder));
  for (auto& function : *model.mutable_functions())
    NEPH_CHECK(bring_in_of_nodes(*function.mutable_node(), folder));
  std::string bytes;
  if (model.ByteSizeLong() > kMostModelBytes)
    return fail(ErrorCode::unsupported, "more than the 2 GiB that an ONNX file holds in one piece");
  if (!model.SerializeToString(&bytes))
    return fail(ErrorCode::internal, "cannot be put into the ONNX format");
  return bytes;
}

}  // namespace

Status write_trained(const std::filesystem::path& source, const Weights& weights,
                     const std::filesystem::path& target) try {
  NEPH_TRY(const auto bytes, read_file(source));
  auto model = parse_model(bytes, source.string());
  if (!model) return fail_in_model(source.string(), model.error());
  const auto trained = replaced(*model, source.parent_path(), weights);
  if (!trained) return fail_in_model(source.string(), trained.error());
  return write_file(target, *trained);
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be written: {}", target.string(), error.what());
}

}  // namespace neph::net
