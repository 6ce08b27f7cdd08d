#include "advise/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/units.hpp"
#include "device/device.hpp"

namespace neph::advise {
namespace {

constexpr double gib = 1073741824;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double memory_slack = 0.9;  ///< 80 GB are 74.5 GiB

/// An offer as the scan needs it: 50,000 of them are looked at for each configuration.
struct Machine {
  double price = unknown, vcpus = unknown, memory_bytes = unknown;
  std::int64_t gpus = 0;
  std::size_t gpu = 0, hardware = 0, arch = 0, rule = 0;  ///< places in lists of names
};

/// Names by their places.
class Names {
 public:
  std::size_t place_of(const std::string& name) {
    const auto [found, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

/// Who names none means the usual one.
std::string usual_arch(const std::string& arch) { return arch.empty() ? "x86_64" : price::arch_name(arch); }

/// A GPU of an offer: its name, and the memory that tells two of one name apart.
std::string gpu_key(const price::Offer& offer) {
  if (offer.gpus <= 0) return {};
  return offer.gpu_memory_gib ? fmt::format("{}|{}", offer.gpu, *offer.gpu_memory_gib) : offer.gpu;
}

bool fits_gpu(const std::string& wanted, const std::string& key) {
  if (wanted.empty()) return true;
  const auto bar = key.find('|');
  if (!device::is_same(wanted, key.substr(0, bar))) return false;
  const auto memory = device::name_of(wanted).memory;
  if (memory.empty() || bar == std::string::npos) return true;
  const double told = std::stod(memory);
  const double has = std::stod(key.substr(bar + 1));
  return has >= memory_slack * told && told >= memory_slack * has;
}

struct Market {
  std::span<const price::Offer> offers;
  std::vector<Machine> machines;
  Names gpus, hardware, archs;
  std::vector<price::Rule> rules;
  std::vector<bool> is_rule_assumed;
};

class RulesOfOffers {
 public:
  RulesOfOffers(Market& market, const std::vector<price::Rule>& rules) : market_(market), rules_(rules) {}

  Result<std::size_t> of(const price::Offer& offer) {
    const auto* known = offer.rule.empty() ? price::rule_for(offer, rules_) : nullptr;
    const auto key = std::pair(known ? known->name : offer.rule, known ? std::string() : offer.provider);
    if (const auto found = places_.find(key); found != places_.end()) return found->second;
    NEPH_TRY(auto rule, price::rule_of(offer, rules_));
    auto place = static_cast<std::size_t>(std::ranges::find(market_.rules, rule.name, &price::Rule::name) -
                                          market_.rules.begin());
    if (place == market_.rules.size()) {
      market_.is_rule_assumed.push_back(offer.rule.empty());
      market_.rules.push_back(std::move(rule));
    }
    return places_[key] = place;
  }

 private:
  Market& market_;
  const std::vector<price::Rule>& rules_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

Result<Market> market_of(std::span<const price::Offer> offers, const std::vector<price::Rule>& rules,
                         bool is_spot) {
  Market market{.offers = offers};
  market.machines.reserve(offers.size());
  RulesOfOffers rules_of(market, rules);
  for (const auto& offer : offers) {
    Machine machine{.vcpus = offer.vcpus.value_or(unknown),
                    .memory_bytes = offer.memory_gib ? *offer.memory_gib * gib : unknown,
                    .gpus = offer.gpu_share < 1 ? 0 : offer.gpus,  // a part of a GPU is not what was measured
                    .gpu = market.gpus.place_of(gpu_key(offer)),
                    .hardware = market.hardware.place_of(offer.hardware),
                    .arch = market.archs.place_of(usual_arch(offer.arch))};
    if (const auto& price = hourly(offer, is_spot)) {
      machine.price = price::approximate(*price);
      NEPH_TRY(machine.rule, rules_of.of(offer));
    }
    market.machines.push_back(machine);
  }
  return market;
}

/// Needs, with names looked up.
struct Wanted {
  const Needs* needs;
  double cores, memory_bytes;
  std::vector<bool> gpus, hardware, archs;  ///< by place: whether they will do
};

Wanted wanted_of(const Needs& needs, const Market& market) {
  Wanted wanted{
      .needs = &needs, .cores = needs.cores.value_or(0), .memory_bytes = needs.memory_bytes.value_or(0)};
  for (const auto& gpu : market.gpus.all())
    wanted.gpus.push_back(needs.gpus == 0 || !needs.hardware.empty() || fits_gpu(needs.gpu, gpu));
  for (const auto& other : market.hardware.all())
    wanted.hardware.push_back(needs.hardware.empty() ||
                              std::ranges::find(needs.hardware, other) != needs.hardware.end());
  const bool is_any = needs.arch.empty() && !needs.instance.empty();
  for (const auto& other : market.archs.all())
    wanted.archs.push_back(is_any || other == usual_arch(needs.arch));
  return wanted;
}

bool is_there(const Needs& needs, const price::Offer& offer) {
  return (needs.provider.empty() || needs.provider == offer.provider) &&
         (needs.instance.empty() || needs.instance == offer.instance);
}

Misfit misfit_of(const Wanted& wanted, const Machine& machine, const price::Offer& offer) {
  if (std::isnan(machine.price)) return Misfit::no_price;
  const bool is_pinned = !wanted.needs->provider.empty() || !wanted.needs->instance.empty();
  if (is_pinned && !is_there(*wanted.needs, offer)) return Misfit::elsewhere;
  if (!wanted.archs[machine.arch]) return Misfit::arch;
  if (machine.gpus < wanted.needs->gpus || !wanted.gpus[machine.gpu]) return Misfit::gpu;
  if (!wanted.hardware[machine.hardware]) return Misfit::hardware;
  if (wanted.cores > 0 && !(machine.vcpus >= wanted.cores)) return Misfit::cores;
  if (machine.memory_bytes < wanted.memory_bytes) return Misfit::memory;
  return Misfit::none;
}

/// Of two that can do the same, which one takes: the cheaper, else the smaller, else the first.
bool is_better(const Machine& a, const Machine& b) {
  if (a.price != b.price) return a.price < b.price;
  if (a.gpus != b.gpus) return a.gpus < b.gpus;
  return a.vcpus < b.vcpus;
}

std::string reason_of(Misfit misfit) {
  switch (misfit) {
    case Misfit::no_price:
      return "price unknown";
    case Misfit::elsewhere:
      return "the times are of other machines";
    case Misfit::arch:
      return "another architecture";
    case Misfit::gpu:
      return "not the GPU that was measured, or too few";
    case Misfit::hardware:
      return "another CPU or GPU";
    case Misfit::cores:
      return "too few cores, or cores not told";
    case Misfit::memory:
      return "memory too small";
    case Misfit::none:
      return "dearer than an offer that does the same, billed by the same rule";
  }
  return {};
}

void add_left_out(const Market& market, const std::vector<Misfit>& best,
                  const std::set<const price::Offer*>& taken, Matches& matches) {
  std::map<Misfit, LeftOut> groups;
  for (std::size_t i = 0; i < market.offers.size(); ++i) {
    if (taken.contains(&market.offers[i])) continue;
    auto& group = groups[best[i]];
    if (group.count++ == 0)
      group = {.what = "offer",
               .reason = reason_of(best[i]),
               .example = price::offer_name(market.offers[i]),
               .count = 1};
  }
  for (auto& [misfit, group] : groups) matches.left_out.push_back(std::move(group));
}

}  // namespace

const std::optional<price::Exact>& hourly(const price::Offer& offer, bool is_spot) {
  return is_spot ? offer.spot_per_hour : offer.per_hour;
}

Result<Matches> match(std::span<const Needs> needs, std::span<const price::Offer> offers,
                      const std::vector<price::Rule>& rules, bool is_spot) {
  NEPH_TRY(auto market, market_of(offers, rules, is_spot));
  Matches matches;
  std::vector<Misfit> best_of_offer(offers.size(), Misfit::no_price);
  std::set<const price::Offer*> taken;
  constexpr auto nothing = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const auto wanted = wanted_of(needs[i], market);
    std::vector<std::size_t> cheapest(market.rules.size(), nothing);
    auto nearest = Misfit::no_price;
    for (std::size_t j = 0; j < offers.size(); ++j) {
      const auto& machine = market.machines[j];
      const auto misfit = misfit_of(wanted, machine, offers[j]);
      nearest = std::max(nearest, misfit);
      best_of_offer[j] = std::max(best_of_offer[j], misfit);
      if (misfit != Misfit::none) continue;
      auto& place = cheapest[machine.rule];
      if (place == nothing || is_better(machine, market.machines[place])) place = j;
    }
    matches.misfits.push_back(nearest);
    for (std::size_t rule = 0; rule < cheapest.size(); ++rule) {
      if (cheapest[rule] == nothing) continue;
      const auto& offer = offers[cheapest[rule]];
      matches.matches.push_back({.configuration = i, .offer = &offer, .rule = rule});
      matches.is_memory_unknown.push_back(needs[i].memory_bytes && !offer.memory_gib);
      taken.insert(&offer);
    }
  }
  add_left_out(market, best_of_offer, taken, matches);
  matches.rules = std::move(market.rules);
  matches.is_rule_assumed = std::move(market.is_rule_assumed);
  return matches;
}

std::string why_unfit(const Needs& needs, Misfit misfit, std::span<const price::Offer> offers) {
  double most_cores = 0, most_memory = 0;
  for (const auto& offer : offers) {
    most_cores = std::max(most_cores, offer.vcpus.value_or(0));
    most_memory = std::max(most_memory, offer.memory_gib.value_or(0) * gib);
  }
  switch (misfit) {
    case Misfit::no_price:
      return "no offer has a price";
    case Misfit::elsewhere:
      return fmt::format("it was measured on {}{}{}, which no offer is", needs.provider,
                         needs.provider.empty() ? "" : "/", needs.instance);
    case Misfit::arch:
      return fmt::format("no offer is {}{}", usual_arch(needs.arch),
                         needs.arch.empty() ? ", which it is taken to be" : "");
    case Misfit::gpu:
      return fmt::format("no offer has {} {}", needs.gpus, needs.gpu.empty() ? "GPUs" : needs.gpu);
    case Misfit::hardware:
      return "no offer has its CPU or GPU";
    case Misfit::cores:
      return fmt::format("it needs {} cores, and the largest offer has {}{}", needs.cores.value_or(0),
                         most_cores, needs.gpus > 0 ? "; with its GPUs fewer" : "");
    case Misfit::memory:
      return fmt::format("it takes {} of memory, and the largest offer has {}",
                         format_bytes(needs.memory_bytes.value_or(0)), format_bytes(most_memory));
    case Misfit::none:
      return {};
  }
  return {};
}

}  // namespace neph::advise
