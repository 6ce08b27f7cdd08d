// What a region's name means: eu-west-1, europe-west4, westeurope and FIN-01 all lie in Europe. Only for
// files of this module; others include price/price.hpp.
#pragma once

#include <string_view>

namespace neph::price {

/// "eu" (Europe without Russia), "us", "ca", "sa" (South and Central America), "asia", "au" (with New
/// Zealand), "me" (Near East), "africa", "ru"; empty: the name does not say.
std::string_view part_of_world(std::string_view region);

/// Whether an offer's region is meant by `asked`: its name or zone, the beginning of its name up to a dash or
/// a number ("us-east"), a country within it ("fr" of fr-par-1), or a part of the world ("eu", "europe").
bool is_in_region(std::string_view asked, std::string_view region, std::string_view zone);

}  // namespace neph::price
