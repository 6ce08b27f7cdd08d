#include "workload/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "stats/stats.hpp"

namespace neph::workload {
namespace {

/// Equal stretches of the measurement whose rates give the interval of one run: the method of batch means
/// (Law, Simulation Modeling and Analysis, section 9.5.3), ten because fewer than thirty keep neighbours
/// nearly independent.
constexpr std::size_t stretches = 10;

Figure figure(std::string name, std::string unit, Estimate estimate) {
  return {std::move(name), std::move(unit), estimate};
}

}  // namespace

Recorder::Recorder(const data::PictureSet& set, std::int64_t pictures, std::int64_t batch, Protocol protocol,
                   const Clock& clock)
    : set_(set), clock_(clock), protocol_(std::move(protocol)) {
  tops_.resize(static_cast<std::size_t>(batch));
  samples_.reserve(static_cast<std::size_t>((pictures + batch - 1) / batch));
  answers_.assign(static_cast<std::size_t>(pictures), -1);
}

void Recorder::add(const data::Batch& batch, const InferTimes& times, std::span<const float> scores) {
  const auto begin = clock_.now();
  const auto items = static_cast<std::size_t>(batch.size);
  const auto classes = scores.size() / tops_.size();
  const auto first = static_cast<std::size_t>(batch.first);
  for (std::size_t i = 0; i < items; ++i) {
    tops_[i] = top_classes(scores.subspan(i * classes, classes));
    answers_[first + i] = tops_[i].classes[0];
  }
  const auto judged = clock_.now();
  auto failure = batch.failed.begin();
  for (std::size_t i = 0; i < items; ++i) {
    const auto& path = set_.usable[(first + i) % set_.usable.size()].path;
    if (failure != batch.failed.end() && failure->index == static_cast<std::int64_t>(first + i)) {
      answers_[first + i] = -1;
      protocol_.add_failed(path, failure->reason);
      failed_.push_back(*failure++);
    } else {
      protocol_.add(path, tops_[i]);
    }
  }
  bytes_read_ += batch.bytes_read;
  done_ += batch.size;
  samples_.push_back(
      {times.issued, times.done, batch.size, batch.times, judged - begin, clock_.now() - judged});
}

Status Recorder::finish(const Timeline& timeline, Moment begin, Moment end, std::int64_t loaders,
                        RunResult& result) {
  NEPH_CHECK(protocol_.close());
  result.answers = answers_;
  result.answers_checksum = answers_checksum(answers_);
  add_samples(timeline, result);
  add_stages(result);
  add_figures(timeline, begin, end, loaders, result);
  add_warnings(result);
  return {};
}

void Recorder::add_samples(const Timeline& timeline, RunResult& result) const {
  const auto column = [&](std::string name, auto value) {
    Column values{std::move(name), {}};
    values.values.reserve(samples_.size());
    for (const auto& sample : samples_) values.values.push_back(value(sample));
    result.samples.push_back(std::move(values));
  };
  column("issued_s", [&](const Sample& s) { return timeline.at(s.issued); });
  column("done_s", [&](const Sample& s) { return timeline.at(s.done); });
  column("items", [](const Sample& s) { return static_cast<double>(s.items); });
  column("read_s", [](const Sample& s) { return seconds(s.load.read); });
  column("decode_s", [](const Sample& s) { return seconds(s.load.decode); });
  column("preprocess_s", [](const Sample& s) { return seconds(s.load.preprocess); });
  column("infer_s", [](const Sample& s) { return seconds(s.done - s.issued); });
  column("postprocess_s", [](const Sample& s) { return seconds(s.postprocess); });
  column("write_s", [](const Sample& s) { return seconds(s.write); });
}

void Recorder::add_stages(RunResult& result) const {
  const auto stage = [&](std::string name, auto value) {
    Nanoseconds sum{};
    for (const auto& sample : samples_) sum += value(sample);
    result.stages.push_back({std::move(name), seconds(sum), done_});
  };
  stage("read", [](const Sample& s) { return s.load.read; });
  stage("decode", [](const Sample& s) { return s.load.decode; });
  stage("preprocess", [](const Sample& s) { return s.load.preprocess; });
  result.stages.push_back({"infer", seconds(engine_busy()), done_});
  stage("postprocess", [](const Sample& s) { return s.postprocess; });
  stage("write", [](const Sample& s) { return s.write; });
}

/// Time with at least one inference in flight: for one after the other the sum of their times, for many at
/// once not the same moment twice.
Nanoseconds Recorder::engine_busy() const {
  std::vector<std::pair<Moment, Moment>> flights;
  for (const auto& sample : samples_) flights.emplace_back(sample.issued, sample.done);
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

void Recorder::add_figures(const Timeline& timeline, Moment begin, Moment end, std::int64_t loaders,
                           RunResult& result) const {
  const double wall_s = seconds(end - begin);
  Estimate rate{.value = static_cast<double>(done_) / wall_s, .n = 1};
  if (samples_.size() >= 5 * stretches) {
    std::vector<double> rates(stretches);
    for (const auto& sample : samples_) {
      const double place = seconds(sample.done - begin) / wall_s * stretches;
      rates[std::min(stretches - 1, static_cast<std::size_t>(std::max(0.0, place)))] +=
          static_cast<double>(sample.items);
    }
    for (auto& value : rates) value *= stretches / wall_s;
    const auto mean = stats::mean_estimate(rates);
    rate.low = mean.low;
    rate.high = mean.high;
    rate.n = mean.n;
  }
  const auto share = [&](double busy_s, double threads) {
    return Estimate{.value = busy_s / (wall_s * threads), .n = 1};
  };
  result.figures.push_back(figure("images_per_s", "images per second", rate));
  result.figures.push_back(figure("engine_busy", "share of the time with an inference in flight",
                                  share(seconds(engine_busy()), 1)));
  if (loaders > 0) {
    double loading_s = 0;
    for (const auto& sample : samples_)
      loading_s += seconds(sample.load.read + sample.load.decode + sample.load.preprocess);
    result.figures.push_back(figure("loaders_busy", "share of the loader threads' time",
                                    share(loading_s, static_cast<double>(loaders))));
  }
  if (!samples_.empty())
    result.figures.push_back(figure("first_answer_s", "seconds from the start of the measurement",
                                    {.value = seconds(samples_.front().done - begin), .n = 1}));
  result.figures.push_back(figure("read_bytes_per_s", "bytes per second",
                                  {.value = static_cast<double>(bytes_read_) / wall_s, .n = 1}));
  result.figures.push_back(
      figure("pictures_failed", "pictures", {.value = static_cast<double>(failed_.size()), .n = done_}));
  result.facts["measured_s"] = fmt::format("{:.3f}", timeline.at(end) - timeline.at(begin));
}

void Recorder::add_warnings(RunResult& result) const {
  if (!failed_.empty())
    result.warnings.push_back({"pictures_failed",
                               fmt::format("{} of {} pictures could not be used; the first: {}",
                                           failed_.size(), done_, failed_.front().reason),
                               "neph images check names them all",
                               failed_.size() == static_cast<std::size_t>(done_)});
  std::vector<double> per_item;
  for (const auto& sample : samples_) per_item.push_back(seconds(sample.done - sample.issued));
  const auto trend = stats::trend_of(per_item);
  if (per_item.size() >= 20 && stats::drifts(trend, 0.05))
    result.warnings.push_back(
        {"unsteady",
         fmt::format("the time per batch changed by {:+.0f} % during the measurement", 100 * trend.change),
         "measure longer, or look at the telemetry for what changed with it"});
}

}  // namespace neph::workload
