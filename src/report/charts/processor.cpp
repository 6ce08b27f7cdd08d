// CPU time per item, client and server: what costs what, also where the speed is the same.
#include <array>
#include <cmath>

#include "report/charts/charts.hpp"
#include "report/charts/stacked.hpp"
#include "report/effect.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr const char* images_client = "images, client";
constexpr const char* requests_client = "requests, client";
constexpr const char* requests_server = "requests, server";
constexpr const char* images_server = "images, server";
constexpr const char* data = "data";
constexpr const char* engine = "engine";
constexpr const char* rest = "rest";
constexpr const char* server = "server";

using Parts = std::map<std::string, Estimate>;

class PartsOfCell {
 public:
  PartsOfCell(const Document& document, const CellSummary& cell) : document_(document), cell_(cell) {}

  Parts all() {
    if (find_telemetry(cell_, target::client, telemetry::cpu)) {
      add(requests_client, {target::client}, {target::client_loader});
      add(images_client, {target::client_loader}, {});
      add(engine, {target::server_engine}, {});
      add(images_server, {target::server_loader}, {});
      if (parts_.contains(engine))
        add(requests_server, {target::server}, {target::server_engine, target::server_loader});
      else
        add(server, {target::server}, {});
    } else {
      add(data, {target::loader}, {});
      add(engine, {target::engine}, {});
      add(rest, {target::rest}, {});
    }
    return std::move(parts_);
  }

 private:
  using Targets = std::vector<std::string_view>;

  /// Of the targets together, less those that stand for themselves. Not there: not known.
  void add(const char* part, const Targets& plus, const Targets& minus) {
    const auto estimate = mean_of(document_, cell_, [&](const Run& run) -> std::optional<double> {
      double sum = 0;
      for (const auto target : plus) {
        const auto ms = cpu_ms_per_item(document_, run, target);
        if (!ms) return std::nullopt;
        sum += *ms;
      }
      for (const auto target : minus) sum -= cpu_ms_per_item(document_, run, target).value_or(0);
      return std::max(0.0, sum);
    });
    if (std::isfinite(estimate.value)) parts_[part] = estimate;
  }

  const Document& document_;
  const CellSummary& cell_;
  Parts parts_;
};

Drawing draw_processor(const Document& document) {
  const auto time = worded("CPU time per {item}, ms", view_of(document));
  Stacked what{
      .parts = {data, images_client, requests_client, requests_server, images_server, engine, server, rest},
      .muted = {rest},
      .caption = time,
      .axis = time,
      .unit = "ms",
      .description =
          "Stacked bars: " + time + ", of client and server, by kind of work, one bar per configuration."};
  for (const auto& cell : document.cells)
    what.bars.push_back({short_label(cell, document.experiment), PartsOfCell(document, cell).all()});
  return {.panels = draw_stacked(what)};
}

}  // namespace

const Chart processor_chart{
    "processor", "CPU time per {item}",
    "Busy cores divided by {rate}: what costs CPU time, also where the speed is the same. Data and images: "
    "reading, "
    "decoding, preprocessing. Requests: the threads that make, send, receive and take apart requests, the "
    "kernel's work for them included. Engine: the threads that run or train the network.",
    draw_processor};

}  // namespace neph::report
