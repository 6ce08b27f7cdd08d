// Where the time of a picture goes: thread milliseconds by stage.
#include <algorithm>
#include <array>

#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr const char* request = "request";
constexpr const char* served_infer = "server_infer";
/// Of a request's way; what they hold in detail, the chart of requests shows.
constexpr std::array parts_of_request{"send",         "transport",    "server_socket", "server_decode",
                                      "server_queue", "server_batch", "server_encode", "receive"};

bool asks_a_server(const std::map<std::string, Estimate>& stages) { return stages.contains("transport"); }

/// The inference behind a server stands beside the one in-process; the rest of the request is one part.
Bar joined(const Bar& bar) {
  if (!asks_a_server(bar.parts)) return bar;
  Bar out{.label = bar.label, .parts = {}};
  Estimate all{.value = 0};
  for (const auto& [name, estimate] : bar.parts) {
    if (std::find(parts_of_request.begin(), parts_of_request.end(), name) != parts_of_request.end()) {
      all.value += estimate.value;
      all.n = estimate.n;
    } else {
      out.parts[name == served_infer ? "infer" : name] = estimate;
    }
  }
  out.parts[request] = all;
  return out;
}

Drawing draw_stages(const Document& document) {
  auto parts = stage_names(document.cells);
  auto bars = bars_of(document.cells, &CellSummary::stages_ms);
  if (std::find(parts.begin(), parts.end(), "transport") != parts.end()) {
    parts = {"read", "decode", "preprocess", "infer", request, "postprocess", "write"};
    for (auto& bar : bars) bar = joined(bar);
  }
  const std::string per = is_load(document) ? "milliseconds per request" : "thread milliseconds per picture";
  return {.panels = draw_stacked(
              {.parts = std::move(parts),
               .muted = {"network_and_server", "unexplained", "connect"},
               .bars = std::move(bars),
               .caption = per,
               .axis = per,
               .unit = "ms",
               .description = "Stacked bars: " + per + " by stage, one bar per configuration."})};
}

}  // namespace

extern const Chart stages_chart;
const Chart stages_chart{
    "stages",
    "Where the time goes",
    "Elapsed milliseconds of threads that one picture takes in each stage: summed over the loader threads; "
    "for "
    "infer in-process, the time with at least one inference in flight; behind a server, infer is what the "
    "server says of it, and request all the rest of a request, waiting in queues included. Stages overlap, "
    "and "
    "waiting counts, so the sum is neither work nor delay.",
    draw_stages,
    {},
    "Mean milliseconds of one request in each stage. The stages add up to the response time: what the server "
    "says of itself is named server, what nobody can tell apart is unexplained."};

}  // namespace neph::report
