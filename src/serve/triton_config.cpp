#include "serve/triton_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>
#include <model_config.pb.h>

#include "core/names.hpp"
#include "serve/pbtxt.hpp"

namespace neph::serve {
namespace {

constexpr auto wrong = ErrorCode::invalid_argument;

/// What changes answers, or what a client has to do for one.
struct Refused {
  const char* field;
  const char* reason;
};
constexpr std::array refused{
    Refused{"ensemble_scheduling", "neph serves no ensembles; serve each of its models"},
    Refused{"sequence_batching", "neph keeps no state between requests"},
    Refused{"batch_input", "neph makes no inputs of its own"},
    Refused{"batch_output", "neph splits outputs by rows only"},
    Refused{"model_repository_agents", "neph runs none, and reads the files as they are"}};

struct Platform {
  const char* name;
  const char* engine;
};
constexpr std::array platforms{Platform{"onnxruntime_onnx", "onnxruntime"},
                               Platform{"onnxruntime", "onnxruntime"}, Platform{"openvino", "openvino"}};

/// "TYPE_FP32".
Result<wire::DataType> type_of(triton::DataType type, const std::string& path) {
  if (type == triton::TYPE_STRING) return wire::DataType::bytes;
  constexpr std::string_view head = "TYPE_";
  if (const auto& name = triton::DataType_Name(type); name.starts_with(head))
    if (const auto known = enum_value<wire::DataType>(name.substr(head.size()))) return *known;
  return fail(wrong,
              "{}.data_type is {}; neph knows TYPE_BOOL, TYPE_UINT8 to TYPE_INT64, TYPE_FP16, TYPE_FP32, "
              "TYPE_FP64, TYPE_BF16, TYPE_STRING",
              path, type == triton::TYPE_INVALID ? "missing" : std::to_string(type));
}

template <class Numbers>
Result<std::vector<std::int64_t>> from(std::int64_t least, const Numbers& numbers, const std::string& path) {
  for (const std::int64_t number : numbers)
    if (number < least)
      return fail(wrong, "{} is {}, and should be a whole number from {} up", path, number, least);
  return std::vector<std::int64_t>(numbers.begin(), numbers.end());
}

class Reader {
 public:
  Reader(const triton::ModelConfig& given, const std::string& what, ModelOptions& options)
      : given_(given), options_(options) {
    options_.declared = Declared{};
    options_.declared.file = what;
  }

  Result<TritonConfig> run(const std::string& folder, const std::vector<std::string>& unknown) {
    if (!given_.name().empty() && given_.name() != folder)
      return fail(wrong, "name is '{}', and the folder is '{}'", given_.name(), folder);
    NEPH_CHECK(refuse());
    NEPH_CHECK(read_platform());
    NEPH_CHECK(read_ports("input", given_.input(), options_.declared.inputs));
    NEPH_CHECK(read_ports("output", given_.output(), options_.declared.outputs));
    NEPH_CHECK(read_batching());
    NEPH_CHECK(read_instances());
    NEPH_CHECK(read_versions());
    config_.model_file = given_.default_model_filename();
    if (config_.model_file.find('/') != std::string::npos)
      return fail(wrong, "default_model_filename is '{}', and should be a file of the version's folder",
                  config_.model_file);
    note_rest(given_, "",
              {"name", "platform", "backend", "max_batch_size", "input", "output", "dynamic_batching",
               "instance_group", "version_policy", "default_model_filename", "model_transaction_policy"});
    if (!unused_.empty())
      config_.notes.push_back(fmt::format("without effect here: {}", fmt::join(unused_, ", ")));
    if (!unknown.empty()) config_.notes.push_back(fmt::format("passed over: {}", fmt::join(unknown, "; ")));
    return std::move(config_);
  }

 private:
  using Message = google::protobuf::Message;

  static std::vector<std::string> fields_of(const Message& message) {
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    std::vector<std::string> names;
    for (const auto* field : fields) names.push_back(field->name());
    return names;
  }

