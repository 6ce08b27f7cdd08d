// An offer: a machine at a price, as a provider's catalogue or a user's file has it. Only for files of this
// module; others include price/price.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "price/money.hpp"
#include "price/rule.hpp"

namespace neph::price {

/// What a cluster of one's own charges for the parts of a job, by the hour.
struct UnitPrices {
  Exact vcpu, gib, gpu;
  std::string gpu_name;  ///< of which; empty: of any
};

/// What a machine has. Where a catalogue says nothing: no value.
struct Offer {
  std::string provider;  ///< "aws", in small letters
  std::string instance;  ///< "p3.8xlarge"
  std::string region;    ///< "us-east-1"
  std::string zone;
  std::optional<double> vcpus;
  std::optional<double> memory_gib;
  std::string gpu;  ///< "V100"; empty: none
  std::int64_t gpus = 0;
  /// Its GPU's sheet (device/), or of a machine without any what of a CPU one of its vCPUs is, "0.5 cores of
  /// EPYC 7763"; empty: not looked up, or not known.
  std::string hardware;
  double gpu_share = 1;  ///< of each GPU that the machine gets, where one is divided: 0.125
  bool gpu_is_attached =
      false;  ///< was added to a machine that is offered without it: its name is not enough
  std::optional<double> gpu_memory_gib;  ///< of each
  std::string arch;                      ///< "x86_64", "arm64"; empty: not said
  std::optional<Exact> per_hour;         ///< on demand
  std::optional<Exact> spot_per_hour;
  std::string currency = "USD";
  std::string rule;       ///< name of the rule that it is billed by; empty: none is known
  std::string catalogue;  ///< the file that it stands in
  std::string date;       ///< of the prices, "2026-11-24"; of the file where it says none
  std::int64_t line = 0;  ///< of the file
  std::shared_ptr<const UnitPrices> unit_prices;  ///< of a cluster, which has jobs of any size
};

/// "gcp/n1-standard-8+v100:1@us-central1": what --offer takes and tables show.
std::string offer_name(const Offer& offer);

/// The offers that a name fits: provider/instance, +gpu:count where two differ by it, @region or @zone. The
/// cheapest first. Of a cluster of one's own slurm/16CPU--64GB--V100:1 of any size. Errors: not_found, with
/// the nearest names; invalid_argument (no provider/instance).
Result<std::vector<Offer>> find_offers(std::string_view name, std::span<const Offer> offers);

/// The first rule whose `bills` has the offer's provider, and whose `bills_machines` or `bills_instances` has
/// the machine; null: none has.
const Rule* rule_for(const Offer& offer, const std::vector<Rule>& rules);

/// The rule that an offer is billed by; where none is known per second, which the bill says as an assumption.
/// Errors: not_found (the offer names a rule that there is not).
Result<Rule> rule_of(const Offer& offer, const std::vector<Rule>& rules);

/// Whether `first` costs less an hour, on demand; what has no price on demand is last.
bool is_cheaper(const Offer& first, const Offer& second);

}  // namespace neph::price
