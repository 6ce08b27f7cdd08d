#include <filesystem>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/outline.hpp"
#include "cli/results.hpp"
#include "cli/store_option.hpp"
#include "cli/verbs.hpp"
#include "cli/watch.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "record/cells.hpp"

namespace neph::cli {
namespace {

struct RunsOptions {
  std::int64_t experiment = 0;
  std::string store{default_store};
  bool json = false;
};

template <class Visit, Describes<RunsOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment whose runs are listed; 0: experiments",
    at_least(0));
  v("store", s.store, store_help);
}

struct ShowOptions {
  std::int64_t experiment = 0;
  std::int64_t run = 0;
  std::string store{default_store};
  bool json = false;
};

template <class Visit, Describes<ShowOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment (neph runs); 0: the newest", at_least(0));
  v("run", s.run, "number of one run (neph runs EXPERIMENT); 0: all configurations", at_least(0));
  v("store", s.store, store_help);
}

std::string factors_text(const Experiment& experiment) {
  std::string text;
  for (const auto& factor : experiment.factors) {
    text += (text.empty() ? "" : ", ") + factor.name + " x" + std::to_string(factor.values.size());
  }
  return text.empty() ? "-" : text;
}

Status list_experiments(const store::Store& store, bool json) {
  NEPH_TRY(const auto experiments, store.experiments());
  if (json) {
    fmt::print("{}\n", dump_json(to_json(experiments), true));
    return {};
  }
  TextTable table({"experiment", "created", "workload", "model", "factors", "runs ended"});
  for (const auto& experiment : experiments) {
    NEPH_TRY(const auto cells, expand(experiment));
    NEPH_TRY(const auto finished, store.finished(experiment.id));
    const std::filesystem::path model = value_as_text(experiment.spec.value("model", Json("-")));
    table.add({std::to_string(experiment.id), experiment.created, experiment.workload,
               model.filename().string(), factors_text(experiment),
               fmt::format("{} of {}", finished.size(),
                           static_cast<std::int64_t>(cells.size()) * experiment.repeat)});
  }
  fmt::print("{}", table.empty() ? "no experiments yet; neph infer makes one\n" : table.text());
  return {};
}

Status list_runs(const store::Store& store, std::int64_t id, bool json) {
  NEPH_TRY(const auto experiment, store.experiment(id));
  NEPH_TRY(const auto runs, store.runs(id, store::Detail::summary));
  if (json) {
    fmt::print("{}\n", dump_json(to_json(runs), true));
    return {};
  }
  NEPH_TRY(const auto cells, expand(experiment));
  TextTable table({"run", "started", "configuration", "repeat", "took", "outcome"});
  for (const auto& run : runs) {
    const auto cell = static_cast<std::size_t>(run.cell);
    if (cell >= cells.size())
      return fail(ErrorCode::corrupt, "{}: run {} is of configuration {}, and experiment {} has {}",
                  store.path().string(), run.id, run.cell, id, cells.size());
    table.add({std::to_string(run.id), run.started, cells[cell].label, std::to_string(run.repeat + 1),
               format_seconds(run.wall_s), outcome_of(run)});
  }
  fmt::print("{}", table.text());
  return {};
}

/// A run without what only charts want, counted from 1 as everywhere that people read.
Json readable(Run run) {
  ++run.repeat;
  ++run.position;
  run.result.series.clear();
  run.result.samples.clear();
  run.result.outputs.clear();
  return to_json(run);
}

/// Their numbers and names, as --cell takes them.
void print_cells(const report::Document& document) {
  TextTable table({"cell", "configuration"}, {TextTable::Side::right, TextTable::Side::left});
  for (const auto& cell : document.cells) table.add({std::to_string(cell.cell.index), cell.cell.label});
  fmt::print("\n{}", table.text());
}

Status show(const ShowOptions& options) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  if (options.run != 0) {
    NEPH_TRY(const auto run, store.run(options.run));
    if (options.experiment != 0 && run.experiment_id != options.experiment)
      return fail(ErrorCode::not_found, "run {} belongs to experiment {}, not {}", run.id, run.experiment_id,
                  options.experiment);
    if (options.json)
      fmt::print("{}\n", dump_json(to_json(run), true));
    else
      fmt::print("{}", outline(readable(run)));
    return {};
  }
  NEPH_TRY(const auto document, load_document(store, options.experiment, store::Detail::full));
  if (options.json) {
    fmt::print("{}\n", dump_json(report::json(document), true));
  } else {
    print_summary(document);
    if (!document.experiment.factors.empty()) print_cells(document);
  }
  return {};
}

}  // namespace

void declare_runs(Command& command) {
  auto options = std::make_shared<RunsOptions>();
  command.fields(*options, "experiment");
  command.flag("json", options->json, "as JSON on stdout");
  command.action([options]() -> Status {
    NEPH_TRY(const auto store, store::Store::open(options->store, store::Access::read));
    return options->experiment == 0 ? list_experiments(store, options->json)
                                    : list_runs(store, options->experiment, options->json);
  });
}

void declare_show(Command& command) {
  auto options = std::make_shared<ShowOptions>();
  command.fields(*options, "experiment");
  command.flag("json", options->json, "as JSON on stdout");
  command.action([options] { return show(*options); });
}

}  // namespace neph::cli
