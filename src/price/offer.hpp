// An offer: a machine at a price, as a provider's catalogue or a user's file has it. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "price/money.hpp"
#include "price/rule.hpp"

namespace neph::price {

/// What a machine has. Where a catalogue says nothing: no value.
struct Offer {
  std::string provider;  ///< "aws", in small letters
  std::string instance;  ///< "p3.8xlarge"
  std::string region;    ///< "us-east-1"
  std::string zone;
  std::optional<double> vcpus;
  std::optional<double> memory_gib;
  std::string gpu;      ///< "V100"; empty: none
  std::int64_t gpus = 0;
  std::optional<double> gpu_memory_gib;  ///< of each
  std::string arch;                      ///< "x86_64", "arm64"; empty: not said
  std::optional<Exact> per_hour;         ///< on demand
  std::optional<Exact> spot_per_hour;
  std::string currency = "USD";
  std::string rule;       ///< name of the rule that it is billed by; empty: none is known
  std::string catalogue;  ///< the file that it stands in
  std::string date;       ///< of the prices, "2026-11-24"; of the file where it says none
};

/// "gcp/n1-standard-8+v100:1@us-central1": what --offer takes and tables show.
std::string offer_name(const Offer& offer);

/// The offers that a name fits: provider/instance, +gpu:count where two differ by it, @region or @zone. The
/// cheapest first. Errors: not_found, with the nearest names; invalid_argument (no provider/instance).
Result<std::vector<Offer>> find_offers(std::string_view name, std::span<const Offer> offers);

/// The rule that an offer is billed by; where none is known per second, which the bill says as an assumption.
Result<Rule> rule_of(const Offer& offer, const std::vector<Rule>& rules);

}  // namespace neph::price
