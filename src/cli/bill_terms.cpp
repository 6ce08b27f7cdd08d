#include "cli/bill_terms.hpp"

#include <algorithm>

#include "cli/terminal.hpp"
#include "core/json.hpp"
#include "core/values.hpp"

namespace neph::cli {
namespace {

/// Where the price comes from, the rule still left open.
Result<BillTerms> price_given(const BillOptions& options) {
  if (options.price.empty())
    return fail(ErrorCode::invalid_argument,
                "no price given: --price 100RUB/h, --price '$0.40/h', or --offer of a price list");
  if (options.spot)
    return fail(ErrorCode::invalid_argument, "--spot goes with --offer; --price is what you say it is");
  BillTerms terms;
  NEPH_TRY(terms.price, price::parse_price(options.price));
  return terms;
}

Result<BillTerms> price_of_offer(const BillOptions& options, const std::vector<price::Rule>& rules) {
  NEPH_TRY(const auto lists, load_offers(options.lists, rules));
  for (const auto& note : lists.notes) talk("{}\n", note);
  NEPH_TRY(auto found, price::find_offers(options.offer, lists.offers));
  const auto price_in = [&](const price::Offer& offer) {
    return options.spot ? offer.spot_per_hour : offer.per_hour;
  };
  std::erase_if(found, [&](const price::Offer& offer) { return !price_in(offer); });
  if (found.empty())
    return fail(ErrorCode::not_found, "{} has no price {} in these lists; {}", options.offer,
                options.spot ? "for spot" : "on demand",
                options.spot ? "leave --spot out" : "--spot takes the one that it has");
  NEPH_TRY(const auto rates, price::parse_rates(options.rate));
  NEPH_CHECK(price::into_one_currency(found, rates));
  const auto cheapest = std::ranges::min_element(
      found, [&](const auto& one, const auto& other) { return *price_in(one) < *price_in(other); });
  return BillTerms{.price = {.per_hour = *price_in(*cheapest), .currency = cheapest->currency},
                   .offer = *cheapest,
                   .is_spot = options.spot,
                   .fitting = found.size()};
}

}  // namespace

Result<std::vector<BillTerms>> bill_terms(const BillOptions& options) {
  if (!options.price.empty() && !options.offer.empty())
    return fail(ErrorCode::invalid_argument, "--price {} and --offer {}: which of the two is it?",
                options.price, options.offer);
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto priced, options.offer.empty() ? price_given(options) : price_of_offer(options, rules));
  std::vector<BillTerms> terms;
  if (options.rule.empty() && priced.offer) {
    terms.push_back(priced);
    NEPH_TRY(terms.back().rule, price::rule_of(*priced.offer, rules));
    return terms;
  }
  NEPH_TRY(const auto names, expand_values(options.rule.empty() ? "per-second" : options.rule));
  for (const auto& name : names) {
    terms.push_back(priced);
    NEPH_TRY(terms.back().rule, price::find_rule(name, rules));
  }
  return terms;
}

std::string offer_text(const BillTerms& terms) {
  if (!terms.offer) return {};
  const auto& offer = *terms.offer;
  return fmt::format(
      "{}, {}, of {}, prices of {}{}", price::offer_name(offer), terms.is_spot ? "spot" : "on demand",
      offer.catalogue, offer.date,
      terms.fitting > 1 ? fmt::format("; the cheapest of {} of that name", terms.fitting) : "");
}

Json offer_json(const BillTerms& terms) {
  if (!terms.offer) return nullptr;
  const auto& offer = *terms.offer;
  return {{"name", price::offer_name(offer)},
          {"region", offer.region},
          {"catalogue", offer.catalogue},
          {"date", offer.date},
          {"spot", terms.is_spot}};
}

}  // namespace neph::cli
