#include "script/limits.hpp"

#include <algorithm>

#include "core/units.hpp"

namespace neph::script {
namespace {

constexpr std::int64_t longest_s = 3'000'000'000;  // a century: the numbers of a shell hold its sums

std::string money(const price::Price& sum) { return price::decimal_text(sum.per_hour) + " " + sum.currency; }

std::int64_t whole_seconds(const price::Exact& hours) {
  const price::Exact seconds = hours * 3600;
  return std::min(seconds.truncated(), longest_s);
}

}  // namespace

Result<price::Price> parse_budget(std::string_view text) {
  const auto refuse = [&](std::string_view reason) {
    return fail(ErrorCode::invalid_argument, "--budget '{}': {}; give it as 5USD or 500RUB", text, reason);
  };
  if (text.find('/') != std::string_view::npos) return refuse("it is a sum of money, not a price");
  auto sum = price::parse_price(std::string(text) + "/h");  // which knows currencies and numbers
  if (!sum) return refuse("it is no sum of money");
  if (sum->per_hour == 0) return refuse("nothing can be done for nothing");
  return sum;
}

Result<Limit> limit_of(const price::Rule& rule, const price::Price& price, const price::Price& budget) {
  if (budget.currency != price.currency)
    return fail(ErrorCode::invalid_argument,
                "--budget is in {}, and the price in {}: give both in one currency", budget.currency,
                price.currency);
  if (price.per_hour == 0)
    return fail(ErrorCode::invalid_argument,
                "at a price of 0 a budget lasts forever: limit it by --max-time");
  const auto lasts_s = whole_seconds(budget.per_hour / price.per_hour);
  const auto step_s = std::max<std::int64_t>(rule.step_s, 1);
  const auto seconds = lasts_s / step_s * step_s;
  if (const auto least_s = std::max(step_s, rule.minimum_s); lasts_s < least_s)
    return fail(ErrorCode::invalid_argument,
                "--budget {} is used up at once: {} bills at least {}, which is {} {}", money(budget),
                rule.name, format_seconds(static_cast<double>(least_s)),
                price::decimal_text(price::cost(price, std::chrono::seconds(least_s))), price.currency);
  return Limit{.seconds = seconds, .clock_s = rule.align == price::Align::clock ? step_s : 0};
}

}  // namespace neph::script
