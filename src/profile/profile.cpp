#include "profile/profile.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/shapes.hpp"
#include "core/text.hpp"
#include "host/host.hpp"
#include "os/cores.hpp"
#include "profile/account.hpp"
#include "profile/inputs.hpp"
#include "stats/stats.hpp"

namespace neph::profile {
namespace {

constexpr int warmup_inferences = 3;
/// Of a repeat by duration: ONNX Runtime keeps every layer's every run in memory and writes them to a file.
constexpr std::int64_t most_inferences = 200;

Result<InputShapes> shapes_asked_for(const Spec& spec, const std::vector<engine::Port>& inputs) {
  InputShapes all;
  for (const auto& text : spec.shape) {
    NEPH_TRY(const auto shapes, parse_shapes(text));
    for (const auto& [name, shape] : shapes)
      if (!all.emplace(name, shape).second)
        return fail(ErrorCode::invalid_argument, "--shape: input '{}' has two shapes", name);
  }
  std::vector<std::string> names;
  for (const auto& input : inputs) names.push_back(input.name);
  return named_shapes(std::move(all), names);
}

/// What a file leaves open in front is one example, unless somebody says otherwise.
void close_first_dimensions(const std::vector<engine::Port>& inputs, InputShapes& shapes) {
  for (const auto& input : inputs) {
    if (shapes.contains(input.name) || input.shape.empty() || input.shape.front() >= 0) continue;
    auto shape = input.shape;
    shape.front() = 1;
    if (std::all_of(shape.begin(), shape.end(), [](auto size) { return size >= 0; }))
      shapes.emplace(input.name, std::move(shape));
  }
}

Result<engine::Options> options_for(const Spec& spec, const engine::Model& model) {
  NEPH_TRY(auto shapes, shapes_asked_for(spec, model.inputs()));
  const bool all_are_open = shapes.empty() && std::ranges::all_of(model.inputs(), [](const auto& input) {
                              return !input.shape.empty() && input.shape.front() < 0;
                            });
  if (spec.batch == 0 && !all_are_open) close_first_dimensions(model.inputs(), shapes);
  auto options = engine::options_of(spec.runtime);
  options.batch = spec.batch == 0 && all_are_open ? 1 : spec.batch;
  options.shapes = std::move(shapes);
  options.streams = 1;
  return options;
}

/// A session with a request that is ready to run.
struct Bound {
  std::unique_ptr<engine::Session> session;
  std::unique_ptr<engine::Request> request;
};

/// Mean time of inferences, and how many.
struct Pace {
  double mean_s = 0;
  std::int64_t count = 0;
};

class Measurement {
 public:
  Measurement(const Spec& spec, engine::Model& model, engine::Options options, const Onlooker& onlooker)
      : spec_(spec), model_(model), options_(std::move(options)), onlooker_(onlooker) {}

  Status run() {
    NEPH_TRY(plain_, compiled(false));
    for (std::int64_t repeat = 0; repeat < spec_.repeat; ++repeat) {
      NEPH_TRY(const auto plain, pace_of(*plain_.request, spec_.duration.value / 2));
      plain_s_.push_back(plain.mean_s);
      NEPH_TRY(auto profiled, compiled(true));
      if (repeat == 0) read_model_as_run(*profiled.session);
      NEPH_TRY(const auto pace, pace_of(*profiled.request, spec_.duration.value));
      profiled_s_.push_back(pace.mean_s);
      inferences_ += pace.count;
      NEPH_TRY(auto layers, profiled.session->layers());
      layers_.push_back(std::move(layers));
      onlooker_.progress(repeat + 1, spec_.repeat);
    }
    return {};
  }

  const engine::Session& session() const { return *plain_.session; }
  Times times() const { return times_of(layers_); }
  /// What the engine made of the model, as far as it shows that.
  const std::optional<net::Network>& as_run() const { return as_run_; }
  void tell(Profile& profile) const {
    profile.plain_s = stats::mean_estimate(plain_s_);
    profile.profiled_s = stats::mean_estimate(profiled_s_);
    profile.inferences = inferences_;
    profile.repeats = spec_.repeat;
  }

 private:
  Result<Bound> compiled(bool is_profiled) {
    options_.profiled = is_profiled;
    options_.shown = is_profiled && layers_.empty();
    Bound bound;
    auto session = model_.compile(options_);
    if (!session && std::exchange(options_.shown, false)) session = model_.compile(options_);  // no room to
    NEPH_TRY(bound.session, std::move(session));
    if (!tensors_) {
      NEPH_TRY(tensors_, Tensors::make(*bound.session, model_.row_facts().integers_below,
                                       static_cast<std::uint64_t>(spec_.seed)));
    }
    NEPH_TRY(bound.request, bound.session->make_request());
    NEPH_CHECK(tensors_->bind(*bound.request, *bound.session));
    for (int i = 0; i < warmup_inferences; ++i) NEPH_CHECK(bound.request->infer());
    return bound;
  }

