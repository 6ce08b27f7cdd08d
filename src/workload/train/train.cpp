#include "workload/train/train.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "core/values.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "os/thread.hpp"
#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "workload/command_line.hpp"
#include "workload/fields.hpp"
#include "workload/files.hpp"
#include "workload/train/framework_run.hpp"
#include "workload/train/rank_run.hpp"
#include "workload/train/run.hpp"

namespace neph::workload::train {
namespace {

constexpr std::int64_t steps_of_a_trial = 10;

Result<TrainSpec> parse(const Json& json) { return from_json<TrainSpec>(json, ""); }

/// What prepare() looks at: cells that differ in nothing of it share one preparation.
Json prepared_part(const Json& spec) {
  Json part = Json::object();
  for (const auto& name : fields_with<TrainSpec>(&Traits::is_prepared))
    if (spec.contains(name)) part[name] = spec[name];
  return part;
}

/// The network's file, made where it is not there yet; and that the data fits it, as far as headers tell.
Result<launch::Files> prepare_one(const TrainSpec& spec, const engine::TrainEngine& engine) {
  NEPH_TRY(const auto network, open_network(spec, engine));
  if (network.program) NEPH_CHECK(data::look(spec.data, data_options(spec, network.known(), nullptr)));
  auto files = files_of_model(network.file);
  std::error_code ignored;
  if (std::filesystem::exists(spec.data, ignored)) files.push_back({.field = "data", .path = spec.data});
  return files;
}

/// Whether the processes can divide what there is to divide.
Status check_ranks(const TrainSpec& spec) {
  const auto device = in_capitals(spec.device);
  if (spec.gpus > 1 && device != "CUDA")
    return fail(ErrorCode::invalid_argument, "gpus {} means nothing with device {}; it goes with cuda",
                spec.gpus, spec.device);
  if (spec.processes > 1 && device != "CPU")
    return fail(ErrorCode::invalid_argument,
                "processes {} means nothing with device {}; on GPUs --gpus says how many processes there are",
                spec.processes, spec.device);
  const auto ranks = ranks_of(spec);
  if (spec.batch % ranks != 0)
    return fail(ErrorCode::invalid_argument,
                "a batch of {} cannot be divided evenly among {} processes; take a multiple of {}",
                spec.batch, ranks, ranks);
  if (spec.threads > 0 && spec.threads < ranks)
    return fail(ErrorCode::invalid_argument,
                "threads {} cannot be divided among {} processes: each needs a core of its own", spec.threads,
                ranks);
  return {};
}

/// What only a framework's training has, and what none of them has.
Status check_framework(const TrainSpec& spec) {
  const auto name = enum_name(spec.framework);
  if (!uses_framework(spec)) {
    if (spec.compile != framework::Switch::automatic || spec.layout != framework::Layout::automatic ||
        spec.fused_optimizer != framework::Switch::automatic)
      return fail(ErrorCode::invalid_argument,
                  "--compile, --layout and --fused-optimizer are a framework's; give --framework pytorch or "
                  "keras-tensorflow");
    return {};
  }
  const bool keras = spec.framework != framework::Framework::pytorch;
  if (spec.precision == engine::Precision::i8)
    return fail(ErrorCode::unsupported, "{} does not train with --precision i8; take f32, bf16 or f16", name);
  if (keras && ranks_of(spec) > 1)
    return fail(ErrorCode::unsupported,
                "{} in several processes is not started here; take --framework pytorch", name);
  if (const std::string_view ending = keras ? ".keras" : ".pt";
      !spec.save.empty() && !spec.save.ends_with(ending))
    return fail(ErrorCode::invalid_argument, "--save {}: {} saves {} files", spec.save, name, ending);
  return {};
}

/// Of a framework in a container, that has its own Python, what the run reads and writes here.
Result<std::optional<launch::Container>> framework_container(const TrainSpec& spec) {
  if (spec.image == own_image)
    return fail(ErrorCode::invalid_argument,
                "--in docker: in which image? Give one that has {}: --image NAME", enum_name(spec.framework));
  NEPH_TRY(auto container, container_of_run(spec.image));
  NEPH_TRY(const auto training, prepare_framework(spec));
  for (const std::filesystem::path path :
       {training.model_file.string(), training.settings.weights, training.settings.data})
    container.readable.push_back(std::filesystem::absolute(path));
  container.environment.push_back(fmt::format("XDG_CACHE_HOME={}", cache_folder().parent_path().string()));
  if (!spec.save.empty()) container.writable.push_back(std::filesystem::absolute(spec.save).parent_path());
  container.gpus = in_capitals(spec.device).starts_with("CUDA");
  return container;
}

/// A framework is tried once for all cells that use it on a device.
Result<launch::Files> prepare_framework_cell(const TrainSpec& spec, std::map<std::string, Status>& tried) {
  if (spec.in == In::process) {
    const auto device = in_small_letters(spec.device);
    const auto [known, is_new] = tried.try_emplace(fmt::format("{} {}", enum_name(spec.framework), device));
    if (is_new) {
      const auto found = framework_of(spec);
      known->second = found ? framework::try_out(*found, device) : tl::unexpected(found.error());
    }
    if (!known->second) return tl::unexpected(known->second.error());
  }
  NEPH_TRY(const auto training, prepare_framework(spec));
  auto files = files_of_model(training.model_file);
  files.push_back({.field = {}, .path = training.settings.weights});
  std::error_code ignored;
  if (std::filesystem::exists(spec.data, ignored)) files.push_back({.field = "data", .path = spec.data});
  return files;
}

/// What a run in a container needs of this machine: its data, the engine's runtime, where it saves.
Result<std::optional<launch::Container>> container(const Json& json, engine::Registry& engines) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.in == In::process) return std::nullopt;
  if (uses_framework(spec)) return framework_container(spec);
  NEPH_TRY(auto container, container_of_run(spec.image));
  NEPH_TRY(const auto place, data::locate(spec.data));
  if (!place.folder.empty()) {
    container.readable.push_back(place.path);
    container.environment.push_back(
        fmt::format("NEPH_DATA={}", std::filesystem::absolute(place.folder).string()));
  }
  NEPH_TRY(const auto* engine, engines.open_trainer(spec.engine));
  if (const std::filesystem::path runtime = engine->runtime(); !runtime.empty()) {
    container.readable.push_back(runtime.parent_path());  // what it needs lies beside it
    container.environment.push_back(fmt::format("NEPH_TORCH={}", runtime.string()));
  }
  if (!spec.save.empty()) container.writable.push_back(std::filesystem::absolute(spec.save).parent_path());
  container.gpus = in_capitals(spec.device).starts_with("CUDA");
  return container;
}

