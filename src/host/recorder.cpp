#include "host/recorder.hpp"

#include <algorithm>
#include <iterator>

namespace neph::host {
namespace {

constexpr std::size_t expected_points = 600;  // a minute at 10 Hz without growing

}  // namespace

void Gauge::record(Moment at, double value) {
  series_->at_s.push_back(seconds(at - origin_));
  series_->values.push_back(value);
  series_->unavailable.clear();
}

void Gauge::unavailable(std::string_view reason) {
  if (series_->values.empty() && series_->unavailable.empty()) series_->unavailable = reason;
}

double Rate::between(const Reading& from, const Reading& to) const {
  return std::max(0.0, to.counter - from.counter) * scale_ / seconds(to.at - from.at);
}

void Rate::count(Moment at, double counter) {
  const Reading reading{counter, at};
  if (!last_) {
    last_ = reading;
    return;
  }
  if (at <= last_->at) return;
  if (begin_ && at - last_->at < shortest_) {
    gauge_.series_->at_s.pop_back();
    gauge_.series_->values.pop_back();
  } else {
    begin_ = last_;
  }
  gauge_.record(at, between(*begin_, reading));
  last_ = reading;
}

Gauge Recorder::gauge(std::string_view target, const Metric& quantity) {
  auto& series = series_.emplace_back(Series{
      .target = std::string(target), .name = std::string(quantity.name), .unit = std::string(quantity.unit)});
  series.at_s.reserve(expected_points);
  series.values.reserve(expected_points);
  return {series, origin_};
}

Rate Recorder::rate(std::string_view target, const Metric& quantity, double scale) {
  return {gauge(target, quantity), scale, shortest_};
}

std::vector<Series> Recorder::take() {
  for (auto& series : series_)
    if (series.values.empty() && series.unavailable.empty())
      series.unavailable = "the run ended before it could be read twice";
  std::vector<Series> taken(std::make_move_iterator(series_.begin()), std::make_move_iterator(series_.end()));
  series_.clear();
  return taken;
}

}  // namespace neph::host
