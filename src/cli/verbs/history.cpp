#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/compare_source.hpp"
#include "cli/output_file.hpp"
#include "cli/store_option.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "compare/compare.hpp"
#include "os/file.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

struct HistoryCommand {
  std::string metric = "speed";
  std::string store{default_store};
  std::string html;
  bool json = false;
};
template <class Visit, Describes<HistoryCommand> Self>
void describe(Visit&& v, Self& s) {
  v("metric", s.metric, "speed, p50, p95, p99, memory, cpu, cost, or a metric's name");
  v("store", s.store, store_help);
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

Result<std::vector<compare::PastExperiment>> experiments_of(const std::string& path) {
  NEPH_TRY(const auto store, store::Store::open(path, store::Access::read));
  NEPH_TRY(const auto experiments, store.experiments());
  ProgressLine line;
  const auto progress = progress_on(line, "experiment");
  std::vector<compare::PastExperiment> past;
  for (const auto& each : experiments) {
    NEPH_TRY(auto source, source_of(store, path, each.id));
    past.push_back({each.id, each.created, each.version, std::move(source)});
    progress(std::ssize(past), std::ssize(experiments));
  }
  return past;
}

Status show_history(const HistoryCommand& options) {
  if (!options.html.empty()) NEPH_CHECK(check_output_file("--html", options.html, {options.store}));
  NEPH_TRY(const auto experiments, experiments_of(options.store));
  NEPH_TRY(auto history, compare::history_of(experiments, options.metric));
  history.store = options.store;
  fmt::print("{}", options.json ? dump_json(to_json(history), true) + "\n"
                                : report::text_summary(
                                      history, {.width = terminal_width(), .colour = wants_colour()}));
  if (!options.html.empty()) NEPH_CHECK(write_file(options.html, report::html(history)));
  return {};
}

}  // namespace

void declare_history(Command& command) {
  auto options = std::make_shared<HistoryCommand>();
  command.fields(*options, "metric");
  command.flag("json", options->json, "as JSON on stdout");
  command.footer(
      "Examples:\n"
      "  neph history                        # of neph.db\n"
      "  neph history p99 --store ci.db --html history.html\n"
      "A line is one configuration on one machine: all experiments that asked the same. Changes are\n"
      "looked for in the means of its experiments (E-divisive, permutation test, 5 % for each line), from "
      "six on.");
  command.action([options] { return show_history(*options); });
}

}  // namespace neph::cli
