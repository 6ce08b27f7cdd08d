// Any bytes as a price list: offers or an error, never a crash. Of what is read every offer has a price above
// 0 and as many GPUs as it names, and all findings are told.
#include <cstdlib>
#include <string_view>

#include "price/price.hpp"

namespace neph::price {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Offer& offer) {
  require(offer.per_hour || offer.spot_per_hour);
  require(!offer.per_hour || *offer.per_hour > 0);
  require(!offer.spot_per_hour || *offer.spot_per_hour > 0);
  require(!offer.provider.empty() && offer.gpus >= 0 && (offer.gpus == 0) == offer.gpu.empty());
  require(!offer_json(offer).empty());
}

void read(std::string_view text) {
  const auto list = parse_catalogue(text, {.file = "input", .provider = {}, .date = "2026-11-25"});
  if (!list) return require(list.error().message.starts_with("input"));
  require(list->rows > 0);
  for (const auto& offer : list->offers) check(offer);
  const auto findings = lint_catalogue(*list, built_in_rules(), "2026-11-25");
  require(findings.size() >= list->findings.size());
  require(!lint_text(*list, findings, 3).empty() &&
          lint_json(*list, findings)["findings"].size() == findings.size());
  auto offers = list->offers;
  merge_zones(offers);
  sort_offers(offers, OfferOrder::price_per_core, false);
  require(offers.size() <= list->offers.size());
  if (!offers.empty()) require(!offers_text(offers, 100).empty());
}

/// What people type.
void read_words(std::string_view text) {
  if (const auto rate = parse_rate(text)) require(rate->value > 0 && rate->from != rate->to);
  if (const auto bounds = parse_bounds(text, "--cores")) require(bounds->low <= bounds->high);
  static const auto example = example_catalogue();
  if (const auto found = find_offers(text, example.offers)) require(!found->empty());
  require(is_in_region(text, text, ""));
}

}  // namespace
}  // namespace neph::price

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  neph::price::read(text);
  neph::price::read_words(text);
  return 0;
}
