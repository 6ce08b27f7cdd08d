// What must hold of every bill, by rules and starts at random.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "price/bill.hpp"

namespace neph::price {
namespace {

using enum BillStage;
using std::chrono::hours;
using std::chrono::seconds;

/// Rules and starts at random, from a seed.
class Anything {
 public:
  explicit Anything(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  Rule rule() {
    Rule rule{.name = "any"};
    constexpr std::array steps{0, 1, 60, 600, 3600};
    rule.step_s = steps.at(static_cast<std::size_t>(below(5)));
    constexpr std::array minima{0, 60, 3600, 14400};
    rule.minimum_s = minima.at(static_cast<std::size_t>(below(4)));
    if (rule.step_s > 0 && below(2) == 0) rule.align = Align::clock;
    if (rule.align == Align::start && below(4) == 0) rule.rounding = Rounding::down;
    if (rule.align == Align::clock && below(2) == 0) rule.within = Within::most;
    if (below(2) == 0) rule.minimum_per = MinimumPer::bill;
    rule.billed.boot = below(2) == 0;
    rule.billed.poweroff = below(2) == 0;
    rule.billed.off = below(2) == 0;
    return rule;
  }
  Nanoseconds length() { return Nanoseconds(below(3'000'000) * below(3'000'000)); }
  Start start(Instant earliest) {
    Start start{.begin = earliest + length()};
    for (const auto stage : {boot, learn, save, poweroff, off})
      start.stretches.push_back({.stage = stage, .length = length()});
    return start;
  }

 private:
  Random random_;
};

void expect_sound(const Bill& bill, std::uint64_t seed) {
  Exact sum = 0;
  Nanoseconds length{};
  for (const auto& line : bill.lines) {
    sum += line.amount;
    if (line.is_billed) length += line.length;
    EXPECT_LE(line.begin, line.end) << seed;
  }
  EXPECT_EQ(sum, bill.amount) << seed;
  EXPECT_EQ(length, bill.billed) << seed;
  EXPECT_GE(bill.amount, 0) << seed;
}

TEST(Bill, KeepsItsPromisesForAnyRule) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Anything any(seed);
    const auto rule = any.rule();
    auto start = any.start(Instant(seconds(1795600000)));
    const auto one = bill(rule, price, std::vector{start}).value();
    expect_sound(one, seed);
    const Nanoseconds step = seconds(rule.step_s);
    const Nanoseconds minimum = seconds(rule.minimum_s);
    if (one.exact > Nanoseconds{}) {
      EXPECT_GE(one.billed, minimum) << seed;
    }
    EXPECT_GE(one.billed, rule.rounding == Rounding::up ? one.exact : one.exact - step) << seed;
    const bool has_gap = rule.billed.off && !rule.billed.poweroff;
    const int steps = rule.align == Align::start ? 1 : has_gap ? 4 : 2;  // begun at both ends
    EXPECT_LE(one.billed, std::max(minimum, one.exact) + step * steps) << seed;
    // By the clock later stages may come to lie better when one before a gap is longer.
    start.stretches[rule.billed.off ? 4 : 1].length += any.length();
    const auto longer = bill(rule, price, std::vector{start}).value();
    EXPECT_GE(longer.amount, one.amount) << "longer, " << seed;
    auto finer = rule;
    finer.step_s = rule.step_s / 60;
    if (rule.rounding == Rounding::up && (finer.step_s > 0 || rule.align == Align::start)) {
      EXPECT_LE(bill(finer, price, std::vector{start}).value().amount, longer.amount)
          << "finer steps, " << seed;
    }
  }
}

TEST(Bill, CostsTheSameUntilThePaidTimeEndsForAnyRule) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Anything any(seed);
    const auto rule = any.rule();
    std::vector starts{any.start(Instant(seconds(1795600000)))};
    for (auto more = any.below(3); more > 0; --more) {
      auto end = starts.back().begin;
      for (const auto& stretch : starts.back().stretches) end += stretch.length;
      starts.push_back(any.start(end));
    }
    starts.back().stretches.resize(3);  // it ends as work ends
    const auto before = bill(rule, price, starts).value();
    expect_sound(before, seed);
    auto& work = starts.back().stretches.back();
    const auto& rounding = before.lines.back();
    work.length += before.paid_until - rounding.begin;
    if (rule.rounding == Rounding::down && rule.step_s > 0)
      work.length -= Nanoseconds(1);  // full, it is paid
    EXPECT_EQ(bill(rule, price, starts).value().amount, before.amount) << seed;
    work.length += Nanoseconds(1);
    EXPECT_GT(bill(rule, price, starts).value().amount, before.amount) << seed;
  }
}

TEST(Bill, IsNeverSmallerWhenAStartIsSplit) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Anything any(seed);
    auto rule = any.rule();
    rule.rounding = Rounding::up;  // down, each part loses a step
    const auto whole = any.start(Instant(seconds(1795600000)));
    Start one = whole;
    Start other = whole;
    one.stretches.resize(2);
    other.stretches.erase(other.stretches.begin(), other.stretches.begin() + 2);
    other.begin = whole.begin + one.stretches[0].length + one.stretches[1].length;
    EXPECT_GE(bill(rule, price, std::vector{one, other}).value().amount,
              bill(rule, price, std::vector{whole}).value().amount)
        << seed;
  }
}

TEST(Bill, IsNeverDearerByFinerSteps) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Anything any(seed);
    auto rule = any.rule();
    rule.rounding = Rounding::up;
    const std::vector starts{any.start(Instant(seconds(1795600000)))};
    Exact last = 0;
    for (const auto step_s : {1, 60, 3600}) {
      rule.step_s = step_s;
      const auto amount = bill(rule, price, starts).value().amount;
      EXPECT_GE(amount, last) << step_s << ", " << seed;
      last = amount;
    }
  }
}

TEST(Bill, DependsOnItsStartOnlyWithinAnHourOfTheClock) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Anything any(seed);
    const auto rule = any.rule();
    auto start = any.start(Instant(seconds(1795600000)));
    const auto amount = bill(rule, price, std::vector{start}).value().amount;
    start.begin += hours(1 + any.below(2000));
    EXPECT_EQ(bill(rule, price, std::vector{start}).value().amount, amount) << seed;
    if (rule.align == Align::clock) continue;
    start.begin += any.length();
    EXPECT_EQ(bill(rule, price, std::vector{start}).value().amount, amount) << "from the start, " << seed;
  }
}

TEST(Bill, IsAtMostAStepMoreThanItTook) {
  const auto price = parse_price("1USD/h").value();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Anything any(seed);
    auto rule = any.rule();
    rule.billed = {};  // without a gap that is free
    const auto one = bill(rule, price, std::vector{any.start(Instant(seconds(1795600000)))}).value();
    const Nanoseconds step = seconds(rule.step_s);
    const Nanoseconds minimum = seconds(rule.minimum_s);
    const Nanoseconds most = rule.align == Align::start ? one.exact + step : one.exact + 2 * step;
    EXPECT_LE(one.billed, std::max(rule.align == Align::start ? minimum : minimum + 2 * step, most)) << seed;
  }
}

}  // namespace
}  // namespace neph::price
