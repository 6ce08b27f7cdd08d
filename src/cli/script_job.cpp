#include "cli/script_job.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/plan.hpp"
#include "cli/version.hpp"
#include "core/values.hpp"
#include "engine/engine.hpp"
#include "net/net.hpp"
#include "os/file.hpp"
#include "record/cells.hpp"
#include "store/store.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

namespace fs = std::filesystem;

void add(std::vector<std::string>& list, const std::string& one) {
  if (!one.empty() && std::ranges::find(list, one) == list.end()) list.push_back(one);
}

bool is_network(const std::string& model) { return std::ranges::count(net::known_names(), model) > 0; }

void add_model(script::Job& job, const std::string& model) {
  if (!is_network(model)) add(job.files, model);
}

void add_needs(script::Job& job, const workload::InferSpec& spec) {
  add_model(job, spec.model);
  add(job.files, spec.images);
  add(job.files, spec.inputs);
  add(job.engines, spec.runtime.engine);
  job.has_containers |= spec.server_in == workload::In::docker;
  job.needs_gpu |= engine::is_cuda(spec.runtime.device);
}

void add_needs(script::Job& job, const workload::TrainSpec& spec) {
  constexpr std::string_view debian_has = "fashion-mnist";  // as dataset-fashion-mnist
  add_model(job, spec.model);
  if (spec.data == debian_has)
    add(job.datasets, spec.data);
  else if (spec.data != "synth")
    add(job.files, spec.data);
  add(job.engines, spec.engine);
  job.has_containers |= spec.in == workload::In::docker;
  job.needs_gpu |= engine::is_cuda(spec.device);
}

template <class Spec>
Status add_needs_of(script::Job& job, const std::vector<Cell>& cells) {
  for (const auto& cell : cells) {
    NEPH_TRY(const auto spec, from_json<Spec>(cell.spec, job.experiment.workload));
    add_needs(job, spec);
  }
  return {};
}

/// What else runs is the user's: a command, a server elsewhere.
Status set_needs(script::Job& job) {
  NEPH_TRY(const auto cells, expand(job.experiment));
  if (job.experiment.workload == "infer") NEPH_CHECK(add_needs_of<workload::InferSpec>(job, cells));
  if (job.experiment.workload == "train") NEPH_CHECK(add_needs_of<workload::TrainSpec>(job, cells));
  job.has_containers |= job.options.contains("on");
  return {};
}

/// "train mnist-cnn": what varies has no name of its own.
std::string subject_of(const Experiment& experiment) {
  const auto workload = workload::find_workload(experiment.workload);
  const auto subject =
      workload ? experiment.spec.value(std::string((*workload)->positional), Json("")) : Json("");
  return subject.is_string() && !subject.get<std::string>().empty()
             ? fmt::format("{} {}", experiment.workload, subject.get<std::string>())
             : experiment.workload;
}

Result<script::Job> of_store(std::int64_t id, const std::string& path) {
  NEPH_TRY(const auto store, store::Store::open(path, store::Access::read));
  script::Job job{.name = std::to_string(id), .version = version};
  NEPH_TRY(job.experiment, store.experiment(id));
  job.title = fmt::format("{}, experiment {} of {}", subject_of(job.experiment), id, path);
  // Options that no column of the store has stand in the command that repeats it.
  const auto words = shell_words(job.experiment.command);
  for (const auto& [option, key] : {std::pair{"--on", "on"}, std::pair{"--timeout-s", "timeout_s"}}) {
    const auto found = std::ranges::find(words, option);
    const auto behind = std::ranges::find(words, "--");
    if (found >= behind || found + 1 == words.end()) continue;
    job.options[key] =
        std::string_view(key) == "on" ? Json(*(found + 1)) : value_as_json<double>(*(found + 1));
  }
  return job;
}

/// Letters, digits and dashes of a file's name.
std::string short_name(const fs::path& file) {
  std::string name = file.stem().string().substr(0, 40);
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return name.empty() ? "experiment" : name;
}

Result<script::Job> of_file(const std::string& path) {
  NEPH_TRY(const auto text, read_file(path));
  NEPH_TRY(const auto plan, read_plan(text, path));
  script::Job job{.experiment = plan.experiment, .name = short_name(path), .version = version};
  job.title = fmt::format("{} of {}", subject_of(job.experiment), path);
  if (plan.options.seed == 0) job.experiment.seed = 0;  // one is chosen there: the same file, the same script
  NEPH_TRY(const auto* workload, workload::find_workload(plan.experiment.workload));
  if (plan.options.timeout_s != workload->timeout_s) job.options["timeout_s"] = plan.options.timeout_s;
  if (plan.options.on != PlanOptions{}.on) job.options["on"] = plan.options.on;
  return job;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 18 && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Result<script::Job> script_job(const std::string& experiment, const std::string& store) {
  auto job = is_number(experiment) ? of_store(std::stoll(experiment), store) : of_file(experiment);
  if (job) NEPH_CHECK(set_needs(*job));
  return job;
}

}  // namespace neph::cli
