// Where the time of an item goes, by stage: thread milliseconds, or those of a request.
#include <algorithm>
#include <array>

#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr const char* request = "request";

bool is_of_request(const std::string& name) {
  const auto* kind = find_stage(name);
  return kind && kind->of == StageOf::request;
}

/// The inference behind a server stands beside the one in-process; the rest of the request is one part, whose
/// details the chart of requests shows.
Bar joined(const Bar& bar) {
  if (std::none_of(bar.parts.begin(), bar.parts.end(),
                   [](const auto& part) { return is_of_request(part.first); }))
    return bar;
  Bar out{.label = bar.label, .parts = {}};
  Estimate all{.value = 0};
  for (const auto& [name, estimate] : bar.parts) {
    if (name == stage::server_infer.name) {
      out.parts[std::string(stage::infer.name)] = estimate;
    } else if (is_of_request(name)) {
      all.value += estimate.value;
      all.n = estimate.n;
    } else {
      out.parts[name] = estimate;
    }
  }
  out.parts[request] = all;
  return out;
}

Drawing draw(const Document& document, std::vector<std::string> parts, std::vector<Bar> bars) {
  const auto time = worded("{stage_time}, ms", view_of(document));
  return {.panels = draw_stacked(
              {.parts = std::move(parts),
               .muted = {std::string(stage::network_and_server.name), std::string(stage::unexplained.name),
                         std::string(stage::connect.name)},
               .bars = std::move(bars),
               .caption = time,
               .axis = time,
               .unit = "ms",
               .description = "Stacked bars: " + time + ", by stage, one bar per configuration."})};
}

Drawing draw_stages(const Document& document) {
  auto parts = stage_names(document.cells);
  auto bars = bars_of(document.cells, &CellSummary::stages_ms);
  if (std::any_of(parts.begin(), parts.end(), is_of_request)) {
    parts.clear();
    for (const auto& kind : stage_kinds) {
      if (kind.of == StageOf::item) parts.emplace_back(kind.name);
      if (kind == stage::infer) parts.emplace_back(request);
    }
    for (auto& bar : bars) bar = joined(bar);
  }
  return draw(document, std::move(parts), std::move(bars));
}

Drawing draw_request_stages(const Document& document) {
  return draw(document, stage_names(document.cells), bars_of(document.cells, &CellSummary::stages_ms));
}

}  // namespace

const Chart stages_chart{
    "stages", "Where the time goes",
    "Elapsed milliseconds of threads that one {item} takes in each stage, summed over the loader threads. "
    "Infer in-process is the time with at least one inference in flight. Behind a server, infer is what the "
    "server says of it, and request all the rest of a request, waiting in queues included. Stages overlap, "
    "and waiting counts, so the sum is neither work nor delay.",
    draw_stages};

const Chart training_stages_chart{
    "stages", "Where the time goes",
    "Elapsed milliseconds of threads that one {item} takes in each stage: filled into a batch by the "
    "loaders, "
    "waited for, learnt in a step. Loaders fill batches while steps run, so the sum is no delay.",
    draw_stages};

const Chart request_stages_chart{
    "stages", "Where the time goes",
    "Mean milliseconds of one request in each stage. The stages add up to the response time: what the server "
    "says of itself is named server, what nobody can tell apart is unexplained.",
    draw_request_stages};

}  // namespace neph::report
