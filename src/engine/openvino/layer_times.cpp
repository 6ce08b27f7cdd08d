#include "engine/openvino/layer_times.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <openvino/op/constant.hpp>
#include <openvino/runtime/properties.hpp>
#include <string_view>
#include <unordered_map>

namespace neph::engine {
namespace {

// Keys of what OpenVINO tells of the graph that it executes.
constexpr const char* layer_type = "layerType";
constexpr const char* original_names = "originalLayersNames";

std::string text_of(const ov::Node& node, const char* key) {
  const auto& info = node.get_rt_info();
  const auto found = info.find(key);
  return found == info.end() ? std::string() : found->second.as<std::string>();
}

/// Of several that one node of the file became ("LSTM": a transposition, an LSTMSequence, a transposition)
/// the last gives tensors of the file; another has the name of what reads it, which has its own by now.
std::string name_in_file(const ov::Node& node) {
  std::string name;
  for (const auto& output : node.outputs()) {
    if (!output.get_names().empty()) return node.get_friendly_name();
    for (const auto& reader : output.get_target_inputs())
      if (name.empty()) name = text_of(*reader.get_node(), original_names);
  }
  return name.empty() ? node.get_friendly_name() : name;
}

/// What computes nothing.
bool is_no_layer(std::string_view type) {
  constexpr std::array<std::string_view, 4> types{"Input", "Const", "Constant", "Output"};
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// By the names of the counters: the layers of the graph that is executed, with the file's names in them.
std::unordered_map<std::string, std::string> names_in_file(const ov::CompiledModel& compiled) {
  std::unordered_map<std::string, std::string> names;
  for (const auto& node : compiled.get_runtime_model()->get_ops()) {
    if (is_no_layer(text_of(*node, layer_type))) continue;
    const auto original = text_of(*node, original_names);
    names.emplace(node->get_friendly_name(), original.empty() ? node->get_friendly_name() : original);
  }
  return names;
}

double seconds_of(const ov::ProfilingInfo& counter) {
  return std::chrono::duration<double>(counter.real_time).count();
}

/// Each stream has counters of its own.
bool are_means(const ov::CompiledModel& compiled) {
  const auto devices = compiled.get_property(ov::execution_devices);
  return devices.size() == 1 && devices.front().starts_with("CPU") &&
         compiled.get_property(ov::num_streams).num == 1;
}

}  // namespace

void keep_names(ov::Model& model, bool are_tensors_named) {
  auto nodes = model.get_ordered_ops();
  std::reverse(nodes.begin(), nodes.end());
  for (const auto& node : nodes)
    if (!ov::is_type<ov::op::v0::Constant>(node))
      node->get_rt_info()[original_names] =
          are_tensors_named ? name_in_file(*node) : node->get_friendly_name();
}

void LayerCounters::count(ov::InferRequest& request) {
  const std::lock_guard lock(mutex_);
  if (++inferences_ == 1) first_ = request.get_profiling_info();
}

std::vector<LayerTime> LayerCounters::layers(ov::CompiledModel& compiled) {
  const std::lock_guard lock(mutex_);
  const auto names = names_in_file(compiled);
  // The counters are the compiled model's: a request that has run nothing tells them too.
  const auto counters = compiled.create_infer_request().get_profiling_info();
  const bool is_mean = are_means(compiled) && inferences_ > 1 && counters.size() == first_.size();
  std::vector<LayerTime> layers;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const auto& counter = counters[i];
    const auto run = names.find(counter.node_name);
    const auto mean_s = seconds_of(counter);
    const auto count = static_cast<double>(inferences_);
    layers.push_back(
        {.name = run == names.end() ? counter.node_name : run->second,
         .kind = counter.node_type,
         .kernel = counter.exec_type,
         .self_s = is_mean ? std::max(0.0, mean_s * count - seconds_of(first_[i])) / (count - 1) : mean_s,
         .is_run = run != names.end()});
  }
  return layers;
}

}  // namespace neph::engine
