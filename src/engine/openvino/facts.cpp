#include "engine/openvino/facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <openvino/core/model.hpp>
#include <openvino/core/version.hpp>
#include <openvino/runtime/properties.hpp>
#include <optional>

#include "engine/openvino/amx.hpp"

namespace neph::engine {
namespace {

template <class Property>
std::optional<std::string> read(const ov::CompiledModel& compiled, const Property& property) {
  try {
    return compiled.get_property(property.name()).template as<std::string>();
  } catch (const std::exception&) {
    return std::nullopt;  // this device does not have the property
  }
}

/// The layers that hold nearly all of a network's arithmetic.
bool is_compute(const std::string& layer) {
  constexpr std::array layers{"Convolution", "Deconvolution", "FullyConnected",
                              "MatMul",      "RNNSeq",        "RNNCell"};
  return std::find(layers.begin(), layers.end(), layer) != layers.end();
}

std::string commonest(const std::map<std::string, int>& counts) {
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

/// "precision" and "kernel" of most layers that compute, from the graph that is executed. Its keys are those
/// of OpenVINO's ExecutionNode (exec_model_info.hpp, not among the installed headers).
void read_executed_graph(const ov::CompiledModel& compiled, Facts& facts) {
  std::map<std::string, int> precisions;
  std::map<std::string, int> kernels;
  for (const auto& layer : compiled.get_runtime_model()->get_ordered_ops()) {
    const auto& info = layer->get_rt_info();
    const auto text = [&](const char* key) {
      const auto found = info.find(key);
      return found == info.end() ? std::string() : found->second.as<std::string>();
    };
    if (!is_compute(text("layerType"))) continue;
    const auto precision = text("runtimePrecision");
    ++precisions[precision == "u8" ? "i8"
                                   : precision];  // the activations' sign does not matter to the kernels
    ++kernels[text("primitiveType")];
  }
  if (precisions.empty()) return;
  set(facts, fact::precision, commonest(precisions));
  set(facts, fact::kernel, commonest(kernels));
}

}  // namespace

Facts facts_of(const ov::CompiledModel& compiled, const std::string& device, const std::string& device_name) {
  Facts facts;
  set(facts, fact::device, device);
  set(facts, fact::device_name, device_name);
  set(facts, fact::engine, "openvino " + openvino_version());
  const auto note = [&](const auto& fact, const std::optional<std::string>& value) {
    if (value) facts[std::string(fact.name)] = *value;
  };
  if (auto mode = read(compiled, ov::hint::performance_mode)) {
    std::transform(mode->begin(), mode->end(), mode->begin(),
                   [](unsigned char c) { return std::tolower(c); });
    set(facts, fact::hint, *mode);
  }
  note(fact::precision, read(compiled, ov::hint::inference_precision));
  note(fact::threads, read(compiled, ov::inference_num_threads));
  note(fact::streams, read(compiled, ov::num_streams));
  note(fact::requests, read(compiled, ov::optimal_number_of_infer_requests));
  if (const auto pinning = read(compiled, ov::hint::enable_cpu_pinning))
    set(facts, fact::pinning, *pinning == "YES" || *pinning == "true" || *pinning == "1" ? "on" : "off");
  if (device == "CPU" && has_amx_without_palette())
    set(facts, fact::amx, "off: the processor offers it, but reports no tile palette");
  try {
    read_executed_graph(compiled, facts);
  } catch (const std::exception&) {
    facts.emplace(fact::kernel.name, "not reported by the device");
  }
  return facts;
}

std::string openvino_version() {
  const std::string build = ov::get_openvino_version().buildNumber;
  return build.substr(0, build.find('-'));
}

}  // namespace neph::engine