double length_s(const Run& run, const PhaseKind& kind) {
  double all = 0;
  for (const auto& phase : run.result.phases)
    if (phase.name == kind.name) all += phase.end_s - phase.begin_s;
  return all;
}

}  // namespace

Status check(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.model.empty())
    return fail(ErrorCode::invalid_argument, "no network given; neph train NETWORK --data DATA");
  if (spec.data.empty())
    return fail(ErrorCode::invalid_argument,
                "no data given: --data fashion-mnist, a folder of images by class, or synth");
  NEPH_CHECK(check_framework(spec));
  if (!uses_framework(spec) && !spec.save.empty()) NEPH_CHECK(check_checkpoint(spec.save));
  NEPH_CHECK(check_ranks(spec));
  return check_applicable(json, spec);
}

std::vector<Idle> idle() {
  auto all = idle_fields<TrainSpec>();
  all.push_back({.field = "device", .value = "cpu", .fields = {"gpus"}});
  all.push_back({.field = "device", .value = "cuda", .fields = {"processes"}});
  return all;
}

PreparedCells prepare(std::span<const Json> specs, EventSink&) {
  engine::Registry engines;
  std::map<std::string, Result<launch::Files>> ready;  // by what is prepared
  std::map<std::string, Status> tried;
  const auto of = [&](const Json& json) -> Result<launch::Files> {
    NEPH_TRY(const auto spec, parse(json));
    if (uses_framework(spec)) return prepare_framework_cell(spec, tried);
    NEPH_TRY(auto* const engine, engines.open_trainer(spec.engine));
    NEPH_CHECK(check_device(spec, *engine));
    const auto [known, is_new] = ready.try_emplace(dump_json(prepared_part(json)));
    if (is_new) known->second = prepare_one(spec, *engine);
    return known->second;
  };
  PreparedCells all;
  for (const auto& json : specs) all.push_back(of(json));
  return all;
}

