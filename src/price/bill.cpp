#include "price/bill.hpp"

#include <algorithm>

#include <fmt/ranges.h>

namespace neph::price {
namespace {

constexpr Nanoseconds longest = std::chrono::hours(24 * 36525);
constexpr std::string_view all_that_is_paid = "all that is paid";

struct Span {
  Instant begin, end;
};

Nanoseconds step_of(const Rule& rule) { return std::chrono::seconds(rule.step_s); }

Nanoseconds in_steps(const Rule& rule, Nanoseconds length) {
  const auto step = step_of(rule);
  if (step == Nanoseconds{}) return length;
  const auto over = length % step;
  if (over == Nanoseconds{}) return length;
  return length - over + (rule.rounding == Rounding::up ? step : Nanoseconds{});
}

/// What is paid for a length: never less than the minimum, also where steps are rounded down.
Nanoseconds at_least(const Rule& rule, Nanoseconds least, Nanoseconds length) {
  return std::max(in_steps(rule, std::max(least, length)), least);
}

/// The length at which more than `paid` is paid.
Nanoseconds dearer_from(const Rule& rule, Nanoseconds paid) {
  const auto step = step_of(rule);
  return rule.rounding == Rounding::up || step == Nanoseconds{} ? paid : (paid / step + 1) * step;
}

Nanoseconds minimum_of(const Rule& rule) { return std::chrono::seconds(rule.minimum_s); }

/// The steps of the clock that a span touches.
Result<Span> on_the_clock(const Rule& rule, const Span& span) {
  NEPH_TRY(const auto begin, period_begin(span.begin, step_of(rule), rule.time_zone));
  NEPH_TRY(const auto end, period_end(span.end - Nanoseconds(1), step_of(rule), rule.time_zone));
  return Span{begin, end};
}

/// Refuses before a sum could overflow.
Status add(Nanoseconds& sum, Nanoseconds length, std::string_view what) {
  if (length > longest - sum)
    return fail(ErrorCode::invalid_argument, "{} is longer than 100 years: give shorter stages, or fewer",
                what);
  sum += length;
  return {};
}

/// Spans in order of time; those that overlap or touch become one.
Result<Nanoseconds> covered(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin);
  Nanoseconds sum{};
  Instant until = Instant::min();
  for (const auto& span : spans) {
    if (span.end > until) NEPH_CHECK(add(sum, span.end - std::max(span.begin, until), all_that_is_paid));
    until = std::max(until, span.end);
  }
  return sum;
}

struct Account {
  std::vector<Line> lines;
  std::vector<Span> spans;  ///< billed, those that follow each other joined
  Nanoseconds exact{};
  Instant end;
};

Status check_lengths(std::span<const Start> starts) {
  Nanoseconds sum{};
  for (const auto& start : starts)
    for (const auto& stretch : start.stretches) {
      if (stretch.length < Nanoseconds{})
        return fail(ErrorCode::invalid_argument, "{} ends before it begins", enum_name(stretch.stage));
      NEPH_CHECK(add(sum, stretch.length, "the whole bill"));
    }
  return {};
}

Account account_of(const Rule& rule, const Price& price, const Start& start, std::size_t number) {
  Account account{.end = start.begin};
  for (const auto& stretch : start.stretches) {
    const Instant begin = account.end;
    account.end += stretch.length;
    const bool is_billed = rule.billed.pays(stretch.stage) && stretch.known != Known::absent;
    account.lines.push_back({.start = number,
                             .stage = stretch.stage,
                             .known = stretch.known,
                             .begin = begin,
                             .end = account.end,
                             .length = stretch.length,
                             .is_billed = is_billed,
                             .amount = is_billed ? cost(price, stretch.length) : Exact(0)});
    if (!is_billed) continue;
    account.exact += stretch.length;
    if (!account.spans.empty() && account.spans.back().end == begin)
      account.spans.back().end = account.end;
    else
      account.spans.push_back({begin, account.end});
  }
  return account;
}

/// What is paid for one start alone, and until when that reaches.
struct Paid {
  Nanoseconds length{};
  Instant until;
  std::vector<Span> steps;  ///< of the clock
};

Result<Paid> paid_for(const Rule& rule, const Account& account) {
  Paid paid{.until = account.end};
  if (account.spans.empty()) return paid;  // the machine was never billed
  const auto least = rule.minimum_per == MinimumPer::start ? minimum_of(rule) : Nanoseconds{};
  if (rule.align == Align::start) {
    paid.length = at_least(rule, least, account.exact);
    paid.until = account.spans.back().end + dearer_from(rule, paid.length) - account.exact;
    return paid;
  }
  auto spans = account.spans;
  if (least > account.exact) spans.back().end += least - account.exact;
  for (const auto& span : spans) {
    if (span.begin == span.end) continue;  // it touches nothing
    NEPH_TRY(const auto steps, on_the_clock(rule, span));
    paid.steps.push_back(steps);
  }
  NEPH_TRY(paid.length, covered(paid.steps));
  paid.until = account.spans.back().end;
  if (!paid.steps.empty()) paid.until = std::max(paid.until, paid.steps.back().end);
  return paid;
}

Status check(const Start& start, Instant earliest, std::size_t number) {
  if (number > 0 && start.begin < earliest)
    return fail(ErrorCode::invalid_argument, "start {} begins before start {} has ended", number + 1, number);
  const auto since = start.begin.time_since_epoch();
  if (since > longest || since < -longest)
    return fail(ErrorCode::invalid_argument, "a start lies more than 100 years from 1970");
  return {};
}

bool is_of_a_job(const Stretch& stretch) {
  return stretch.stage >= BillStage::data_load && stretch.stage <= BillStage::idle;
}

}  // namespace

