#include "workload/infer/recorder.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "record/samples.hpp"
#include "workload/infer/item_speed.hpp"
#include "workload/infer/request_times.hpp"

namespace neph::workload {
Recorder::Recorder(const What& what, std::unique_ptr<AnswerKeeper> answers, const Clock& clock)
    : what_(what), clock_(clock), answers_(std::move(answers)) {
  samples_.reserve(static_cast<std::size_t>((what.items + what.batch - 1) / what.batch));
}

void Recorder::add(const image::Batch& batch, const InferTimes& times, Outputs outputs) {
  const auto begin = clock_.now();
  answers_->judge(batch, outputs);
  const auto judged = clock_.now();
  answers_->write(batch);
  failed_.insert(failed_.end(), batch.failed.begin(), batch.failed.end());
  bytes_read_ += batch.bytes_read;
  done_ += batch.size;
  samples_.push_back({.times = times,
                      .items = batch.size,
                      .answered = batch.size - static_cast<std::int64_t>(batch.failed.size()),
                      .load = batch.times,
                      .postprocess = judged - begin,
                      .write = clock_.now() - judged});
}

void Recorder::finish(const Timeline& timeline, Moment begin, Moment end, std::int64_t loaders,
                      RunResult& result) const {
  add_samples(timeline, result);
  add_stages(result);
  add_figures(begin, end, loaders, result);
  add_warnings(result);
}

void Recorder::add_samples(const Timeline& timeline, RunResult& result) const {
  const auto column = [&](std::string_view name, auto value) {
    Column values{std::string(name), {}};
    values.values.reserve(samples_.size());
    for (const auto& sample : samples_) values.values.push_back(value(sample));
    result.samples.push_back(std::move(values));
  };
  const auto of_stage = [&](const StageKind& kind, auto value) {
    column(sample_column(kind), [&](const Sample& s) { return seconds(value(s)); });
  };
  column(samples::issued_s, [&](const Sample& s) { return timeline.at(s.times.issued); });
  column(samples::done_s, [&](const Sample& s) { return timeline.at(s.times.done); });
  column(samples::items, [](const Sample& s) { return static_cast<double>(s.items); });
  of_stage(stage::read, [](const Sample& s) { return s.load.read; });
  of_stage(stage::decode, [](const Sample& s) { return s.load.decode; });
  of_stage(stage::preprocess, [](const Sample& s) { return s.load.preprocess; });
  of_stage(stage::infer, [](const Sample& s) { return s.times.done - s.times.issued; });
  const auto split = requests();
  for (const auto& kind : split.kinds())
    column(sample_column(kind), [&](const Sample& s) { return split.of_s(kind, request_times(s.times)); });
  of_stage(stage::postprocess, [](const Sample& s) { return s.postprocess; });
  of_stage(stage::write, [](const Sample& s) { return s.write; });
}

void Recorder::add_stages(RunResult& result) const {
  const auto add = [&](const StageKind& kind, double busy_s) {
    result.stages.push_back({std::string(kind.name), busy_s, done_});
  };
  const auto add_sum = [&](const StageKind& kind, auto value) {
    Nanoseconds sum{};
    for (const auto& sample : samples_) sum += value(sample);
    add(kind, seconds(sum));
  };
  add_sum(stage::read, [](const Sample& s) { return s.load.read; });
  add_sum(stage::decode, [](const Sample& s) { return s.load.decode; });
  add_sum(stage::preprocess, [](const Sample& s) { return s.load.preprocess; });
  const auto split = requests();
  for (const auto& kind : split.kinds()) add(kind, split.sum_s(kind));
  if (!served()) add(stage::infer, seconds(engine_busy()));
  add_sum(stage::postprocess, [](const Sample& s) { return s.postprocess; });
  add_sum(stage::write, [](const Sample& s) { return s.write; });
}

RequestStages Recorder::requests() const {
  RequestStages split;
  if (served())
    for (const auto& sample : samples_) split.add(request_times(sample.times));
  return split;
}

bool Recorder::served() const {
  return std::any_of(samples_.begin(), samples_.end(),
                     [](const Sample& s) { return s.times.send.count() > 0; });
}

/// Time with at least one inference in flight: for one after the other the sum of their times, for many at
/// once not the same moment twice.
Nanoseconds Recorder::engine_busy() const {
  std::vector<std::pair<Moment, Moment>> flights;
  for (const auto& sample : samples_) flights.emplace_back(sample.times.issued, sample.times.done);
  std::sort(flights.begin(), flights.end());
  Nanoseconds busy{};
  Moment covered = Moment::min();
  for (const auto& [issued, done] : flights) {
    if (done <= covered) continue;
    busy += done - std::max(issued, covered);
    covered = done;
  }
  return busy;
}

std::vector<BatchEnd> Recorder::ends() const {
  std::vector<BatchEnd> all;
  for (const auto& sample : samples_)
    all.push_back({sample.times.issued, sample.times.done, sample.answered});
  return all;
}

void Recorder::add_figures(Moment begin, Moment end, std::int64_t loaders, RunResult& result) const {
  const double wall_s = seconds(end - begin);
  const auto share = [&](double busy_s, double threads) {
    return Estimate{.value = busy_s / (wall_s * threads), .n = 1};
  };
  add_speed(what_.item, what_.tokens, workload::items_per_s(ends(), begin, end), result);
  result.figures.push_back(
      figure(served() ? metric::server_busy : metric::engine_busy, share(seconds(engine_busy()), 1)));
  if (loaders > 0) {
    double loading_s = 0;
    for (const auto& sample : samples_)
      loading_s += seconds(sample.load.read + sample.load.decode + sample.load.preprocess);
    result.figures.push_back(figure(metric::loaders_busy, share(loading_s, static_cast<double>(loaders))));
  }
  if (!samples_.empty())
    result.figures.push_back(
        figure(metric::first_answer_s, {.value = seconds(samples_.front().times.done - begin), .n = 1}));
  result.figures.push_back(
      figure(metric::read_bytes_per_s, {.value = static_cast<double>(bytes_read_) / wall_s, .n = 1}));
  result.figures.push_back(failed_figure(std::ssize(failed_), done_));
}

/// Pictures that are no multiple of the batch leave a last one that is another measurement.
void Recorder::add_short_batch(RunResult& result) const {
  if (samples_.empty() || samples_.back().items == what_.batch) return;
  const auto size = fmt::format("{} of {}", samples_.back().items,
                                counted(what_.batch, std::string(enum_name(what_.item))));
  if (samples_.size() > 1) {
    set(result.facts, fact::last_batch, size + ", not in the latency percentiles");
    return;
  }
  result.warnings.push_back(make_warning(
      WarningCode::short_batch, fmt::format("the only batch has {}: a whole one was not measured", size),
      fmt::format("--count {} or more", what_.batch)));
}

void Recorder::add_warnings(RunResult& result) const {
  if (!failed_.empty())
    result.warnings.push_back(failed_warning(std::ssize(failed_), done_,
                                             "the first: " + failed_.front().reason, enum_name(what_.item),
                                             served() ? Answerer::server : Answerer::engine));
  answers_->finish(result);
  add_short_batch(result);
  if (auto doubt = unsteady(ends())) result.warnings.push_back(std::move(*doubt));
}

}  // namespace neph::workload
