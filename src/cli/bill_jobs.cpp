#include "cli/bill_jobs.hpp"

#include <algorithm>
#include <charconv>

#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

/// An option may be given several times, or with commas between.
Result<std::vector<price::Stretch>> stages_given(const std::vector<std::string>& texts,
                                                 std::string_view option) {
  std::vector<price::Stretch> stretches;
  for (const auto& given : texts) {
    NEPH_TRY(const auto parts, expand_values(given));
    for (const auto& part : parts) {
      NEPH_TRY(const auto stretch, price::parse_stage(part, option));
      stretches.push_back(stretch);
    }
  }
  return stretches;
}

Result<price::Sources> around(const BillOptions& options, bool has_experiment) {
  price::Sources sources;
  NEPH_TRY(sources.given, stages_given(options.phase, "--phase"));
  NEPH_TRY(auto assumed, stages_given(options.assume, "--assume"));
  if (!options.idle.empty()) {
    NEPH_TRY(const auto idle, price::parse_length(options.idle));
    const auto after = std::ranges::find_if(
        sources.given, [](const auto& stretch) { return stretch.stage > BillStage::idle; });
    sources.given.insert(after, {.stage = BillStage::idle, .length = idle, .known = price::Known::given});
  }
  if (!options.marks.empty()) {
    NEPH_TRY(const auto text, read_file(options.marks));
    NEPH_TRY(sources.marks, price::parse_marks(text, options.marks));
    for (auto& stretch : price::assumptions_with(std::move(assumed)))
      if (!price::is_marked_from_inside(stretch.stage)) sources.assumed.push_back(stretch);
  } else if (has_experiment) {
    sources.assumed = price::assumptions_with(std::move(assumed));
  } else {
    for (auto& stretch : assumed) stretch.known = price::Known::assumed;
    sources.assumed = std::move(assumed);
  }
  return options.warm ? price::on_a_warm_machine(std::move(sources)) : sources;
}

/// A configuration by its number or its name.
Result<std::vector<CellSummary>> chosen(std::vector<CellSummary> cells, const std::string& wanted) {
  if (wanted.empty()) return cells;
  std::vector<std::string> names;
  std::int64_t number = -1;
  const auto* const end = wanted.data() + wanted.size();
  const auto read = std::from_chars(wanted.data(), end, number);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  for (auto& cell : cells) {
    if (is_number ? cell.cell.index == number : cell.cell.label == wanted)
      return std::vector{std::move(cell)};
    names.push_back(is_number ? std::to_string(cell.cell.index) : cell.cell.label);
  }
  return unknown_name(ErrorCode::not_found, "configuration", wanted, names, "--cell");
}

struct Measured {
  std::int64_t experiment = 0;
  std::vector<CellSummary> cells;
};

Result<Measured> measured_run(const store::Store& store, const BillOptions& options) {
  NEPH_TRY(const auto run, store.run(options.run));
  if (options.experiment != 0 && run.experiment_id != options.experiment)
    return fail(ErrorCode::not_found, "run {} belongs to experiment {}, not {}", run.id, run.experiment_id,
                options.experiment);
  NEPH_TRY(const auto experiment, store.experiment(run.experiment_id));
  Measured measured{.experiment = run.experiment_id};
  for (auto& cell : experiment::summarise(experiment, {run}))
    if (cell.cell.index == run.cell) measured.cells.push_back(std::move(cell));
  return measured;
}

Result<Measured> measured(const BillOptions& options) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  if (options.run != 0) return measured_run(store, options);
  NEPH_TRY(auto document, load_document(store, options.experiment, store::Detail::summary));
  NEPH_TRY(auto cells, chosen(std::move(document.cells), options.cell));
  return Measured{.experiment = document.experiment.id, .cells = std::move(cells)};
}

BilledJob job_of(const CellSummary& cell, price::Work work, const Measured& measured,
                 const BillOptions& options, const price::Sources& around) {
  BilledJob job{.name = cell.cell.label, .hire = {.work = std::move(work), .around = around}};
  job.hire.jobs = options.jobs;
  job.about = {
      {"experiment", measured.experiment}, {"cell", cell.cell.index}, {"configuration", cell.cell.label}};
  job.about[options.run != 0 ? "run" : "runs"] = options.run != 0 ? options.run : cell.runs_ok;
  job.heading =
      fmt::format("experiment {}, {} ({})", measured.experiment, cell.cell.label,
                  options.run != 0 ? fmt::format("run {}", options.run) : counted(cell.runs_ok, "run"));
  return job;
}

Result<std::vector<BilledJob>> jobs_of_experiment(const BillOptions& options) {
  NEPH_TRY(const auto found, measured(options));
  NEPH_TRY(const auto sources, around(options, true));
  std::vector<BilledJob> jobs;
  std::optional<Error> last;
  for (const auto& cell : found.cells) {
    auto work = price::work_of(cell);
    if (work)
      jobs.push_back(job_of(cell, std::move(*work), found, options, sources));
    else
      talk("left out: {}\n", (last = work.error())->text());
  }
  if (jobs.empty())
    return last ? Result<std::vector<BilledJob>>(tl::unexpected(*last))
                : fail(ErrorCode::not_found, "experiment {} has no configuration", found.experiment);
  return jobs;
}

}  // namespace

Result<std::vector<BilledJob>> billed_jobs(const BillOptions& options) {
  if (options.experiment != 0 || options.run != 0) return jobs_of_experiment(options);
  if (!options.cell.empty())
    return fail(ErrorCode::invalid_argument, "--cell {}: of which experiment? neph bill 12 --cell {}",
                options.cell, shell_quoted(options.cell));
  BilledJob job;
  job.hire.jobs = options.jobs;
  NEPH_TRY(job.hire.around, around(options, false));
  if (job.hire.around.given.empty() && job.hire.around.marks.empty())
    return fail(ErrorCode::invalid_argument,
                "what is billed? Name an experiment, as neph bill 12, or give stages: --phase "
                "boot=40s,learn=20min");
  return std::vector{std::move(job)};
}

}  // namespace neph::cli
