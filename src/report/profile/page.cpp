// The page of a profile: where the time goes, then why, then every layer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "report/page/frame.hpp"
#include "report/page/sections.hpp"
#include "report/profile/figures.hpp"
#include "report/profile/profile.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::string html_of(const PlainTable& table) { return table_html(table.caption, table.headings, table.rows); }

std::string tiles(const Profile& profile) {
  auto out = tile("Inference", escape_html(estimate_text(scaled(profile.plain_s, 1e3))) + " ms",
                  "without the engine's counters");
  out += tile("Layers", std::to_string(profile.layers.size()),
              escape_html(fmt::format("that {} runs", profile.engine)));
  if (const auto speed = flop_per_s(profile)) {
    out += tile("Network", format_number(*speed / 1e9) + " GFLOP/s", "of an inference");
    if (profile.peak_flop_per_s && profile.precision == "f32")
      out += tile("Of the peak", format_percent(*speed / *profile.peak_flop_per_s),
                  escape_html(fmt::format("{} GFLOP/s, f32", format_number(*profile.peak_flop_per_s / 1e9))));
  }
  if (profile.peak_bytes_per_s)
    out += tile("Memory", format_number(*profile.peak_bytes_per_s / 1e9) + " GB/s", "STREAM's triad");
  return out;
}

std::string list(const std::vector<std::string>& items, std::string_view before) {
  if (items.empty()) return {};
  std::string out = fmt::format("<p>{}</p>\n<ul>\n", before);
  for (const auto& item : items) out += "<li>" + escape_html(item) + "</li>\n";
  return out + "</ul>\n";
}

std::string notes_html(const Profile& profile) {
  return list(profile.notes, "What limits these figures:") +
         list(profile.removed,
              "Layers of the file that are in none of the engine's: computed beforehand, removed, or not "
              "recognised.");
}

constexpr std::string_view reading_html = R"(<dl class="reading">
<dt>Time</dt><dd>By the engine's own counters, without layers inside a layer. The interval is over repeats, each of which
compiles the model anew.</dd>
<dt>GFLOP/s</dt><dd>Two for each multiply-accumulate of convolutions and matrix products, as the model's file has them. An
engine that computes a convolution with fewer (Winograd) may pass the peak.</dd>
<dt>GB/s</dt><dd>What the layer must read and write at least: its weights, its inputs, its outputs, each once. Beyond the
bandwidth of the memory it lay in caches.</dd>
<dt>Fused</dt><dd>Operators of the file that the engine does in the same pass, by the names that it keeps, else
by the graph.</dd>
</dl>
)";

}  // namespace

std::string html(const Profile& profile) {
  Page page(fmt::format("Where the time of {} goes", profile.model),
            meta_html({profile.engine, profile.device, profile.precision, counted(profile.threads, "thread"),
                       fmt::format("{}", fmt::join(profile.inputs, ", ")), counted(profile.repeats, "repeat"),
                       counted(profile.inferences, "inference")}),
            answer_html(sentences(profile), tiles(profile)));
  page.add_section("kinds", "Time by kind", html_of(kinds_table(profile)));
  for (const auto* chart : {&layer_times_chart, &roofline_chart})
    page.add_chart(chart->id, chart->title, chart->reading, chart->draw(profile));
  page.add_section("layer-table", "Every layer", html_of(layers_table(profile, 0)));
  page.add_section("notes", "What could not be said", notes_html(profile));
  page.add_section("reading", "How to read this page", std::string(reading_html));
  return page.html();
}

}  // namespace neph::report
