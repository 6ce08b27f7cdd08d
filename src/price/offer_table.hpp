// Offers for people and programs. Only for files of this module; others include price/price.hpp.
#pragma once

#include <span>
#include <string>

#include "core/json_fwd.hpp"
#include "price/offer.hpp"

namespace neph::price {

/// A table of a row each, within so many columns of a terminal; all are in one currency, and there is one.
std::string offers_text(std::span<const Offer> offers, std::size_t width);
Json offer_json(const Offer& offer);

}  // namespace neph::price