Result<std::vector<Stretch>> jobs_on_one_start(const std::vector<Stretch>& once, std::int64_t jobs) {
  if (jobs == 1) return once;
  for (std::size_t i = 1; i < once.size(); ++i)
    if (once[i].stage < once[i - 1].stage)
      return fail(ErrorCode::invalid_argument,
                  "{} cannot come after {} with several jobs: give stages in the order {}",
                  enum_name(once[i].stage), enum_name(once[i - 1].stage),
                  fmt::join(enum_choices<BillStage>(), ", "));
  const auto first = std::ranges::find_if(once, is_of_a_job);
  const auto after = std::find_if_not(first, once.end(), is_of_a_job);
  std::vector<Stretch> all(once.begin(), first);
  for (std::int64_t job = 0; job < jobs; ++job) all.insert(all.end(), first, after);
  all.insert(all.end(), after, once.end());
  return all;
}

Result<Bill> bill(const Rule& rule, const Price& price, std::span<const Start> starts) {
  NEPH_CHECK(check_lengths(starts));
  Bill result{.currency = price.currency};
  std::vector<Span> steps;
  Instant end, last_billed;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    NEPH_CHECK(check(starts[i], end, i));
    auto account = account_of(rule, price, starts[i], i);
    NEPH_TRY(const auto paid, paid_for(rule, account));
    end = account.end;
    last_billed = account.spans.empty() ? end : account.spans.back().end;
    result.exact += account.exact;
    if (rule.within == Within::sum) NEPH_CHECK(add(result.billed, paid.length, all_that_is_paid));
    result.paid_until = paid.until;
    steps.insert(steps.end(), paid.steps.begin(), paid.steps.end());
    std::ranges::move(account.lines, std::back_inserter(result.lines));
  }
  if (rule.within == Within::most) {
    NEPH_TRY(result.billed, covered(steps));
  }
  if (rule.minimum_per == MinimumPer::bill && result.exact > Nanoseconds{}) {
    const auto paid = std::max(at_least(rule, minimum_of(rule), {}), result.billed);
    result.paid_until += dearer_from(rule, paid) - dearer_from(rule, result.billed);
    result.billed = paid;
  }
  result.amount = cost(price, result.billed);
  const auto rounded = result.billed - result.exact;
  result.lines.push_back({.start = starts.empty() ? 0 : starts.size() - 1,
                          .is_rounding = true,
                          .begin = last_billed,
                          .end = result.paid_until,
                          .length = rounded,
                          .is_billed = true,
                          .amount = cost(price, rounded)});
  return result;
}

}  // namespace neph::price
