// The page: the answer first, then the charts, then everything needed to check and repeat it.
#include <fmt/format.h>

#include "core/units.hpp"
#include "record/machine.hpp"
#include "report/findings.hpp"
#include "report/machines.hpp"
#include "report/page/frame.hpp"
#include "report/page/sections.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/title.hpp"

namespace neph::report {
namespace {

/// The recommended or fastest setting in four numbers.
std::string tiles(const Document& document) {
  const auto* answer = answer_setting(document);
  if (!answer) return {};
  const auto& best = *answer;
  const auto speed = images_per_s(best);
  std::string out = tile("Images per second", format_number(speed.value),
                         speed.low && speed.high
                             ? fmt::format("{} to {}", format_number(*speed.low), format_number(*speed.high))
                             : "no interval");
  const auto* p50 = find_shown(best.latency_ms, statistic::p50);
  const auto* p99 = find_shown(best.latency_ms, statistic::p99);
  if (p50)
    out += tile("Time per batch", format_number(p50->value) + " ms",
                p99 ? fmt::format("p99 {} ms", format_number(p99->value)) : "median");
  if (const auto cores = busy_cores(best, target::application)) {
    const auto usable = usable_cores(fingerprint_of(document, best));
    out += tile("Cores kept busy", format_number(*cores), usable ? "of " + format_number(*usable) : "");
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
      "<pre><code>{}</code></pre>\n<p>{} repeats of each configuration, in an order shuffled with seed "
      "{}.</p>\n",
      escape_html(experiment.command), experiment.repeat, experiment.seed);
}

/// In the words of requests.
constexpr std::string_view load_reading_html = R"(<dl class="reading">
<dt>Interval</dt><dd>The range in brackets or after ± is a 95 % confidence interval (CI): if the whole experiment were repeated many
times on this machine in this state, 95 of 100 such ranges would hold the true value. Without a range there were too few
runs or requests to give one.</dd>
<dt>n</dt><dd>The number of runs, or of requests for a response time, behind a figure.</dd>
<dt>Offered</dt><dd>Requests of the schedule per second, as they fell: with random arrivals more or fewer than the rate asked
for.</dd>
<dt>Response time</dt><dd>From the moment at which a request was due to the last byte of its reply. p50, p99: half of all answered
requests, or 99 of 100, took no longer.</dd>
<dt>SLO</dt><dd>So many of a hundred requests are answered within the limit. Met: the share of late ones was shown to be below
what that allows; violated: above; inconclusive: neither was shown, which says nothing against the server.</dd>
<dt>Mean, maximum, minimum</dt><dd>Over the measurement: the mean of the runs’ means, the largest reading and the smallest
reading of any run.</dd>
<dt>Verdict</dt><dd>Valid: nothing but hints speaks against the numbers. Doubtful: a warning says why they may not repeat. Invalid:
they must not be used, and say nothing about the server.</dd>
</dl>
)";

constexpr std::string_view reading_html = R"(<dl class="reading">
<dt>Interval</dt><dd>The range in brackets or after ± is a 95 % confidence interval (CI): if the whole experiment were repeated many
times on this machine in this state, 95 of 100 such ranges would hold the true value. Speed and phases vary over the
repeats, each in a process of its own; the time per batch varies over the batches of all repeats. Without a range there
were too few runs or samples to give one; of a percentile the figure is then left out too.</dd>
<dt>n</dt><dd>The number of runs, or of samples for the time per batch, behind a figure.</dd>
<dt>p50, p99</dt><dd>Half of all batches, or 99 of 100, were done within this time. Time counts from handing a
batch to the engine to its scores; with several inferences in flight the wait inside the engine is in it. Behind a
server it is the response time: from the moment a request begins to be made to the end of its reply. Under a load it
counts from the moment at which the request was due.</dd>
<dt>Cores</dt><dd>Processor time per time: 1.0 is one core kept busy all the while.</dd>
<dt>Application, client, server</dt><dd>The application is the program that measures and, behind a server, that server
with it; client and server are each alone. Its peak memory is the sum of their peaks.</dd>
<dt>Thread time</dt><dd>Elapsed time of threads per picture. Read, decode and preprocess are summed over the loader
threads; infer is the time with at least one inference in flight, behind a server what that says of it. Stages overlap, and a thread that waits for a disk or a
core is busy too, so they need not add up to the time between two pictures; the processor time of each role tells work
from waiting.</dd>
<dt>Mean, maximum, minimum</dt><dd>Over the measurement: the mean of the runs’ means, the largest reading and the smallest
reading of any run.</dd>
<dt>Verdict</dt><dd>Valid: nothing but hints speaks against the numbers. Doubtful: a warning says why they may not repeat. Invalid:
they must not be used.</dd>
</dl>
)";

}  // namespace

std::string html(const Document& document) {
  Page page(title(document), meta_line(document), answer_html(findings(document), tiles(document)));
  const bool load = is_load(document);
  for (const auto& chart : charts())
    page.add_chart(chart.id, load && !chart.load_title.empty() ? chart.load_title : chart.title,
                   load && !chart.load_reading.empty() ? chart.load_reading : chart.reading,
                   chart.draw(document));
  page.add_section("search", "The search, rate by rate", probes_html(document));
  page.add_section("figures", "All figures", figures_tables(document));
  page.add_section("warnings", "Verdicts and warnings", warnings_html(document));
  page.add_section("details", "Each configuration in full", setting_details(document));
  page.add_section("machine", document.machines.size() > 1 ? "The machines" : "The machine",
                   machine_html(document));
  page.add_section("assumptions", "What all configurations share", assumptions_html(document));
  page.add_section("repeat", "Repeat it", repeat_html(document));
  page.add_section("reading", "How to read this page", std::string(load ? load_reading_html : reading_html));
  return page.html();
}

}  // namespace neph::report
