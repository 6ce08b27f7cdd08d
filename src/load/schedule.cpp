#include "load/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/random.hpp"
#include "core/text.hpp"

namespace neph::load {
namespace {

/// Takes arrivals until the course is over.
class Taker {
 public:
  explicit Taker(const Course& course) : course_(course) {}

  /// False: this one is beyond the end.
  bool take(double at_s) {
    const bool measured = at_s >= course_.warmup_s;
    if (course_.count > 0 ? measured_ == course_.count : at_s >= course_.warmup_s + course_.duration_s)
      return false;
    schedule_.push_back(from_seconds(at_s));
    measured_ += measured;
    return true;
  }
  bool full() const { return std::ssize(schedule_) > most_arrivals; }
  Schedule done() { return std::move(schedule_); }

 private:
  const Course& course_;
  Schedule schedule_;
  std::int64_t measured_ = 0;
};

tl::unexpected<Error> too_many() {
  return fail(ErrorCode::invalid_argument, "more than {} arrivals; lower the rate, the duration or the count",
              most_arrivals);
}

/// Seconds in the first column; empty: no number.
std::optional<double> first_number(std::string_view line) {
  const auto field = trimmed(line.substr(0, line.find_first_of(",;\t ")));
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

Result<std::vector<double>> trace_times(std::string_view text, std::string_view what) {
  std::vector<double> times;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = trimmed(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(
        std::min(rest.size(), rest.find('\n') == rest.npos ? rest.size() : rest.find('\n') + 1));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto at_s = first_number(line);
    if (!at_s && times.empty() && number == 1) continue;  // a heading
    if (!at_s) return fail(ErrorCode::corrupt, "{}: line {} does not begin with seconds", what, number);
    if (!times.empty() && *at_s < times.back())
      return fail(ErrorCode::corrupt, "{}: line {} is earlier than the line before; sort the trace", what,
                  number);
    times.push_back(*at_s);
  }
  if (times.empty()) return fail(ErrorCode::corrupt, "{}: no arrival in it", what);
  return times;
}

}  // namespace

Result<Schedule> make_schedule(Arrival arrival, const Course& course, std::int64_t burst,
                               std::uint64_t seed) {
  if (!(course.rate_per_s > 0)) return fail(ErrorCode::invalid_argument, "an open loop needs a rate");
  const double expected = course.rate_per_s * (course.warmup_s + course.duration_s);
  if (course.count > most_arrivals || (course.count == 0 && expected > most_arrivals)) return too_many();
  Taker taker(course);
  Random random(seed);
  const double gap_s = 1 / course.rate_per_s;
  double at_s = 0;
  for (std::int64_t i = 0; taker.take(at_s); ++i) {
    if (taker.full()) return too_many();
    if (arrival == Arrival::poisson)
      at_s += -std::log1p(-random.uniform()) * gap_s;
    else if (arrival == Arrival::burst)
      at_s = static_cast<double>((i + 1) / burst * burst) * gap_s;
    else
      at_s = static_cast<double>(i + 1) * gap_s;
  }
  return taker.done();
}

Result<Schedule> read_trace(std::string_view text, std::string_view what, const Course& course) {
  NEPH_TRY(const auto times, trace_times(text, what));
  const double span_s = times.back() - times.front();
  const double own_rate = span_s > 0 ? static_cast<double>(times.size() - 1) / span_s : 0;
  const double stretch = course.rate_per_s > 0 && own_rate > 0 ? own_rate / course.rate_per_s : 1;
  Taker taker(course);
  for (const double at_s : times)
    if (!taker.take((at_s - times.front()) * stretch)) break;
  if (taker.full()) return too_many();
  return taker.done();
}

double measured_length_s(const Schedule& schedule, const Course& course) {
  const auto begin = from_seconds(course.warmup_s);
  const auto first = std::lower_bound(schedule.begin(), schedule.end(), begin);
  if (first == schedule.end() || *first == schedule.back()) return course.duration_s;
  const auto apart = std::lower_bound(first, schedule.end(), schedule.back()) - first;
  const double gap_s = seconds(schedule.back() - *first) / static_cast<double>(apart);
  return std::min(course.duration_s, seconds(schedule.back() - begin) + gap_s);
}

Schedule slice(const Schedule& schedule, std::size_t index, std::size_t count) {
  Schedule part;
  part.reserve(schedule.size() / count + 1);
  for (std::size_t i = index; i < schedule.size(); i += count) part.push_back(schedule[i]);
  return part;
}

}  // namespace neph::load
