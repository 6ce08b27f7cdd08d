#include "workload/infer/independent_client.hpp"

#include <algorithm>

#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "workload/infer/item_speed.hpp"
#include "workload/infer/request_times.hpp"
#include "workload/speed.hpp"

namespace neph::workload {
namespace {

std::vector<load::Sample> in_order_of_end(std::vector<load::Sample> samples) {
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.done < b.done; });
  return samples;
}

InferTimes times_of(const load::Sample& sample, Moment start) {
  return {.issued = start + Nanoseconds(sample.issued),
          .done = start + Nanoseconds(sample.done),
          .server = load::times_of(sample.server)};
}

/// Samples and stages as the application's recorder has them; nothing of files and answers.
void add_requests(const std::vector<InferTimes>& requests, std::int64_t batch, const Timeline& timeline,
                  RunResult& result) {
  const auto column = [&](std::string_view name, auto value) {
    Column values{std::string(name), {}};
    for (const auto& request : requests) values.values.push_back(value(request));
    result.samples.push_back(std::move(values));
  };
  column(samples::issued_s, [&](const InferTimes& t) { return timeline.at(t.issued); });
  column(samples::done_s, [&](const InferTimes& t) { return timeline.at(t.done); });
  column(samples::items, [&](const InferTimes&) { return static_cast<double>(batch); });
  column(sample_column(stage::infer), [](const InferTimes& t) { return seconds(t.done - t.issued); });
  RequestStages split;
  for (const auto& request : requests) split.add(request_times(request));
  for (const auto& kind : split.kinds()) {
    column(sample_column(kind), [&](const InferTimes& t) { return split.of_s(kind, request_times(t)); });
    result.stages.push_back({std::string(kind.name), split.sum_s(kind), split.requests() * batch});
  }
}

}  // namespace

Result<IndependentClient> IndependentClient::make(const ServedModel& server, const Asking& asking,
                                                  const Context& context) {
  IndependentClient client(server, asking, context);
  NEPH_TRY(client.payload_,
           load::Payload::make(server.model, {.batch = asking.batch, .shape = asking.shapes}));
  return client;
}

Status IndependentClient::first_inference(Timeline& timeline) const {
  return timeline.during(phase::first_inference, [&]() -> Status {
    const auto outcome = load::ask_once(server_.endpoint, server_.options, payload_.requests().front(),
                                        asking_.request_timeout_s, context_.clock, context_.stop);
    if (outcome) return {};
    return fail_in("the first batch", outcome.error());
  });
}

Result<load::Measurement> IndependentClient::drive(const load::Course& course,
                                                   const Progress& progress) const {
  const load::DrivePlan plan{.endpoint = server_.endpoint,
                             .client = server_.options,
                             .course = course,
                             .clients = asking_.in_flight,
                             .deadline_s = asking_.request_timeout_s};
  const auto told = [&](std::int64_t done, std::int64_t) { progress(done * asking_.batch); };
  NEPH_TRY(auto measured, load::drive(plan, payload_.requests(), context_.clock, context_.stop, told));
  if (measured.stopped) return fail(ErrorCode::unavailable, "stopped by the user");
  return measured;
}

Status IndependentClient::warm_up(double length_s, Timeline& timeline) const {
  return timeline.during(phase::warmup, [&]() -> Status {
    if (length_s <= 0) return {};
    NEPH_CHECK(drive({.duration_s = length_s}, [](std::int64_t) {}));
    return {};
  });
}

/// Nothing is in flight when it begins, as in an application.
Status IndependentClient::measure(const Progress& progress, Timeline& timeline) {
  NEPH_TRY(measured_, drive({.duration_s = load::no_end_s, .count = requests()}, progress));
  measured_.samples = in_order_of_end(std::move(measured_.samples));
  const auto last = measured_.samples.empty() ? measured_.end : measured_.samples.back().done;
  timeline.add(phase::measure, timeline.at(measured_.start),
               timeline.at(measured_.start + Nanoseconds(last)));
  return {};
}

void IndependentClient::finish(const Timeline& timeline, RunResult& result) const {
  std::vector<InferTimes> requests;
  std::vector<BatchEnd> ends;
  for (const auto& sample : measured_.samples) {
    const auto times = times_of(sample, measured_.start);
    const bool answered = sample.outcome == load::Outcome::answered;
    if (answered) requests.push_back(times);
    ends.push_back({times.issued, times.done, answered ? asking_.batch : 0});
  }
  add_requests(requests, asking_.batch, timeline, result);
  const auto all = std::ssize(ends) * asking_.batch;
  const auto failed = all - std::ssize(requests) * asking_.batch;
  const auto end = ends.empty() ? measured_.start : ends.back().done;
  add_speed(asking_.item, asking_.tokens, items_per_s(ends, measured_.start, end), result);
  result.figures.push_back(failed_figure(failed, all));
  if (failed > 0)
    result.warnings.push_back(failed_warning(failed, all, load::failures_in_words(measured_.samples),
                                             enum_name(asking_.item), Answerer::server));
  if (auto doubt = unsteady(ends)) result.warnings.push_back(std::move(*doubt));
  for (auto& doubt : load::generator_doubts(measured_, {.closed = true})) {
    doubt.advice = "its one thread was busy: larger batches, or cores of its own";
    result.warnings.push_back(std::move(doubt));
  }
}

}  // namespace neph::workload
