#include "price/rate.hpp"

#include <algorithm>
#include <set>

#include "core/text.hpp"

namespace neph::price {
namespace {

constexpr std::size_t code_letters = 3;

bool is_currency(std::string_view code) {
  return code.size() == code_letters &&
         std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_of_same_pair(const Rate& a, const Rate& b) {
  return (a.from == b.from && a.to == b.to) || (a.from == b.to && a.to == b.from);
}

/// Where all go that are not of one currency already.
std::string target_of(const std::set<std::string>& currencies, std::span<const Rate> rates) {
  for (const auto& rate : rates)
    if (currencies.contains(rate.from) || currencies.contains(rate.to)) return rate.to;
  return *currencies.begin();
}

}  // namespace

Result<Rate> parse_rate(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument, "rate '{}': {}; give it as EUR=1.08USD", text, why);
  };
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return wrong("there is no '='");
  const auto from = trimmed(text.substr(0, equals));
  const auto rest = trimmed(text.substr(equals + 1));
  if (rest.size() <= code_letters) return wrong("a number and a currency stand behind '='");
  const auto to = rest.substr(rest.size() - code_letters);
  if (!is_currency(from) || !is_currency(to)) return wrong("a currency has three capital letters");
  if (from == to) return wrong("both are the same currency");
  NEPH_TRY(auto value,
           parse_decimal(rest.substr(0, rest.size() - code_letters), fmt::format("rate '{}'", text)));
  if (value <= 0) return wrong("it is not above 0");
  return Rate{.from = std::string(from), .to = std::string(to), .value = std::move(value)};
}

Result<std::vector<Rate>> parse_rates(const std::vector<std::string>& texts) {
  std::vector<Rate> rates;
  for (std::string_view text : texts)
    while (!text.empty()) {
      const auto comma = std::min(text.find(','), text.size());
      NEPH_TRY(auto rate, parse_rate(text.substr(0, comma)));
      if (std::ranges::any_of(rates, [&](const Rate& other) { return is_of_same_pair(rate, other); }))
        return fail(ErrorCode::invalid_argument, "--rate: two rates of {} and {}; give one", rate.from,
                    rate.to);
      rates.push_back(std::move(rate));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  return rates;
}

Result<Exact> converted(const Exact& amount, const std::string& from, const std::string& to,
                        std::span<const Rate> rates) {
  if (from == to) return amount;
  for (const auto& rate : rates) {
    if (rate.from == from && rate.to == to) return Exact(amount * rate.value);
    if (rate.from == to && rate.to == from) return Exact(amount / rate.value);
  }
  return fail(ErrorCode::invalid_argument,
              "prices are in {0} and in {1}, which are not compared without a rate: --rate {0}=…{1}, with "
              "what one {0} is",
              from, to);
}

std::vector<std::string> rate_texts(std::span<const Rate> rates) {
  std::vector<std::string> texts;
  for (const auto& rate : rates)
    texts.push_back(fmt::format("{} = {} {}", rate.from, decimal_text(rate.value), rate.to));
  return texts;
}

Status into_one_currency(std::vector<Offer>& offers, std::span<const Rate> rates,
                         const std::string& currency) {
  std::set<std::string> currencies;
  for (const auto& offer : offers) currencies.insert(offer.currency);
  if (currencies.empty() || (currency.empty() && currencies.size() == 1)) return {};
  const auto to = currency.empty() ? target_of(currencies, rates) : currency;
  for (auto& offer : offers) {
    if (offer.currency == to) continue;
    for (auto* price : {&offer.per_hour, &offer.spot_per_hour}) {
      if (!*price) continue;
      NEPH_TRY(*price, converted(**price, offer.currency, to, rates));
    }
    if (offer.unit_prices) {
      auto units = *offer.unit_prices;
      for (auto* price : {&units.vcpu, &units.gib, &units.gpu}) {
        NEPH_TRY(*price, converted(*price, offer.currency, to, rates));
      }
      offer.unit_prices = std::make_shared<const UnitPrices>(std::move(units));
    }
    offer.currency = to;
  }
  return {};
}

}  // namespace neph::price
