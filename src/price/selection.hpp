// Which offers are wanted, and in which order. Only for files of this module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "price/offer.hpp"

namespace neph::price {

/// The ends belong to it.
struct Bounds {
  double low = 0, high = std::numeric_limits<double>::infinity();
  bool hold(double value) const { return value >= low && value <= high; }
};

/// "4..16", "8", "4..", "..16". Errors: invalid_argument.
Result<Bounds> parse_bounds(std::string_view text, std::string_view what);

enum class OfferOrder { price, price_per_core, price_per_gpu, cores, memory, name };
constexpr auto enum_names(OfferOrder) {
  return std::array{Named{OfferOrder::price, "price"},
                    Named{OfferOrder::price_per_core, "price-per-core"},
                    Named{OfferOrder::price_per_gpu, "price-per-gpu"},
                    Named{OfferOrder::cores, "cores"},
                    Named{OfferOrder::memory, "memory"},
                    Named{OfferOrder::name, "name"}};
}

/// What --gpu, --region, --cores and others ask for; empty: anything.
struct OfferChoice {
  std::string machine{}, gpu{}, region{}, cores{}, memory{};
  bool spot = false;
};

template <class Visit, Describes<OfferChoice> Self>
void describe(Visit&& v, Self& s) {
  v("machine", s.machine, "a part of the machine's name: standard");
  v("gpu", s.gpu, "name of its GPU, with a count or without: V100, V100:8, any, none");
  v("region", s.region,
    "region, zone, country, or part of the world: us-east-1, us-de, fr, eu (Europe without Russia), us, "
    "asia, "
    "ru, ...");
  v("cores", s.cores, "virtual CPUs: 8, 4..16, 4.., ..16");
  v("memory", s.memory, "main memory in GiB, in the same ways");
  v("spot", s.spot, "machines that may be taken away, by their price");
}

/// Of all, those that are wanted, and how many were not for want of a price of that kind, or because their
/// region's name does not tell the part of the world that was asked for.
struct Chosen {
  std::vector<Offer> offers;
  std::int64_t without_price = 0, without_place = 0;
  std::set<std::string> other_gpus;  ///< names that --gpu passed over, of offers that are wanted otherwise
};

/// Errors: invalid_argument (bounds that are none).
Result<Chosen> choose(std::span<const Offer> offers, const OfferChoice& choice);

/// "Passed over by --gpu: A100, T4 and 12 more.", the like names first; empty: none was.
std::string passed_over_text(const Chosen& chosen, const OfferChoice& choice);

/// Stable; what the order asks for and an offer lacks is last. Prices are in one currency.
void sort_offers(std::vector<Offer>& offers, OfferOrder order, bool by_spot);

/// One offer for the zones of a region that cost the same on demand, with the least spot price of them.
void merge_zones(std::vector<Offer>& offers);

}  // namespace neph::price
