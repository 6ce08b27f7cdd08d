#include "workload/train/train.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/values.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "workload/command/hearing.hpp"
#include "workload/command_line.hpp"
#include "workload/fields.hpp"
#include "workload/files.hpp"
#include "workload/train/framework_run.hpp"

namespace neph::workload::train {
namespace {

constexpr std::int64_t steps_of_a_trial = 10;

/// With the framework that trains.
Result<TrainSpec> parse(const Json& json) {
  NEPH_TRY(auto spec, from_json<TrainSpec>(json, ""));
  return with_framework(std::move(spec));
}

/// What preparing looks at: cells that differ in nothing of it share one preparation.
std::string prepared_part(const Json& spec) {
  Json part = Json::object();
  for (const auto& name : fields_with<TrainSpec>(&Traits::is_prepared))
    if (spec.contains(name)) part[name] = spec[name];
  return dump_json(part);
}

/// Whether the processes can divide what there is to divide.
Status check_ranks(const TrainSpec& spec) {
  const auto device = in_small_letters(spec.device);
  if (spec.gpus > 1 && device != "cuda")
    return fail(ErrorCode::invalid_argument, "gpus {} means nothing with device {}; it goes with cuda",
                spec.gpus, spec.device);
  if (spec.processes > 1 && device != "cpu")
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

/// What a framework does not have.
Status check_framework(const TrainSpec& spec) {
  const auto name = enum_name(spec.framework);
  const auto device = in_small_letters(spec.device);
  if (device != "cpu" && device != "cuda" && !device.starts_with("cuda:"))
    return fail(ErrorCode::invalid_argument, "--device {}: {} trains on cpu, cuda, or cuda:N", spec.device,
                name);
  if (spec.precision == engine::Precision::i8)
    return fail(ErrorCode::unsupported, "{} does not train with --precision i8; take f32, bf16 or f16", name);
  if (spec.framework != framework::Framework::pytorch && ranks_of(spec) > 1)
    return fail(ErrorCode::unsupported,
                "{} in several processes is not started here; take --framework pytorch", name);
  if (const auto ending = checkpoint_ending(spec.framework);
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
  std::set<std::filesystem::path> files;
  for (const std::filesystem::path path :
       {training.model_file.string(), training.settings.weights, training.settings.data})
    if (!path.empty()) files.insert(std::filesystem::absolute(path));
  container.readable.insert(container.readable.end(), files.begin(), files.end());
  container.environment.push_back(fmt::format("XDG_CACHE_HOME={}", cache_folder().parent_path().string()));
  if (!spec.save.empty()) container.writable.push_back(std::filesystem::absolute(spec.save).parent_path());
  container.gpus = in_small_letters(spec.device).starts_with("cuda");
  return container;
}

/// A framework is tried once for all cells that use it on a device.
Result<launch::Files> prepare_cell(const TrainSpec& spec, std::map<std::string, Status>& tried) {
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

Result<std::optional<launch::Container>> container(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.in == In::process) return std::nullopt;
  return framework_container(spec);
}

double length_s(const Run& run, const PhaseKind& kind) {
  double all = 0;
  for (const auto& phase : run.result.phases)
    if (phase.name == kind.name) all += phase.end_s - phase.begin_s;
  return all;
}

}  // namespace

Status check(const Json& json) {
  NEPH_TRY(const auto given, from_json<TrainSpec>(json, ""));
  if (given.model.empty())
    return fail(ErrorCode::invalid_argument, "no network given; neph train NETWORK --data DATA");
  if (given.data.empty())
    return fail(ErrorCode::invalid_argument,
                "no data given: --data fashion-mnist, a folder of images by class, or synth");
  auto spec = given;
  if (const auto found = with_framework(given))
    spec = *found;
  else  // a script for another machine needs none here; prepare() does
    spec.framework = framework::Framework::pytorch;
  NEPH_CHECK(check_framework(spec));
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
  std::map<std::string, Status> tried;
  std::map<std::string, Result<launch::Files>> ready;  // by what is prepared
  const auto of = [&](const Json& json) -> Result<launch::Files> {
    NEPH_TRY(const auto spec, parse(json));
    return prepare_cell(spec, tried);
  };
  PreparedCells all;
  for (const auto& json : specs) {
    const auto [known, is_new] = ready.try_emplace(prepared_part(json));
    if (is_new) known->second = of(json);
    all.push_back(known->second);
  }
  return all;
}

Status check_cores(const Json& json) {
  NEPH_TRY(const auto spec, from_json<TrainSpec>(json, ""));
  return command::check_threads(spec.threads);
}

std::vector<Result<std::optional<launch::Container>>> containers(std::span<const Json> specs) {
  std::vector<Result<std::optional<launch::Container>>> all;
  for (const auto& json : specs) all.push_back(container(json));
  return all;
}

Result<RunResult> run(const Json& json, const Context& context) {
  NEPH_CHECK(check(json));
  NEPH_TRY(const auto spec, parse(json));
  return run_framework(spec, context);
}

std::string command(const Json& spec) { return command_line<TrainSpec>("train", "model", spec); }

Json trial(const Json& json) {
  Json small = json;
  small["steps"] = steps_of_a_trial;
  small["save"] = "";
  return small;
}

double whole_run_s(const Json& json, const Run& trial) {
  const auto spec = from_json<TrainSpec>(json, "");
  std::map<std::string, double> figures;
  for (const auto& figure : trial.result.figures) figures[figure.name] = figure.estimate.value;
  if (!spec || !figures.contains(std::string(metric::training_s.name))) return trial.wall_s;
  const double learning_s = length_s(trial, phase::first_step) + length_s(trial, phase::learn);
  const double training_s = figures[std::string(metric::training_s.name)];
  const double around_s = trial.wall_s - learning_s - length_s(trial, phase::verify);
  if (spec->steps == 0) return around_s + training_s;
  const double step_s = figures[std::string(metric::step_s.name)];
  return around_s + std::min(training_s, static_cast<double>(warmup_steps + spec->steps) * step_s);
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
  NEPH_TRY(const auto spec, train::parse(fields));
  NEPH_TRY(auto training, prepare_framework(spec));
  auto& settings = training.settings;
  if (!has_data) settings.data = "data.npz";
  const auto name = std::filesystem::path(spec.model).stem().string();
  settings.save = !spec.save.empty() ? spec.save : name + std::string(checkpoint_ending(spec.framework));
  return framework::script(training.model, settings);
}

}  // namespace neph::workload
