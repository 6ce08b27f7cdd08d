#include "price/offer_table.hpp"

#include <cmath>

#include "core/text.hpp"

namespace neph::price {
namespace {

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:g}", *value) : "-";
}

std::string price_text(const std::optional<Exact>& price) { return price ? decimal_text(*price) : "-"; }

std::string gpu_text(const Offer& offer) {
  if (offer.gpus == 0) return "-";
  auto text =
      fmt::format("{:g} x {}", static_cast<double>(offer.gpus) * offer.gpu_share, printable(offer.gpu));
  if (offer.gpu_memory_gib) text += fmt::format(" {:.3g} GiB", *offer.gpu_memory_gib);
  return text;
}

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json price_json(const std::optional<Exact>& price, const std::string& currency) {
  if (!price) return nullptr;
  return {{"amount", decimal_text(*price)}, {"currency", currency}};
}

}  // namespace

TextTable offer_table(std::span<const Offer> offers) {
  using Side = TextTable::Side;
  const auto& currency = offers.front().currency;
  TextTable table(
      {"offer", "vCPUs", "GiB", "GPUs", currency + "/h", "spot", "rule", "prices of"},
      {Side::left, Side::right, Side::right, Side::left, Side::right, Side::right, Side::left, Side::left});
  for (const auto& offer : offers)
    table.add({printable(offer_name(offer)), number_text(offer.vcpus), number_text(offer.memory_gib),
               gpu_text(offer), price_text(offer.per_hour), price_text(offer.spot_per_hour),
               offer.rule.empty() ? "per-second, assumed" : offer.rule, printable(offer.date)});
  return table;
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
