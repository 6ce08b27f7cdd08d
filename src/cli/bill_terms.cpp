#include "cli/bill_terms.hpp"

#include "core/values.hpp"

namespace neph::cli {
namespace {

struct Priced {
  price::Price price;
  std::optional<price::Offer> offer;
};

Result<Priced> price_of(const BillOptions& options) {
  if (!options.price.empty() && !options.offer.empty())
    return fail(ErrorCode::invalid_argument, "--price {} and --offer {}: which of the two is it?",
                options.price, options.offer);
  if (options.price.empty())
    return fail(ErrorCode::invalid_argument,
                "no price given: --price 100RUB/h, --price '$0.40/h', or --offer of a price list");
  if (options.spot)
    return fail(ErrorCode::invalid_argument, "--spot goes with --offer; --price is what you say it is");
  NEPH_TRY(auto price, price::parse_price(options.price));
  return Priced{.price = std::move(price)};
}

}  // namespace

Result<std::vector<BillTerms>> bill_terms(const BillOptions& options) {
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto priced, price_of(options));
  NEPH_TRY(const auto names, expand_values(options.rule.empty() ? "per-second" : options.rule));
  std::vector<BillTerms> terms;
  for (const auto& name : names) {
    NEPH_TRY(auto rule, price::find_rule(name, rules));
    terms.push_back(
        {.rule = std::move(rule), .price = priced.price, .offer = priced.offer, .is_spot = options.spot});
  }
  return terms;
}

std::string offer_text(const BillTerms& terms) {
  if (!terms.offer) return {};
  const auto& offer = *terms.offer;
  return fmt::format("{}, {}, of {}, prices of {}", price::offer_name(offer),
                     terms.is_spot ? "spot" : "on demand", offer.catalogue, offer.date);
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
