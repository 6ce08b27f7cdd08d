#include "cli/script_job.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/plan.hpp"
#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
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
  using framework::Framework;
  add(job.engines,
      std::string(enum_name(spec.framework == Framework::automatic ? Framework::pytorch : spec.framework)));
  add(job.saved, spec.save);
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

/// The system has these there too, or nobody can bring them.
bool is_of_the_system(const fs::path& path) {
  constexpr std::array folders{"/usr/", "/bin/",  "/sbin/", "/lib", "/etc/",
                               "/dev/", "/proc/", "/sys/",  "/opt/"};
  const auto text = path.lexically_normal().string();
  return text.empty() || text == "." || text == "/" || text.starts_with("..") ||
         std::ranges::any_of(folders, [&](const char* folder) { return text.starts_with(folder); });
}

/// "toy2.py" of "python3 toy2.py --data=set.npz", and set.npz, where they are files here.
void add_mentioned(script::Job& job, const Json& spec) {
  auto words = shell_words(value_as_text(spec.value("command", Json(""))));
  words.push_back(value_as_text(spec.value("folder", Json(""))));
  for (const auto& word : words)
    for (const auto& name : {word, word.substr(word.find('=') + 1)}) {
      std::error_code error;
      if (!is_of_the_system(name) && fs::exists(name, error)) add(job.mentioned, name);
    }
}