Status check_cores(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (const auto ranks = ranks_of(spec), there = usable_cores(); ranks > std::max<std::int64_t>(1, there))
    return fail(ErrorCode::unavailable, "{} processes need {} cores, and there are {}", ranks, ranks, there);
  return {};
}

std::vector<Result<std::optional<launch::Container>>> containers(std::span<const Json> specs) {
  engine::Registry engines;  // each engine is opened once
  std::vector<Result<std::optional<launch::Container>>> all;
  for (const auto& json : specs) all.push_back(container(json, engines));
  return all;
}

Result<RunResult> run(const Json& json, const Context& context) {
  if (!context.part) NEPH_CHECK(check(json));  // a part has all fields, also those that mean nothing
  NEPH_TRY(const auto spec, parse(json));
  if (uses_framework(spec)) return run_framework(spec, context);
  Result<RunResult> result = fail(ErrorCode::internal, "the run did not start");
  const auto measure = [&](std::int64_t) {
    try {
      result = context.part ? RankRun(spec, context).run() : TrainRun(spec, context).run();
    } catch (const std::bad_alloc&) {
      result = fail(ErrorCode::unavailable, "not enough memory; take a smaller --batch");
    }
  };
  NEPH_CHECK(on_threads(engine_role, 1, measure));
  return result;
}

std::string command(const Json& spec) { return command_line<TrainSpec>("train", "model", spec); }

Json trial(const Json& json) {
  Json small = json;
  small["steps"] = steps_of_a_trial;
  small["warmup_max_s"] = 0;
  small["save"] = "";
  return small;
}

double whole_run_s(const Json& json, const Run& trial) {
  const auto spec = parse(json);
  std::map<std::string, double> figures;
  for (const auto& figure : trial.result.figures) figures[figure.name] = figure.estimate.value;
  if (!spec || !figures.contains(std::string(metric::training_s.name))) return trial.wall_s;
  const double learning_s =
      length_s(trial, phase::first_step) + length_s(trial, phase::warmup) + length_s(trial, phase::learn);
  const double training_s = figures[std::string(metric::training_s.name)];
  const double around_s = trial.wall_s - learning_s - length_s(trial, phase::verify);
  if (spec->steps == 0) return around_s + training_s;
  const double step_s = figures[std::string(metric::step_s.name)];
  const double warmup_s = std::min(spec->warmup_max_s, 10 * step_s);
  return around_s + std::min(training_s, warmup_s + static_cast<double>(spec->steps) * step_s);
}

}  // namespace neph::workload::train

namespace neph::workload {

Result<std::string> training_script(Json fields) {
  for (const auto& [name, value] : fields.items())
    if (value.is_array())
      return fail(ErrorCode::invalid_argument, "--print-script: {} has several values; a script has one",
                  option_name(name));
  const bool has_data = fields.contains("data");
  if (!has_data) fields["data"] = "synth";
  NEPH_CHECK(train::check(fields));
  NEPH_TRY(auto spec, from_json<TrainSpec>(fields, ""));
  if (!uses_framework(spec))
    return fail(ErrorCode::invalid_argument,
                "--print-script: of which framework? Give --framework pytorch or keras-tensorflow");
  NEPH_TRY(auto training, prepare_framework(spec));
  auto& settings = training.settings;
  if (!has_data) settings.data = "data.npz";
  const auto name = std::filesystem::path(spec.model).stem().string();
  const bool keras = spec.framework != framework::Framework::pytorch;
  settings.save = !spec.save.empty() ? spec.save : name + (keras ? ".keras" : ".pt");
  return framework::script(training.model, settings);
}

}  // namespace neph::workload
