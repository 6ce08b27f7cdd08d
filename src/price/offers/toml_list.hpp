// Offers that a user writes down in TOML. Only for files of this module; others include price/price.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/json.hpp"
#include "price/offers/catalogue.hpp"

namespace neph::price {

/// [[offer]], as a user writes it.
struct OwnOffer {
  std::string provider, instance, region, zone;
  double vcpus = 0, memory_gib = 0;
  std::string gpu;
  std::int64_t gpus = 0;
  double gpu_memory_gib = 0;
  std::string arch;
  Json price, spot_price;
  std::string currency, rule, date;
};

template <class Visit, Describes<OwnOffer> Self>
void describe(Visit&& v, Self& s) {
  v("provider", s.provider, "who lets it");
  v("instance", s.instance, "the machine's name there");
  v("region", s.region, "where it stands");
  v("zone", s.zone, "which part of the region");
  v("vcpus", s.vcpus, "virtual CPUs; 0: not said", at_least(0));
  v("memory_gib", s.memory_gib, "main memory; 0: not said", at_least(0));
  v("gpu", s.gpu, "name of its GPUs");
  v("gpus", s.gpus, "how many of them; 1 where gpu is said", at_least(0));
  v("gpu_memory_gib", s.gpu_memory_gib, "memory of each GPU; 0: not said", at_least(0));
  v("arch", s.arch, "x86_64 or arm64");
  v("price", s.price, "per hour: 0.40, \"0.40\" or \"100RUB/h\"");
  v("spot_price", s.spot_price, "the same, of a machine that may be taken away");
  v("currency", s.currency, "of prices that say none: USD");
  v("rule", s.rule, "how it is billed: a name of `neph price rules`");
  v("date", s.date, "of the price");
}

/// The file.
struct OwnList {
  std::string provider, currency = "USD", date, source, rule;
  std::vector<OwnOffer> offer;
};

template <class Visit, Describes<OwnList> Self>
void describe(Visit&& v, Self& s) {
  v("provider", s.provider, "of offers that name none");
  v("currency", s.currency, "of prices that say none");
  v("date", s.date, "of all prices, as 2026-11-24");
  v("source", s.source, "where they were read");
  v("rule", s.rule, "of offers that name none");
  v("offer", s.offer, "one [[offer]] for each machine");
}

/// Errors: corrupt (no TOML), invalid_argument (a key or value that makes no sense, no offers).
Status read_toml_list(std::string_view text, Catalogue& catalogue);

}  // namespace neph::price
