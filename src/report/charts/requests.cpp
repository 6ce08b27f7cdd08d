// Where the milliseconds of one request go, architecture beside architecture, batch by batch.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/request_parts.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

Stacked what_of(const Document& document, std::optional<double> batch) {
  Stacked what{.parts = request_part_names(),
               .muted = {std::string(stage::unexplained.name), std::string(stage::network_and_server.name)},
               .axis = "milliseconds of a request",
               .unit = "ms"};
  for (const auto& cell : document.cells) {
    const auto size = field_of(cell, document.experiment, "batch");
    if (batch && size != *batch) continue;
    what.bars.push_back(
        {short_label(cell, document.experiment, {"batch"}), request_parts(document.runs, cell.cell.index)});
  }
  what.caption = batch ? fmt::format("a request of {} {}", plain(*batch), *batch == 1 ? "image" : "images")
                       : "a request";
  what.description = fmt::format(
      "Stacked bars: milliseconds of {} by what they were spent on, one bar per "
      "configuration.",
      what.caption);
  return what;
}

Drawing draw_requests(const Document& document) {
  const auto ways = ways_of(document);
  if (std::none_of(ways.begin(), ways.end(), [](const auto& way) { return way.served(); })) return {};
  std::set<double> batches;
  for (const auto& cell : document.cells)
    if (const auto size = field_of(cell, document.experiment, "batch"); size.is_number())
      batches.insert(size.get<double>());
  Drawing drawing;
  const auto add = [&](std::optional<double> batch) {
    for (auto& panel : draw_stacked(what_of(document, batch))) drawing.panels.push_back(std::move(panel));
  };
  if (batches.empty()) add({});
  for (const double batch : batches) add(batch);
  return drawing;
}

}  // namespace

const Chart requests_chart{
    "requests", "Where the milliseconds of a request go",
    "Means over all requests. Behind a server the parts, receive left out, add up to the response time that "
    "the client saw. In-process an inference is all there is, waiting in the engine included. Infer and the "
    "server's own stages are what the server says of itself. Network is the least that any request of a run "
    "spent outside of both programs: all pay it. Unexplained is what requests took beyond that, as a rule "
    "waiting for a core or a lock. Receive, reply to numbers, comes after the response.",
    draw_requests};

}  // namespace neph::report
