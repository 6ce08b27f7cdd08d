#include "workload/independent_client.hpp"

#include <algorithm>

#include "load/load.hpp"
#include "workload/request_parts.hpp"

namespace neph::workload {
namespace {

/// It ends by its count.
constexpr double no_end_s = 1e6;

InferTimes times_of(const load::Sample& sample, Moment start) {
  const auto& told = sample.server;
  return {.issued = start + Nanoseconds(sample.issued),
          .done = start + Nanoseconds(sample.done),
          .send = Nanoseconds(std::max<std::int64_t>(1, sample.sent - sample.issued)),
          .server = {.socket = from_seconds(told[0]),
                     .decode = from_seconds(told[1]),
                     .queue = from_seconds(told[2]),
                     .batch = from_seconds(told[3]),
                     .infer = from_seconds(told[4]),
                     .encode = from_seconds(told[5])}};
}

/// Samples and stages as the application's recorder has them; nothing of files and answers.
void add_requests(const std::vector<InferTimes>& requests, const Asking& asking, const Timeline& timeline,
                  RunResult& result) {
  const auto column = [&](std::string name, auto value) {
    Column values{std::move(name), {}};
    for (const auto& request : requests) values.values.push_back(value(request));
    result.samples.push_back(std::move(values));
  };
  column("issued_s", [&](const InferTimes& t) { return timeline.at(t.issued); });
  column("done_s", [&](const InferTimes& t) { return timeline.at(t.done); });
  column("items", [&](const InferTimes&) { return static_cast<double>(asking.batch); });
  column("infer_s", [](const InferTimes& t) { return seconds(t.done - t.issued); });
  for (const auto& part : known_parts(requests)) {
    column(fmt::format("{}_s", part.name), [&](const InferTimes& t) { return seconds(part.of(t)); });
    Nanoseconds sum{};
    for (const auto& request : requests) sum += part.of(request);
    result.stages.push_back({std::string(part.name), seconds(sum), std::ssize(requests) * asking.batch});
  }
}

/// What the load generator says of itself: not of its percentiles, which no figure here has.
void add_findings(const load::Measurement& measured, const Asking& asking, RunResult& result) {
  const load::Judging judging{.closed = true, .by_count = true, .batch = asking.batch};
  RunResult all;
  load::sum_up(measured, judging, 0, all);
  for (const auto& found : all.figures)
    if (found.name == "inferences_per_s")
      result.figures.push_back({"images_per_s", "images per second", found.estimate});
  const auto failed = std::count_if(measured.samples.begin(), measured.samples.end(), [](const auto& sample) {
    return sample.outcome != load::Outcome::answered;
  });
  result.figures.push_back({"pictures_failed",
                            "pictures",
                            {.value = static_cast<double>(failed * asking.batch),
                             .n = std::ssize(measured.samples) * asking.batch}});
  for (auto& warning : all.warnings)
    if (warning.code != "closed_loop" && warning.code != "few_samples")
      result.warnings.push_back(std::move(warning));
}

}  // namespace

Status ask_independently(const ServedModel& server, const Asking& asking, const Context& context,
                         const std::function<void(std::int64_t done, std::int64_t total)>& progress,
                         Timeline& timeline, RunResult& result) {
  NEPH_TRY(const auto payload, load::Payload::make(server.model, {.batch = asking.batch}));
  const load::DrivePlan plan{.endpoint = server.endpoint,
                             .client = server.options,
                             .course = {.warmup_s = asking.warmup_s,
                                        .duration_s = no_end_s,
                                        .count = (asking.pictures + asking.batch - 1) / asking.batch},
                             .clients = asking.in_flight,
                             .deadline_s = asking.patience_s};
  NEPH_TRY(const auto measured, load::drive(plan, payload.requests(), context.clock, context.stop, progress));
  if (measured.stopped) return fail(ErrorCode::unavailable, "stopped by the user");
  const double start_s = timeline.at(measured.start);
  const double begin_s = start_s + static_cast<double>(measured.begin) * 1e-9;
  timeline.add("warmup", start_s, begin_s);
  timeline.add("measure", begin_s, start_s + static_cast<double>(measured.end) * 1e-9);
  std::vector<InferTimes> requests;
  for (const auto& sample : measured.samples)
    if (sample.outcome == load::Outcome::answered) requests.push_back(times_of(sample, measured.start));
  add_requests(requests, asking, timeline, result);
  add_findings(measured, asking, result);
  return {};
}

}  // namespace neph::workload
