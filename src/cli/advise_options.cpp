#include "cli/advise_options.hpp"

#include <charconv>
#include <chrono>

namespace neph::cli {
namespace {

/// To the second: that is what a bill shows.
price::Instant now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

}  // namespace

Result<price::Instant> begin_of(const AdviseOptions& options) {
  const auto moment = now();
  if (options.start.empty()) return moment;
  return price::parse_instant(options.start, "UTC", moment);
}

Result<std::optional<double>> deadline_of(const AdviseOptions& options, price::Instant begin) {
  const auto& text = options.deadline;
  if (text.empty()) return std::nullopt;
  if (text.find(':') == std::string::npos) {
    auto length = price::parse_length(text);
    if (!length) return fail_in("--deadline", std::move(length).error());
    return seconds(*length);
  }
  auto end = price::parse_instant(text, "UTC", begin);
  if (!end) return fail_in("--deadline", std::move(end).error());
  if (*end <= begin)
    return fail(ErrorCode::invalid_argument,
                "--deadline {} is over before the machine is started; give a later one", text);
  return seconds(*end - begin);
}

Result<Budget> budget_of(const AdviseOptions& options) {
  const auto& text = options.budget;
  if (text.empty()) return Budget{};
  const auto price = price::parse_price(text + "/h");  // an amount is written as a price is
  if (!price)
    return fail(ErrorCode::invalid_argument, "--budget {}: give an amount above 0 and its currency, as 10USD",
                text);
  return Budget{price->per_hour, price->currency};
}

Result<Rates> rates_of(const AdviseOptions& options) {
  Rates rates;
  std::vector<std::string> currencies;
  for (const auto& text : options.rate) {
    if (text.find('=') != std::string::npos) {
      currencies.push_back(text);
      continue;
    }
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, rates.per_s);
    if (read.ec != std::errc{} || read.ptr != end || !(rates.per_s > 0))
      return fail(ErrorCode::invalid_argument,
                  "--rate {}: give requests per second above 0, as 200, or a currency, as EUR=1.08USD", text);
  }
  NEPH_TRY(rates.currencies, price::parse_rates(currencies));
  return rates;
}

Result<std::vector<price::Stretch>> assumed_by(const AdviseOptions& options) {
  NEPH_TRY(auto own, price::parse_stages(options.assume, "--assume"));
  return price::assumptions_with(std::move(own));
}

}  // namespace neph::cli