/// What else runs is the user's: a command, a server elsewhere.
Status set_needs(script::Job& job) {
  NEPH_TRY(const auto cells, expand(job.experiment));
  if (job.experiment.workload == "infer") NEPH_CHECK(add_needs_of<workload::InferSpec>(job, cells));
  if (job.experiment.workload == "train") NEPH_CHECK(add_needs_of<workload::TrainSpec>(job, cells));
  if (job.experiment.workload == "command")
    for (const auto& cell : cells) add_mentioned(job, cell.spec);
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

Result<script::Job> of_file(const std::string& path) {
  NEPH_TRY(const auto text, read_file(path));
  NEPH_TRY(const auto plan, read_plan(text, path));
  script::Job job{.experiment = plan.experiment,
                  .name = fs::path(path).stem().string().substr(0, 40),
                  .version = version};
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

/// By its number or its name, as neph show has them.
Result<Cell> cell_of(const Experiment& experiment, const std::string& wanted) {
  NEPH_TRY(auto cells, expand(experiment));
  std::vector<std::string> names;
  for (auto& cell : cells) {
    if (wanted == (is_number(wanted) ? std::to_string(cell.index) : cell.label)) return std::move(cell);
    names.push_back(is_number(wanted) ? std::to_string(cell.index) : cell.label);
  }
  return unknown_name(ErrorCode::not_found, "configuration", wanted, names, "--cell");
}

Status keep_cell(script::Job& job, const std::string& wanted) {
  auto& experiment = job.experiment;
  NEPH_TRY(const auto cell, cell_of(experiment, wanted));
  experiment.spec = cell.spec;  // without what means nothing in it
  if (!experiment.factors.empty()) job.title += ", " + cell.label;
  experiment.factors.clear();
  experiment.idle.clear();
  return {};
}

/// To its end, once, with the trained network among the results.
Status make_whole(script::Job& job) {
  auto& experiment = job.experiment;
  const bool is_command = experiment.workload == "command";
  if (experiment.workload != "train" && !is_command)
    return fail(ErrorCode::invalid_argument, "--whole: only a training has an end, and {} is none",
                job.title);
  if (!experiment.factors.empty()) {
    NEPH_TRY(const auto cells, expand(experiment));
    return fail(ErrorCode::invalid_argument,
                "--whole: which of its {} configurations? --cell {} is {}; neph show lists their numbers",
                cells.size(), cells.front().index, cells.front().label);
  }
  experiment.repeat = 1;
  job.title += ", to the end";
  job.options.erase("timeout_s");  // that was of a measurement; the machine has a limit of its own
  if (is_command) return {};
  experiment.spec["steps"] = 0;
  if (auto& save = experiment.spec["save"]; !save.is_string() || save.get<std::string>().empty())
    save = experiment.spec.value("framework", "").starts_with("keras") ? "trained.keras" : "trained.pt";
  return {};
}

/// Seconds of all its runs, as those that are stored tell; 0: they do not.
double seconds_of_runs(const report::Document& document) {
  double total_s = 0;
  for (const auto& cell : document.cells) {
    const auto run_s = run_s_of(document, cell.cell.index);
    if (!run_s) return 0;
    total_s += *run_s * static_cast<double>(document.experiment.repeat);
  }
  return total_s;
}

/// How long what is done there took here, or would have taken.
Result<double> seconds_here(std::int64_t id, const std::string& path, const ScriptedPart& part) {
  NEPH_TRY(const auto store, store::Store::open(path, store::Access::read));
  NEPH_TRY(auto document, load_document(store, id, store::Detail::summary));
  if (!part.cell.empty()) {
    NEPH_TRY(const auto wanted, cell_of(document.experiment, part.cell));
    std::erase_if(document.cells, [&](const CellSummary& cell) { return cell.cell.index != wanted.index; });
  }
  if (!part.whole) return seconds_of_runs(document);
  double total_s = 0;
  for (const auto& cell : document.cells) {
    const auto work = price::work_of(cell);
    if (!work) return 0;
    for (const auto& stage : work->stages) total_s += stage.seconds.value;
  }
  return total_s;
}

/// What is not brought by --data, and how it gets there.
Status tell_files(const script::Job& job, const script::Wishes& wishes) {
  NEPH_TRY(const auto brought, script::brought(job, wishes));
  const auto tell = [&](const std::vector<std::string>& files, std::string_view says) {
    for (const auto& file : files)
      if (std::ranges::find(brought, file) == brought.end())
        talk("{} {}: put it beside the script, or say --data {}=ADDRESS\n", says, file, shell_quoted(file));
  };
  tell(job.files, "the experiment reads");
  tell(job.mentioned, "not in the script, though the command names it:");
  return {};
}

void tell_release(const price::Offer& offer, const script::Wishes& wishes, const script::Release& release) {
  const bool is_rented = release.ends != "nothing";
  talk("{}; this needs {}\n", release.title, release.needs);
  if (is_rented && wishes.budget.empty() && wishes.max_time.value == 0)
    talk("no limit was given: it is released after a day (--budget and --max-time say otherwise)\n");
  const auto results = script::parse_place("--results", wishes.results);
  if (is_rented && results && results->kind == script::Kind::path)
    talk("CAREFUL: results go to {}, a folder of this {} machine, and may go with it\n", wishes.results,
         offer.provider);
}

/// How long the work takes, with what is assumed around it, beside what is paid at the most.
void tell_time(const script::Job& job, const script::Longest& longest) {
  if (job.takes_s <= 0) return;
  double around_s = 0;
  for (const auto& stretch : price::usual_assumptions())
    if (price::is_marked_from_inside(stretch.stage))
      around_s += std::chrono::duration<double>(stretch.length).count();
  const double takes_s = job.takes_s + around_s;
  const auto takes =
      fmt::format("it takes about {} where it is as fast as here, with boot and installation (assumed {})",
                  format_seconds(takes_s), format_seconds(around_s));
  if (longest.seconds == 0) return talk("{}\n", takes);
  const auto limit = format_seconds(static_cast<double>(longest.seconds));
  talk("{}; the machine is released after {} at the latest\n", takes, limit);
  const auto work_s = [](std::int64_t whole_s) {
    return static_cast<double>(whole_s - script::kept_for_the_end_s(whole_s));
  };
  if (takes_s <= work_s(longest.sure_s)) return;
  talk(
      "CAREFUL: that {} be enough: work ends {} before the limit{}. Give a larger --budget or --max-time, or "
      "do less\n",
      takes_s > work_s(longest.seconds) ? "cannot" : "may not",
      format_seconds(static_cast<double>(script::kept_for_the_end_s(longest.seconds))),
      longest.sure_s < longest.seconds ? ", and the first step of the clock may be nearly over" : "");
}

}  // namespace

Result<script::Job> script_job(const std::string& experiment, const std::string& store,
                               const ScriptedPart& part) {
  const bool is_stored = is_number(experiment);
  NEPH_TRY(auto job, is_stored ? of_store(std::stoll(experiment), store) : of_file(experiment));
  if (!part.cell.empty()) NEPH_CHECK(keep_cell(job, part.cell));
  if (part.whole) NEPH_CHECK(make_whole(job));
  NEPH_CHECK(set_needs(job));
  if (is_stored) {
    NEPH_TRY(job.takes_s, seconds_here(std::stoll(experiment), store, part));
  }
  return job;
}

Status tell_needs(const script::Job& job, const price::Offer& offer, const script::Wishes& wishes,
                  const std::vector<price::Rule>& rules) {
  if (wishes.install != script::Install::image && wishes.bundle.empty())
    talk("put neph-{}-x86_64.tar.gz beside the script (./dev bundle makes it), or say --bundle ADDRESS\n",
         job.version);
  NEPH_CHECK(tell_files(job, wishes));
  NEPH_TRY(const auto release, script::release_of(offer, wishes));
  tell_release(offer, wishes, release);
  NEPH_TRY(const auto longest, script::longest(job, offer, wishes, rules));
  tell_time(job, longest);
  return {};
}

}  // namespace neph::cli