  void read_model_as_run(const engine::Session& session) {
    const auto file = session.model_as_run();
    if (file.empty()) return;
    auto network = net::read_onnx(file);
    if (network) as_run_ = std::move(*network);  // it is the engine's, and names are joined without it, too
  }

  Result<Pace> pace_of(engine::Request& request, double duration_s) const {
    const SteadyClock clock;
    const auto begin = clock.now();
    Pace pace;
    for (double taken_s = 0;; taken_s = seconds(clock.now() - begin)) {
      const bool is_done = spec_.count > 0
                               ? pace.count == spec_.count
                               : pace.count > 0 && (taken_s >= duration_s || pace.count == most_inferences);
      if (is_done) {
        pace.mean_s = taken_s / static_cast<double>(pace.count);
        return pace;
      }
      if (onlooker_.wants_end()) return fail(ErrorCode::unavailable, "stopped before the end");
      NEPH_CHECK(request.infer());
      ++pace.count;
    }
  }

  const Spec& spec_;
  engine::Model& model_;
  engine::Options options_;
  const Onlooker& onlooker_;
  std::optional<Tensors> tensors_;
  Bound plain_;
  std::vector<double> plain_s_, profiled_s_;
  std::vector<std::vector<engine::LayerTime>> layers_;
  std::optional<net::Network> as_run_;
  std::int64_t inferences_ = 0;
};

InputShapes shapes_of(const engine::Session& session) {
  InputShapes shapes;
  for (const auto& input : session.inputs()) shapes.emplace(input.name, input.shape);
  return shapes;
}

/// Nothing, with a note that says why, where the file's layers are not known.
std::optional<net::Network> network_of(const std::filesystem::path& path, const InputShapes& shapes,
                                       Profile& profile) {
  if (lowered(path.extension().string()) != ".onnx") {
    profile.notes.push_back(
        fmt::format("{} is no ONNX file: what its layers compute, and which of them became one, is not known",
                    path.string()));
    return std::nullopt;
  }
  auto network = net::read_onnx(path, {.shapes = shapes});
  if (network) return std::move(*network);
  profile.notes.push_back(
      fmt::format("what the file's layers compute is not known: {}", network.error().message));
  return std::nullopt;
}

std::int64_t threads_of(const Facts& facts) {
  const auto told = get(facts, fact::threads);
  const auto threads = told ? std::strtoll(told->c_str(), nullptr, 10) : 0;
  return threads > 0 ? threads : usable_cores();
}

Status measure_machine(Profile& profile) {
  if (!lowered(profile.device).starts_with("cpu")) {
    profile.notes.push_back(fmt::format(
        "the peaks of {} are not measured: only those of this machine's processor are", profile.device));
    return {};
  }
  NEPH_TRY(auto roof, host::measure_roof(profile.threads));
  profile.peak_flop_per_s = roof.flop_per_s;
  profile.peak_bytes_per_s = roof.bytes_per_s;
  profile.instructions = std::move(roof.instructions);
  return {};
}

void describe_session(const Spec& spec, const engine::Engine& engine, const engine::Session& session,
                      Profile& profile) {
  const auto& facts = session.facts();
  profile.engine = fmt::format("{} {}", engine.name(), engine.version());
  profile.device = get(facts, fact::device).value_or(spec.runtime.device);
  profile.precision = get(facts, fact::precision).value_or(std::string(enum_name(spec.runtime.precision)));
  profile.threads = threads_of(facts);
  for (const auto& [name, shape] : shapes_of(session))
    profile.inputs.push_back(fmt::format("{} {}", name, net::to_string(shape)));
}

}  // namespace

Result<Profile> take(const Spec& spec, const Onlooker& onlooker) {
  NEPH_TRY(const auto path, net::model_file(spec.model, spec.sizes, spec.seed));
  engine::Registry engines;
  NEPH_TRY(auto* engine,
           spec.runtime.engine.empty() ? engines.open_for(path) : engines.open(spec.runtime.engine));
  NEPH_TRY(const auto model, engine->load(path));
  NEPH_TRY(auto options, options_for(spec, *model));
  Measurement measurement(spec, *model, std::move(options), onlooker);
  NEPH_CHECK(measurement.run());
  Profile profile{.model = spec.model, .file = path.string()};
  describe_session(spec, *engine, measurement.session(), profile);
  measurement.tell(profile);
  const auto times = measurement.times();
  if (!times.are_alike)
    profile.notes.emplace_back(
        "the engine chose other layers in some repeats: these are the first repeat's, without intervals");
  const auto network = network_of(path, shapes_of(measurement.session()), profile);
  Known known{.network = network ? &*network : nullptr};
  if (measurement.as_run()) known.as_run = layers_as_run(times.layers, *measurement.as_run());
  account(times, known, profile);
  NEPH_CHECK(measure_machine(profile));
  return profile;
}

}  // namespace neph::profile
