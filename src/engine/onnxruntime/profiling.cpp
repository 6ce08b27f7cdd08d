#include "engine/onnxruntime/profiling.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "core/json.hpp"
#include "os/file.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

constexpr std::string_view of_kernel = "_kernel_time";

/// A run of a node, in microseconds.
struct Event {
  std::string name, op, kernel;
  double begin = 0, duration = 0;
  double inside = 0;  ///< what layers in it took
  double end() const { return begin + duration; }
};

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// "CPU" of "CPUExecutionProvider"; "CPU nchwc" of a kernel for blocks of channels.
std::string kernel_of(const Json& arguments, std::string_view node) {
  auto name = text_of(arguments, "provider");
  constexpr std::string_view ending = "ExecutionProvider";
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return node.ends_with("_nchwc") ? name + " nchwc" : name;
}

std::optional<Event> event_of(const Json& json) {
  auto name = text_of(json, "name");
  if (text_of(json, "cat") != "Node" || !name.ends_with(of_kernel)) return std::nullopt;
  name.resize(name.size() - of_kernel.size());
  const auto arguments = json.find("args");
  const Json none = Json::object();
  const Json& told = arguments != json.end() && arguments->is_object() ? *arguments : none;
  auto kernel = kernel_of(told, name);
  return Event{.name = std::move(name),
               .op = text_of(told, "op_name"),
               .kernel = std::move(kernel),
               .begin = number_of(json, "ts"),
               .duration = std::max(0.0, number_of(json, "dur"))};
}

/// One session runs its nodes one after the other, so that an event that begins before another has ended is
/// part of it.
void find_inside(std::vector<Event>& events) {
  // What ends last was written last: of two with the same times it is the one around the other.
  std::reverse(events.begin(), events.end());
  std::stable_sort(events.begin(), events.end(), [](const Event& one, const Event& other) {
    return one.begin != other.begin ? one.begin < other.begin : one.duration > other.duration;
  });
  std::vector<Event*> around;
  for (auto& event : events) {
    while (!around.empty() && around.back()->end() < event.end()) around.pop_back();
    if (!around.empty() && event.begin < around.back()->end()) around.back()->inside += event.duration;
    around.push_back(&event);
  }
}

/// Sums over inferences, by the node's name.
class Sums {
 public:
  void add(std::vector<Event> events) {
    find_inside(events);
    for (const auto& event : events) {
      const auto [place, is_new] = places_.try_emplace(event.name, layers_.size());
      if (is_new) layers_.push_back({.name = event.name, .kind = event.op, .kernel = event.kernel});
      layers_[place->second].self_s += 1e-6 * std::max(0.0, event.duration - event.inside);
    }
    ++inferences_;
  }
  std::size_t inferences() const { return inferences_; }
  std::vector<LayerTime> means() && {
    for (auto& layer : layers_) layer.self_s /= static_cast<double>(inferences_);
    return std::move(layers_);
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<LayerTime> layers_;
  std::size_t inferences_ = 0;
};

Result<std::filesystem::path> temporary_folder() {
  std::error_code none;
  auto path = (std::filesystem::temp_directory_path(none) / "neph-profile-XXXXXX").string();
  if (none || mkdtemp(path.data()) == nullptr)
    return fail(ErrorCode::io, "no folder for temporary files can be made in $TMPDIR or /tmp: {}",
                none ? none.message() : std::strerror(errno));
  return std::filesystem::path(path);
}

}  // namespace

Result<std::vector<LayerTime>> read_profile(std::string_view text) {
  NEPH_TRY(const auto events, parse_json(text, "ONNX Runtime's profile"));
  if (!events.is_array()) return fail(ErrorCode::corrupt, "ONNX Runtime's profile is no list of events");
  std::vector<Event> run;
  std::optional<std::vector<Event>> first;
  Sums sums;
  for (const auto& json : events) {
    if (!json.is_object()) continue;
    if (auto event = event_of(json)) run.push_back(std::move(*event));
    if (text_of(json, "cat") != "Session" || text_of(json, "name") != "model_run") continue;
    if (first)
      sums.add(std::exchange(run, {}));
    else
      first = std::exchange(run, {});
  }
  if (!first) return fail(ErrorCode::corrupt, "ONNX Runtime's profile has no inference in it");
  if (sums.inferences() == 0) sums.add(std::move(*first));
  return std::move(sums).means();
}

Profiling::~Profiling() {
  std::error_code ignored;
  if (is_on()) std::filesystem::remove_all(folder_, ignored);
}

Status Profiling::begin(Ort::SessionOptions& options, bool shown) {
  NEPH_TRY(folder_, temporary_folder());
  options.EnableProfiling((folder_ / "profile").c_str());
  if (!shown) return {};
  model_as_run_ = folder_ / "model.onnx";
  options.SetOptimizedModelFilePath(model_as_run_.c_str());
  // Beside it: one file may not have more than 2 GiB.
  options.AddConfigEntry("session.optimized_model_external_initializers_file_name", "weights");
  return {};
}

Result<std::vector<LayerTime>> Profiling::layers(Ort::Session& session) {
  if (layers_) return *layers_;
  try {
    Ort::AllocatorWithDefaultOptions allocator;
    const auto file = session.EndProfilingAllocated(allocator);
    NEPH_TRY(const auto text, read_file(file.get()));
    layers_ = read_profile(text);
    return *layers_;
  } catch (...) {
    return tl::unexpected(explain_current("cannot tell the layers' times"));
  }
}

}  // namespace neph::engine::onnxruntime_plugin
