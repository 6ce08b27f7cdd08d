#include "serve/triton_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "core/names.hpp"
#include "serve/pbtxt.hpp"
#include "serve/pbtxt_fields.hpp"

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
Result<wire::DataType> type_of(const std::string& name, const std::string& path) {
  if (name == "TYPE_STRING") return wire::DataType::bytes;
  constexpr std::string_view head = "TYPE_";
  if (name.starts_with(head))
    if (const auto type = enum_value<wire::DataType>(name.substr(head.size()))) return *type;
  return fail(wrong,
              "{}.data_type is '{}'; neph knows TYPE_BOOL, TYPE_UINT8 to TYPE_INT64, TYPE_FP16, "
              "TYPE_FP32, TYPE_FP64, TYPE_BF16, TYPE_STRING",
              path, name);
}

class Reader {
 public:
  Reader(const Json& json, const std::string& what, ModelOptions& options)
      : all_(json, ""), what_(what), options_(options) {
    options_.declared = Declared{};
    options_.declared.file = what;
  }

  Result<TritonConfig> run(const std::string& name) {
    NEPH_CHECK(check_name(name));
    NEPH_CHECK(refuse());
    NEPH_CHECK(read_platform());
    NEPH_CHECK(read_ports());
    NEPH_CHECK(read_batching());
    NEPH_CHECK(read_instances());
    NEPH_CHECK(read_versions());
    NEPH_TRY(config_.model_file, all_.text("default_model_filename"));
    if (config_.model_file.find('/') != std::string::npos)
      return fail(wrong, "default_model_filename is '{}', and should be a file of the version's folder",
                  config_.model_file);
    note_rest(all_);
    if (!unused_.empty())
      config_.notes.push_back(fmt::format("without effect here: {}", fmt::join(unused_, ", ")));
    return std::move(config_);
  }

 private:
  void note_rest(const PbtxtFields& fields) {
    for (auto& name : fields.rest()) unused_.push_back(std::move(name));
  }

  Status check_name(const std::string& folder) {
    NEPH_TRY(const auto name, all_.text("name"));
    if (name.empty() || name == folder) return {};
    return fail(wrong, "name is '{}', and the folder is '{}'", name, folder);
  }

  Status refuse() {
    for (const auto& [field, reason] : refused)
      if (all_.has(field)) return fail(ErrorCode::unsupported, "{}: {}", field, reason);
    NEPH_TRY(auto policies, all_.messages("model_transaction_policy"));
    for (auto& policy : policies) {
      NEPH_TRY(const bool is_decoupled, policy.flag("decoupled"));
      if (is_decoupled)
        return fail(ErrorCode::unsupported, "decoupled: neph gives one answer for each request");
    }
    return {};
  }

