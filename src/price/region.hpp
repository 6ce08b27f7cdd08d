// What a region's name means: eu-west-1, europe-west4, westeurope and FIN-01 all lie in Europe. Only for
// files of this module; others include price/price.hpp.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "price/offer.hpp"

namespace neph::price {

/// "eu" (Europe without Russia), "us", "ca", "sa" (South and Central America), "asia", "au" (with New
/// Zealand), "me" (Near East), "africa", "ru"; empty: the name does not say.
std::string_view part_of_world(std::string_view region);

/// Whether a region that is asked for is a part of the world: "eu", "europe".
bool is_part_of_world(std::string_view asked);

/// Whether an offer's region is meant by `asked`: its name or zone, the beginning of its name up to a dash or
/// a number ("us-east"), a country within it ("fr" of fr-par-1 and EU-FR-1; two letters are no state or
/// province, which "us-de" is), or a part of the world ("eu", "europe").
bool is_in_region(std::string_view asked, std::string_view region, std::string_view zone);

/// A region that is asked for among offers. Of a provider that has a region or zone of that very name no
/// other is meant: Azure's "westus" is not westus2.
class AskedRegion {
 public:
  AskedRegion(std::string_view asked, std::span<const Offer> offers);
  bool has(const Offer& offer) const;

 private:
  std::string asked_;
  std::set<std::string> exact_;  ///< providers that have it
};

}  // namespace neph::price