  /// What is given in a message and none of the fields that are `read`.
  void note_rest(const Message& message, const std::string& path,
                 std::initializer_list<std::string_view> read) {
    for (const auto& name : fields_of(message))
      if (std::ranges::find(read, name) == read.end()) unused_.push_back(path + name);
  }

  Status refuse() {
    for (const auto& name : fields_of(given_))
      for (const auto& [field, reason] : refused)
        if (name == field) return fail(ErrorCode::unsupported, "{}: {}", field, reason);
    if (!given_.model_transaction_policy().decoupled()) return {};
    return fail(ErrorCode::unsupported, "decoupled: neph gives one answer for each request");
  }

  Status read_platform() {
    for (const auto& name : {given_.platform(), given_.backend()}) {
      if (name.empty()) continue;
      const auto known = std::find_if(platforms.begin(), platforms.end(),
                                      [&](const Platform& each) { return name == each.name; });
      if (known == platforms.end())
        return fail(
            ErrorCode::unsupported,
            "platform or backend '{}': neph serves onnxruntime_onnx (backend onnxruntime) and openvino",
            name);
      config_.engines = {known->engine};
      if (config_.engines.front() != "openvino") config_.engines.push_back("openvino");
    }
    return {};
  }

  // ---- Inputs and outputs

  template <class Given>
  Status read_ports(const char* kind, const Given& all, std::vector<DeclaredPort>& ports) {
    for (const auto& given : all) {
      const auto path = fmt::format("{}[{}]", kind, ports.size());
      NEPH_TRY(auto port, read_port(given, path));
      for (const auto& other : ports)
        if (other.name == port.name) return fail(wrong, "{} '{}' is there twice", kind, port.name);
      NEPH_CHECK(read_rest(given, path, port));
      ports.push_back(std::move(port));
      note_rest(given, path + ".",
                {"name", "data_type", "dims", "reshape", "label_filename", "allow_ragged_batch", "optional",
                 "format"});  // which dimension is which changes nothing
    }
    return {};
  }

  template <class Given>
  static Result<DeclaredPort> read_port(const Given& given, const std::string& path) {
    DeclaredPort port{.name = given.name()};
    if (port.name.empty()) return fail(wrong, "{} has no name", path);
    NEPH_TRY(port.type, type_of(given.data_type(), path));
    NEPH_TRY(port.dims, from(-1, given.dims(), path + ".dims"));
    if (given.has_reshape()) {
      NEPH_TRY(port.reshape, from(-1, given.reshape().shape(), path + ".reshape.shape"));
    }
    if (given.is_shape_tensor())
      return fail(ErrorCode::unsupported, "{}.is_shape_tensor: TensorRT has those", path);
    return port;
  }

  Status read_rest(const triton::ModelInput& given, const std::string& path, DeclaredPort& port) {
    port.optional = given.optional();
    if (port.optional)
      config_.notes.push_back(path +
                              ".optional: a value that the model has for it stays; any other has to be sent");
    is_ragged_ = is_ragged_ || given.allow_ragged_batch();
    return {};
  }
  Status read_rest(const triton::ModelOutput& given, const std::string&, DeclaredPort&) {
    config_.label_files.push_back(given.label_filename());
    return {};
  }

  // ---- Batches

  /// Without a word of batches and ports they are as the server's options and the model have them.
  Status read_batching() {
    const std::int64_t most = given_.max_batch_size();
    NEPH_CHECK(from(0, std::array{most}, "max_batch_size"));
    const auto size = std::min(most, most_rows);
    if (size < most)
      config_.notes.push_back(
          fmt::format("max_batch_size {}: requests have at most {} rows here", most, size));
    const bool says_ports = !options_.declared.inputs.empty() || !options_.declared.outputs.empty();
    options_.declared.max_batch_size = size;
    if (size > 0) options_.max_batch = size;
    if ((size == 0 && (given_.has_max_batch_size() || says_ports)) || is_ragged_)
      options_.batching = Batching::off;
    if (is_ragged_) config_.notes.emplace_back("allow_ragged_batch: each request is an execution of its own");
    return given_.has_dynamic_batching() ? read_dynamic_batching(given_.dynamic_batching(), most) : Status();
  }