  Status read_platform() {
    NEPH_TRY(const auto platform, all_.text("platform"));
    NEPH_TRY(const auto backend, all_.text("backend"));
    for (const auto& name : {platform, backend}) {
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

  Status read_ports() {
    NEPH_CHECK(read_ports("input", options_.declared.inputs, nullptr));
    return read_ports("output", options_.declared.outputs, &config_.label_files);
  }

  Status read_ports(const char* kind, std::vector<DeclaredPort>& ports,
                    std::vector<std::string>* label_files) {
    NEPH_TRY(auto all, all_.messages(kind));
    for (auto& fields : all) {
      NEPH_TRY(auto port, read_port(fields));
      for (const auto& other : ports)
        if (other.name == port.name) return fail(wrong, "{} '{}' is there twice", kind, port.name);
      ports.push_back(std::move(port));
      if (label_files == nullptr) continue;
      NEPH_TRY(auto labels, fields.text("label_filename"));
      label_files->push_back(std::move(labels));
    }
    for (const auto& fields : all) note_rest(fields);
    return {};
  }

  Result<DeclaredPort> read_port(PbtxtFields& fields) {
    DeclaredPort port;
    NEPH_TRY(port.name, fields.text("name"));
    if (port.name.empty()) return fail(wrong, "{} has no name", fields.path());
    NEPH_TRY(const auto type, fields.text("data_type"));
    NEPH_TRY(port.type, type_of(type, fields.path()));
    NEPH_TRY(port.dims, fields.wholes("dims", -1));
    NEPH_TRY(auto reshapes, fields.messages("reshape"));
    for (auto& reshape : reshapes) {
      NEPH_TRY(port.reshape, reshape.wholes("shape", -1));
    }
    NEPH_CHECK(read_flags(fields, port));
    fields.has("format");  // which dimension is which changes nothing
    return port;
  }

  Status read_flags(PbtxtFields& fields, DeclaredPort& port) {
    NEPH_TRY(const bool is_shape, fields.flag("is_shape_tensor"));
    if (is_shape)
      return fail(ErrorCode::unsupported, "{}.is_shape_tensor: TensorRT has those", fields.path());
    NEPH_TRY(const bool is_ragged, fields.flag("allow_ragged_batch"));
    NEPH_TRY(const bool is_optional, fields.flag("optional"));
    if (is_optional)
      config_.notes.push_back(fields.path() +
                              ".optional: a value that the model has for it stays; any other has to be sent");
    port.optional = is_optional;
    is_ragged_ = is_ragged_ || is_ragged;
    return {};
  }

  // ---- Batches

  /// Without a word of batches and ports they are as the server's options and the model have them.
  Status read_batching() {
    NEPH_TRY(const auto most, all_.whole("max_batch_size", 0));
    const auto size = most.value_or(0);
    if (size > most_rows) return fail(wrong, "max_batch_size is {}, and at most {}", size, most_rows);
    const bool says_ports = !options_.declared.inputs.empty() || !options_.declared.outputs.empty();
    options_.declared.max_batch_size = size;
    if (size > 0) options_.max_batch = size;
    if ((size == 0 && (most || says_ports)) || is_ragged_) options_.batching = Batching::off;
    if (is_ragged_) config_.notes.emplace_back("allow_ragged_batch: each request is an execution of its own");
    NEPH_TRY(auto policies, all_.messages("dynamic_batching"));
    for (auto& policy : policies) NEPH_CHECK(read_dynamic_batching(policy, size));
    return {};
  }

  Status read_dynamic_batching(PbtxtFields& policy, std::int64_t most) {
    NEPH_TRY(const auto sizes, policy.wholes("preferred_batch_size", 1));
    for (const auto size : sizes)
      if (size > most)
        return fail(wrong, "{}.preferred_batch_size is {}, and max_batch_size {}", policy.path(), size, most);
    NEPH_TRY(const auto delay, policy.whole("max_queue_delay_microseconds", 0));
    options_.max_wait.value = static_cast<double>(delay.value_or(0)) / 1e6;
    if (!sizes.empty()) options_.batch_sizes = sizes_text(sizes, most);
    note_rest(policy);
    return {};
  }

  /// Those that are preferred beside the powers of two: a single request should not run in a large batch.
  static std::string sizes_text(std::vector<std::int64_t> sizes, std::int64_t most) {
    for (std::int64_t size = 1; size < most; size *= 2) sizes.push_back(size);
    return fmt::format("{}", fmt::join(sizes, ","));
  }

  // ---- Instances and versions

  Status read_instances() {
    NEPH_TRY(auto groups, all_.messages("instance_group"));
    std::int64_t count = 0;
    for (auto& group : groups) {
      NEPH_TRY(const auto own, group.whole("count", 0));
      count += std::max<std::int64_t>(1, own.value_or(1));
      if (count > most_instances)
        return fail(wrong, "instance_group: more than {} instances", most_instances);
      NEPH_CHECK(read_kind(group));
      group.has("name");
      note_rest(group);
    }
    if (count > 0) options_.instances = count;
    return {};
  }

  Status read_kind(PbtxtFields& group) {
    NEPH_TRY(const auto kind, group.text("kind"));
    NEPH_TRY(const auto gpus, group.wholes("gpus", 0));
    auto& device = options_.runtime.device;
    if (kind == "KIND_CPU") {
      device = "CPU";
    } else if (kind == "KIND_GPU" && engine::is_cuda(device)) {
      if (!gpus.empty()) device = fmt::format("cuda:{}", gpus.front());
    } else if (kind == "KIND_GPU") {
      config_.notes.push_back(fmt::format("KIND_GPU: it runs on {}; --device cuda for a GPU", device));
    } else if (!kind.empty() && kind != "KIND_AUTO" && kind != "KIND_MODEL") {
      return fail(wrong, "{}.kind is '{}'; there are KIND_AUTO, KIND_CPU, KIND_GPU, KIND_MODEL", group.path(),
                  kind);
    }
    return {};
  }

  Status read_versions() {
    NEPH_TRY(auto policies, all_.messages("version_policy"));
    for (auto& policy : policies) {
      NEPH_TRY(auto latest, policy.messages("latest"));
      NEPH_TRY(auto specific, policy.messages("specific"));
      if (policy.has("all")) config_.policy = TritonConfig::Versions::all;
      for (auto& each : latest) {
        NEPH_TRY(const auto count, each.whole("num_versions", 1));
        options_.versions = count.value_or(1);
      }
      for (auto& each : specific) {
        config_.policy = TritonConfig::Versions::specific;
        NEPH_TRY(config_.versions, each.wholes("versions", 1));
      }
      note_rest(policy);
    }
    return {};
  }

  static constexpr std::int64_t most_rows = 65536, most_instances = 1024;

  PbtxtFields all_;
  const std::string& what_;
  ModelOptions& options_;
  TritonConfig config_;
  bool is_ragged_ = false;
  std::vector<std::string> unused_;
};

}  // namespace

Result<TritonConfig> read_triton_config(std::string_view text, const std::string& what,
                                        const std::string& name, ModelOptions& options) {
  NEPH_TRY(const auto json, parse_pbtxt(text, what));
  auto config = Reader(json, what, options).run(name);
  if (!config) return fail_in(what, config.error());
  return config;
}

}  // namespace neph::serve
