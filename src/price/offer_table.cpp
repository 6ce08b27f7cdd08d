#include "price/offer_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"

namespace neph::price {
namespace {

constexpr std::size_t longest_name = 80, longest_gpu = 40;  ///< shown; a table would wrap more for minutes

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.10g}", std::round(100 * *value) / 100) : "-";
}

std::string price_text(const std::optional<Exact>& price) { return price ? decimal_text(*price) : "-"; }

std::string gpu_text(const Offer& offer) {
  if (offer.gpus == 0) return "-";
  auto text = fmt::format("{:g} x {}", static_cast<double>(offer.gpus) * offer.gpu_share,
                          cut_to_width(printable(offer.gpu), longest_gpu));
  if (offer.gpu_memory_gib) text += fmt::format(" {:.3g} GiB", *offer.gpu_memory_gib);
  return text;
}

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json price_json(const std::optional<Exact>& price, const std::string& currency) {
  if (!price) return nullptr;
  return {{"amount", decimal_text(*price)}, {"currency", currency}};
}

}  // namespace

std::string offers_text(std::span<const Offer> offers, std::size_t width) {
  using Side = TextTable::Side;
  const bool has_spot =
      std::ranges::any_of(offers, [](const Offer& offer) { return offer.spot_per_hour.has_value(); });
  const bool has_archs =
      std::ranges::any_of(offers, [&](const Offer& offer) { return offer.arch != offers.front().arch; });
  const bool has_assumed = std::ranges::any_of(offers, [](const Offer& offer) { return offer.rule.empty(); });
  std::vector<std::string> headings{"offer", "vCPUs", "GiB", "GPUs",
                                    printable(offers.front().currency) + "/h"};
  std::vector<Side> sides{Side::left, Side::right, Side::right, Side::left, Side::right};
  if (has_archs) headings.insert(headings.begin() + 4, "arch"), sides.insert(sides.begin() + 4, Side::left);
  if (has_spot) headings.emplace_back("spot"), sides.push_back(Side::right);
  headings.emplace_back("rule");
  TextTable table(headings, sides);
  for (const auto& offer : offers) {
    std::vector<std::string> row{cut_to_width(printable(offer_name(offer)), longest_name),
                                 number_text(offer.vcpus), number_text(offer.memory_gib), gpu_text(offer),
                                 price_text(offer.per_hour)};
    if (has_archs)
      row.insert(row.begin() + 4,
                 offer.arch.empty() ? "-" : cut_to_width(printable(offer.arch), longest_gpu));
    if (has_spot) row.push_back(price_text(offer.spot_per_hour));
    row.push_back(offer.rule.empty() ? "assumed" : offer.rule);
    table.add(std::move(row));
  }
  return table.text_within(width) +
         (has_assumed ? "\nRule 'assumed': none is known of the provider, so it is billed per second." : "");
}

Json offer_json(const Offer& offer) {
  return {{"name", offer_name(offer)},
          {"provider", offer.provider},
          {"instance", offer.instance},
          {"region", text_json(offer.region)},
          {"zone", text_json(offer.zone)},
          {"vcpus", to_json(offer.vcpus)},
          {"memory_gib", to_json(offer.memory_gib)},
          {"gpu", text_json(offer.gpu)},
          {"gpus", static_cast<double>(offer.gpus) * offer.gpu_share},
          {"gpu_memory_gib", to_json(offer.gpu_memory_gib)},
          {"arch", text_json(offer.arch)},
          {"per_hour", price_json(offer.per_hour, offer.currency)},
          {"spot_per_hour", price_json(offer.spot_per_hour, offer.currency)},
          {"rule", text_json(offer.rule)},
          {"catalogue", offer.catalogue},
          {"line", offer.line},
          {"date", text_json(offer.date)}};
}

}  // namespace neph::price
