// Google's machines and their GPUs, which SkyPilot's catalogue has in rows of their own: the price of a
// machine is the sum of both. Only for files of this module; others include price/price.hpp.
#pragma once

#include "price/offers/catalogue.hpp"

namespace neph::price {

/// Rows without a machine are GPUs of their zone. Machines that come with GPUs (A2, A3, A4, G2) get theirs,
/// or are left out where the zone has no price for them; to N1 machines all GPUs of the zone are added that
/// fit (https://cloud.google.com/compute/docs/gpus), as further offers; a TPU is an offer of itself, its host
/// is free.
void join_attached_gpus(Catalogue& catalogue);

}  // namespace neph::price