  Status read_dynamic_batching(const triton::ModelDynamicBatching& policy, std::int64_t most) {
    NEPH_TRY(auto sizes, from(1, policy.preferred_batch_size(), "dynamic_batching.preferred_batch_size"));
    for (const auto size : sizes)
      if (size > most)
        return fail(wrong, "dynamic_batching.preferred_batch_size is {}, and max_batch_size {}", size, most);
    std::erase_if(sizes, [](auto size) { return size > most_rows; });
    options_.max_wait.value =
        std::min(static_cast<double>(policy.max_queue_delay_microseconds()) / 1e6, longest_wait_s);
    if (!sizes.empty()) options_.batch_sizes = sizes_text(sizes, std::min(most, most_rows));
    note_rest(policy, "dynamic_batching.", {"preferred_batch_size", "max_queue_delay_microseconds"});
    return {};
  }

  /// Those that are preferred beside the powers of two: a single request should not run in a large batch.
  static std::string sizes_text(std::vector<std::int64_t> sizes, std::int64_t most) {
    for (std::int64_t size = 1; size < most; size *= 2) sizes.push_back(size);
    return fmt::format("{}", fmt::join(sizes, ","));
  }

  // ---- Instances and versions

  Status read_instances() {
    std::int64_t count = 0;
    for (int i = 0; i < given_.instance_group_size(); ++i) {
      const auto& group = given_.instance_group(i);
      const auto path = fmt::format("instance_group[{}]", i);
      NEPH_CHECK(from(0, std::array{group.count()}, path + ".count"));
      count += std::max(1, group.count());
      if (count > most_instances)
        return fail(wrong, "instance_group: more than {} instances", most_instances);
      NEPH_CHECK(read_kind(group, path));
      note_rest(group, path + ".", {"name", "count", "kind", "gpus"});
    }
    if (count > 0) options_.instances = count;
    return {};
  }

  Status read_kind(const triton::ModelInstanceGroup& group, const std::string& path) {
    NEPH_TRY(const auto gpus, from(0, group.gpus(), path + ".gpus"));
    auto& device = options_.runtime.device;
    if (!triton::ModelInstanceGroup::Kind_IsValid(group.kind()))
      return fail(wrong, "{}.kind is {}; there are KIND_AUTO, KIND_CPU, KIND_GPU, KIND_MODEL", path,
                  static_cast<int>(group.kind()));
    if (group.kind() == triton::ModelInstanceGroup::KIND_CPU) device = "CPU";
    if (group.kind() != triton::ModelInstanceGroup::KIND_GPU) return {};
    if (!engine::is_cuda(device))
      config_.notes.push_back(fmt::format("KIND_GPU: it runs on {}; --device cuda for a GPU", device));
    else if (!gpus.empty())
      device = fmt::format("cuda:{}", gpus.front());
    return {};
  }

  Status read_versions() {
    const auto& policy = given_.version_policy();
    if (policy.has_all()) config_.policy = TritonConfig::Versions::all;
    if (policy.has_latest()) {
      options_.versions = policy.latest().has_num_versions() ? policy.latest().num_versions() : 1;
      NEPH_CHECK(from(1, std::array{options_.versions}, "version_policy.latest.num_versions"));
    }
    if (policy.has_specific()) {
      config_.policy = TritonConfig::Versions::specific;
      NEPH_TRY(config_.versions, from(1, policy.specific().versions(), "version_policy.specific.versions"));
    }
    return {};
  }

  static constexpr std::int64_t most_rows = 65536, most_instances = 1024;
  static constexpr double longest_wait_s = 1e9;

  const triton::ModelConfig& given_;
  ModelOptions& options_;
  TritonConfig config_;
  bool is_ragged_ = false;
  std::vector<std::string> unused_;
};

}  // namespace

Result<TritonConfig> read_triton_config(std::string_view text, const std::string& what,
                                        const std::string& name, ModelOptions& options) {
  triton::ModelConfig given;
  NEPH_TRY(const auto unknown, parse_pbtxt(text, what, given));
  auto config = Reader(given, what, options).run(name, unknown);
  if (!config) return fail_in(what, config.error());
  return config;
}

}  // namespace neph::serve
