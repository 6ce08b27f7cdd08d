// The page: the answer first, then the charts, then everything needed to check and repeat it.
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/charts/chart.hpp"
#include "report/findings.hpp"
#include "report/page/assets.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/title.hpp"

namespace neph::report {
namespace {

/// JSON that may stand inside <script>: no "<" is left that could begin a tag or a comment.
std::string script_json(const Json& json) {
  std::string out;
  for (const char c : dump_json(json)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string panel_html(const Panel& panel) {
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n<div class=\"chart\"></div>\n<p class=\"described\">{}</p>\n"
      "<script type=\"application/json\">{}</script>\n</figure>\n",
      escape_html(panel.caption), escape_html(panel.description), script_json(panel.spec));
}

std::string choice_html(const Chart& chart, const Drawing& drawing) {
  if (drawing.choices.size() < 2) return {};
  auto out = fmt::format(
      "<p class=\"choice\"><label for=\"{0}-cell\">Setting</label> <select id=\"{0}-cell\">", chart.id);
  for (const auto& [index, label] : drawing.choices)
    out += fmt::format("<option value=\"{}\">{}</option>", index, escape_html(label));
  return out + "</select></p>\n";
}

std::string chart_html(const Chart& chart, const Drawing& drawing) {
  auto content = fmt::format("<p>{}</p>\n", escape_html(chart.reading)) + choice_html(chart, drawing);
  content += drawing.panels.size() > 1 ? "<div class=\"panels\">\n" : "<div>\n";
  for (const auto& panel : drawing.panels) content += panel_html(panel);
  content += "</div>\n";
  if (!drawing.note.empty()) content += fmt::format("<p class=\"note\">{}</p>\n", escape_html(drawing.note));
  return section(chart.id, chart.title, content);
}

std::string tile(std::string_view name, const std::string& value, const std::string& more) {
  return fmt::format("<div><dt>{}</dt><dd><b>{}</b> {}</dd></div>\n", name, value, more);
}

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
  const auto* p50 = find_estimate(best.latency_ms, "p50");
  const auto* p99 = find_estimate(best.latency_ms, "p99");
  if (p50 && std::isfinite(p50->value))
    out += tile(
        "Time per batch", format_number(p50->value) + " ms",
        p99 && std::isfinite(p99->value) ? fmt::format("p99 {} ms", format_number(p99->value)) : "median");
  if (const auto cores = busy_cores(best, application)) {
    const auto usable = usable_cores(document.experiment.machine);
    out += tile("Cores kept busy", format_number(*cores), usable ? "of " + format_number(*usable) : "");
  }
  if (const auto bytes = peak_memory_bytes(best)) out += tile("Peak memory", format_bytes(*bytes), "");
  return "<dl class=\"tiles\">\n" + out + "</dl>\n";
}

std::string answer(const Document& document) {
  std::string out = "<section id=\"answer\" aria-label=\"The answer\">\n";
  const auto sentences = findings(document);
  out += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(sentences[0])) + tiles(document);
  for (std::size_t i = 1; i < sentences.size(); ++i)
    out += fmt::format("<p>{}</p>\n", escape_html(sentences[i]));
  return out + "</section>\n";
}

std::string meta_line(const Document& document) {
  const auto& experiment = document.experiment;
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : " · ") + escape_html(text);
  };
  if (experiment.id) add(fmt::format("experiment {}", experiment.id));
  add(experiment.created);
  const auto& machine = experiment.machine;
  if (machine.is_object() && machine.contains("processor") && machine["processor"].is_object())
    if (const auto model = machine["processor"].value("model", Json()); model.is_string())
      add(model.get<std::string>());
  if (!experiment.version.empty()) add("neph " + experiment.version);
  return out.empty() ? "" : "<p class=\"meta\">" + out + "</p>\n";
}

std::string repeat_html(const Document& document) {
  const auto& experiment = document.experiment;
  if (experiment.command.empty()) return {};
  return fmt::format(
      "<pre><code>{}</code></pre>\n<p>{} repeats of each setting, in an order shuffled with seed {}.</p>\n",
      escape_html(experiment.command), experiment.repeat, experiment.seed);
}

constexpr std::string_view reading_html = R"(<dl class="reading">
<dt>Interval</dt><dd>The range in brackets or after ± is a 95 % interval: if the whole experiment were repeated many
times on this machine in this state, 95 of 100 such ranges would hold the true value. Speed and phases vary over the
repeats, each in a process of its own; the time per batch varies over the batches of all repeats. Without a range there
were too few runs or samples to give one.</dd>
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
  const auto name = escape_html(title(document));
  std::vector<std::pair<std::string, std::string>> parts;  // anchor and title, for the contents
  std::string body;
  const auto add = [&](std::string_view id, std::string_view heading, const std::string& html_text) {
    if (html_text.empty()) return;
    body += html_text;
    parts.emplace_back(id, heading);
  };
  for (const auto& chart : charts())
    if (const auto drawing = chart.draw(document); !drawing.panels.empty())
      add(chart.id, chart.title, chart_html(chart, drawing));
  const auto add_section = [&](std::string_view id, std::string_view heading, const std::string& content) {
    add(id, heading, section(id, heading, content));
  };
  add_section("figures", "All figures", figures_tables(document));
  add_section("warnings", "Verdicts and warnings", warnings_html(document));
  add_section("details", "Each setting in full", setting_details(document));
  add_section("machine", "The machine", machine_html(document));
  add_section("assumptions", "What all settings share", assumptions_html(document));
  add_section("repeat", "Repeat it", repeat_html(document));
  add_section("reading", "How to read this page", std::string(reading_html));

  std::string contents;
  for (const auto& [id, heading] : parts)
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escape_html(heading));
  auto page = fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<title>{}</title>
<style>
)",
                          name);
  page.append(page_style());
  page += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n{}</header>\n<main>\n{}", name,
                      meta_line(document), answer(document));
  page +=
      "<noscript><p class=\"note\">The charts need JavaScript; every figure also stands in the "
      "tables.</p></noscript>\n";
  page += "<nav aria-label=\"Contents\"><ul>\n" + contents + "</ul></nav>\n" + body + "</main>\n";
  page +=
      "<footer>\n<p>Made by Nephoscope (neph). This file is complete: it loads nothing from anywhere.</p>\n";
  page += "<details><summary>Licences of the charts’ library</summary><pre>";
  page.append(charts_licence());
  page += "</pre></details>\n</footer>\n<script>\n";
  page.append(charts_library());
  page += "</script>\n<script>\n";
  page.append(page_script());
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace neph::report
