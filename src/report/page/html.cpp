// The page: the answer first, then the charts, then everything needed to check and repeat it.
#include <fmt/format.h>

#include "core/units.hpp"
#include "record/machine.hpp"
#include "report/findings.hpp"
#include "report/machines.hpp"
#include "report/page/frame.hpp"
#include "report/page/recordings.hpp"
#include "report/page/sections.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

/// The recommended or fastest configuration in four numbers.
std::string tiles(const Document& document) {
  const auto* answer = answer_configuration(document);
  if (!answer) return {};
  const auto& best = *answer;
  const auto& view = view_of(document);
  const auto speed = speed_of(document, best);
  std::string out = tile(worded("Speed, {rate}", view), format_number(speed.value),
                         speed.low && speed.high
                             ? fmt::format("{} to {}", format_number(*speed.low), format_number(*speed.high))
                             : "no interval");
  const auto* p50 = find_shown(best.latency_ms, statistic::p50);
  const auto* p99 = find_shown(best.latency_ms, statistic::p99);
  if (p50)
    out += tile(worded("Time per {sample}", view), format_number(p50->value) + " ms",
                p99 ? fmt::format("p99 {} ms", format_number(p99->value)) : "median");
  if (const auto cores = busy_cores(best, target::application)) {
    const auto allowed = allowed_cores(document, best);
    out += tile("CPU cores", format_number(*cores), allowed ? "of " + counted_cores(*allowed) : "");
  }
  if (const auto bytes = peak_memory_bytes(best)) out += tile("Peak memory", format_bytes(*bytes), "");
  return out;
}

std::string meta_line(const Document& document) {
  const auto& experiment = document.experiment;
  std::vector<std::string> texts;
  if (experiment.id) texts.push_back(fmt::format("experiment {}", experiment.id));
  texts.push_back(experiment.created);
  const auto& machines = document.machines;
  if (machines.size() > 1) texts.push_back(counted(std::ssize(machines), "machine"));
  if (machines.size() == 1 && !machines.front().processor.empty())
    texts.push_back(machines.front().processor);
  if (!experiment.version.empty()) texts.push_back("neph " + experiment.version);
  return meta_html(texts);
}

std::string repeat_html(const Document& document) {
  const auto& experiment = document.experiment;
  if (experiment.command.empty()) return {};
  return fmt::format(
      "<pre><code>{}</code></pre>\n<p>{} of each configuration, in an order shuffled with seed "
      "{}.</p>\n",
      escape_html(experiment.command), counted(experiment.repeat, "repeat"), experiment.seed);
}

/// Of every workload; what is its own stands between the two.
constexpr std::string_view reading_begin = R"(<dl class="reading">
<dt>Interval</dt><dd>The range in brackets or after ± is a 95 % confidence interval (CI): if the whole experiment were repeated many
times on this machine in this state, 95 of 100 such ranges would hold the true value. Figures and phases vary over the
repeats, each in a process of its own; the {latency} varies over the {samples} of all repeats. Without a range there
were too few runs or {samples} to give one; of a percentile the figure is then left out too.</dd>
<dt>n</dt><dd>The number of runs, or of {samples} for a {latency}, behind a figure.</dd>
)";
constexpr std::string_view reading_end =
    R"(<dt>Mean, maximum, minimum</dt><dd>Over the measurement: the mean of the runs’ means, the largest reading and the smallest
reading of any run.</dd>
<dt>Verdict</dt><dd>Valid: nothing but notes speaks against the numbers. Doubtful: a warning says why they may not repeat. Invalid:
they must not be used.</dd>
</dl>
)";

}  // namespace

std::string html(const Document& document) { return html(document, {}); }

std::string html(const Document& document, const std::vector<Recording>& recordings) {
  Page page(title(document), meta_line(document), answer_html(findings(document), tiles(document)));
  const auto& view = report_view(document);
  for (const auto* chart : view.charts)
    page.add_chart(chart->id, worded(chart->title, view.of), worded(chart->reading, view.of),
                   chart->draw(document));
  add_recordings(page, recordings);
  page.add_section("search", "The search, rate by rate", probes_html(document));
  page.add_section("figures", "All figures", figures_tables(document));
  page.add_section("warnings", "Verdicts and warnings", warnings_html(document));
  page.add_section("details", "Each configuration in full", configuration_details(document));
  page.add_section("machine", document.machines.size() > 1 ? "The machines" : "The machine",
                   machine_html(document));
  page.add_section("assumptions", "What all configurations share", assumptions_html(document));
  page.add_section("repeat", "Repeat it", repeat_html(document));
  page.add_section("reading", "How to read this page",
                   worded(reading_begin, view.of) + std::string(view.reading) + std::string(reading_end));
  return page.html();
}

}  // namespace neph::report
