#include "price/selection.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include <fmt/ranges.h>

#include "core/text.hpp"
#include "device/device.hpp"
#include "price/region.hpp"

namespace neph::price {
namespace {

std::optional<double> whole_number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

/// --gpu, taken apart.
struct GpuChoice {
  std::string_view name;
  std::optional<double> count;
};

Result<GpuChoice> gpu_choice(std::string_view text) {
  GpuChoice choice{.name = text, .count = std::nullopt};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return choice;
  choice.name = text.substr(0, colon);
  choice.count = whole_number(text.substr(colon + 1));
  if (!choice.count || choice.name.empty())
    return fail(ErrorCode::invalid_argument, "--gpu {}: give it as V100:8", text);
  return choice;
}

bool has_gpu(const Offer& offer, const GpuChoice& choice) {
  if (choice.name.empty()) return true;
  if (same_words(choice.name, "none")) return offer.gpus == 0;
  if (offer.gpus == 0) return false;
  if (choice.count && *choice.count != static_cast<double>(offer.gpus) * offer.gpu_share) return false;
  return same_words(choice.name, "any") || device::is_meant(choice.name, offer.gpu, offer.gpu_memory_gib);
}

bool contains_words(std::string_view text, std::string_view part) {
  const auto same = [](char one, char other) {
    return same_words(std::string_view(&one, 1), std::string_view(&other, 1));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

double key_of(const Offer& offer, OfferOrder order, bool by_spot) {
  constexpr double last = std::numeric_limits<double>::infinity();
  const auto& price = by_spot ? offer.spot_per_hour : offer.per_hour;
  const double amount = price ? approximate(*price) : last;
  switch (order) {
    case OfferOrder::price:
      return amount;
    case OfferOrder::price_per_core:
      return offer.vcpus && *offer.vcpus > 0 ? amount / *offer.vcpus : last;
    case OfferOrder::price_per_gpu:
      return offer.gpus > 0 ? amount / (static_cast<double>(offer.gpus) * offer.gpu_share) : last;
    case OfferOrder::cores:
      return offer.vcpus.value_or(last);
    case OfferOrder::memory:
      return offer.memory_gib.value_or(last);
    case OfferOrder::name:
      return 0;
  }
  return last;
}

}  // namespace

Result<Bounds> parse_bounds(std::string_view text, std::string_view what) {
  const auto whole = trimmed(text);
  Bounds bounds;
  if (whole.empty()) return bounds;
  const auto wrong = [&] {
    return fail(ErrorCode::invalid_argument, "{} {}: give it as 8, 4..16, 4.. or ..16", what, whole);
  };
  const auto dots = whole.find("..");
  const auto low = whole.substr(0, dots);
  const auto high = dots == std::string_view::npos ? low : whole.substr(dots + 2);
  if (low.empty() && high.empty()) return wrong();
  for (const auto& [end, bound] : {std::pair(low, &bounds.low), std::pair(high, &bounds.high)}) {
    if (end.empty()) continue;
    const auto value = whole_number(end);
    if (!value) return wrong();
    *bound = *value;
  }
  if (bounds.low > bounds.high) return wrong();
  return bounds;
}

Result<Chosen> choose(std::span<const Offer> offers, const OfferChoice& choice) {
  NEPH_TRY(const auto gpu, gpu_choice(choice.gpu));
  NEPH_TRY(const auto cores, parse_bounds(choice.cores, "--cores"));
  NEPH_TRY(const auto memory, parse_bounds(choice.memory, "--memory"));
  const AskedRegion region(choice.region, offers);
  const bool is_part = is_part_of_world(choice.region);
  Chosen chosen;
  for (const auto& offer : offers) {
    if (!choice.machine.empty() && !contains_words(offer.instance, choice.machine)) continue;
    if (!choice.cores.empty() && !(offer.vcpus && cores.hold(*offer.vcpus))) continue;
    if (!choice.memory.empty() && !(offer.memory_gib && memory.hold(*offer.memory_gib))) continue;
    const bool is_of_gpu = has_gpu(offer, gpu);
    if (!region.has(offer))
      chosen.without_place += is_of_gpu && is_part && part_of_world(offer.region).empty() ? 1 : 0;
    else if (!is_of_gpu && offer.gpus > 0 && !same_words(gpu.name, "none"))
      chosen.other_gpus.insert(offer.gpu);
    if (!region.has(offer) || !is_of_gpu) continue;
    if (choice.spot ? offer.spot_per_hour.has_value() : offer.per_hour.has_value())
      chosen.offers.push_back(offer);
    else
      ++chosen.without_price;
  }
  return chosen;
}

std::string passed_over_text(const Chosen& chosen, const OfferChoice& choice) {
  if (chosen.other_gpus.empty()) return {};
  constexpr std::size_t most_shown = 8;
  const auto wanted = device::name_of(std::string_view(choice.gpu).substr(0, choice.gpu.rfind(':'))).model();
  std::vector<std::string> names(chosen.other_gpus.begin(), chosen.other_gpus.end());
  std::ranges::stable_partition(names, [&](const auto& name) {
    return device::name_of(name).model().find(wanted) != std::string::npos;
  });
  names.resize(std::min(names.size(), most_shown));
  const auto more = chosen.other_gpus.size() - names.size();
  return fmt::format("Passed over by --gpu: {}{}.", printable(fmt::format("{}", fmt::join(names, ", "))),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

void sort_offers(std::vector<Offer>& offers, OfferOrder order, bool by_spot) {
  struct Place {
    double key = 0, price = 0;
    std::size_t index = 0;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < offers.size(); ++i)
    places.push_back({.key = key_of(offers[i], order, by_spot),
                      .price = key_of(offers[i], OfferOrder::price, by_spot),
                      .index = i});
  const auto name_of = [&](const Place& place) -> const std::string& { return offers[place.index].instance; };
  std::ranges::stable_sort(places, [&](const Place& one, const Place& other) {
    if (order == OfferOrder::name && name_of(one) != name_of(other)) return name_of(one) < name_of(other);
    return std::pair(one.key, one.price) < std::pair(other.key, other.price);
  });
  std::vector<Offer> sorted;
  sorted.reserve(offers.size());
  for (const auto& place : places) sorted.push_back(std::move(offers[place.index]));
  offers = std::move(sorted);
}

void merge_zones(std::vector<Offer>& offers) {
  std::unordered_map<std::string, std::size_t> places;  // by name and price, in `kept`
  std::vector<Offer> kept;
  places.reserve(offers.size());
  for (auto& offer : offers) {
    const auto price = offer.per_hour ? offer.per_hour->str() : "";
    const auto key = fmt::format("{}+{}:{} {}", offer_name(offer), offer.gpu, offer.gpus, price);
    const auto [place, is_new] = places.try_emplace(key, kept.size());
    if (is_new) {
      kept.push_back(std::move(offer));
      continue;
    }
    auto& same = kept[place->second];
    auto& spot = same.spot_per_hour;
    if (offer.spot_per_hour && (!spot || *offer.spot_per_hour < *spot)) spot = std::move(offer.spot_per_hour);
    same.zone.clear();
  }
  offers = std::move(kept);
}

}  // namespace neph::price
