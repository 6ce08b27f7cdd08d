// Offers for people and programs. Only for files of this module; others include price/price.hpp.
#pragma once

#include <span>

#include "core/json.hpp"
#include "core/text_table.hpp"
#include "price/offer.hpp"

namespace neph::price {

/// One row each; all are in one currency, and there is one.
TextTable offer_table(std::span<const Offer> offers);
Json offer_json(const Offer& offer);

}  // namespace neph::price
