#include "price/offer.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/ranges.h>

#include "core/names.hpp"
#include "core/text.hpp"
#include "price/offers/cluster.hpp"
#include "price/region.hpp"

namespace neph::price {
namespace {

/// "gcp/n1-standard-8+v100:1@us-central1", taken apart.
struct Wanted {
  std::string_view provider, instance, gpu, region;
  std::optional<double> gpus;
};

Result<Wanted> read_name(std::string_view name) {
  constexpr std::string_view form = "aws/p3.8xlarge@us-east-1 or gcp/n1-standard-8+v100:1";
  Wanted wanted;
  auto rest = name;
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    wanted.region = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == rest.size())
    return fail(ErrorCode::invalid_argument, "offer '{}': give it as PROVIDER/MACHINE, as {}", name, form);
  wanted.provider = rest.substr(0, slash);
  wanted.instance = rest.substr(slash + 1);
  const auto plus = wanted.instance.rfind('+');
  if (plus == std::string_view::npos) return wanted;
  wanted.gpu = wanted.instance.substr(plus + 1);
  wanted.instance = wanted.instance.substr(0, plus);
  if (const auto colon = wanted.gpu.rfind(':'); colon != std::string_view::npos) {
    const auto text = wanted.gpu.substr(colon + 1);
    double count = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(count > 0))
      return fail(ErrorCode::invalid_argument, "offer '{}': '{}' is no number of GPUs", name, text);
    wanted.gpus = count;
    wanted.gpu = wanted.gpu.substr(0, colon);
  }
  return wanted;
}

bool has_gpu(const Offer& offer, const Wanted& wanted) {
  if (wanted.gpu.empty()) return !offer.gpu_is_attached;
  const double gpus = static_cast<double>(offer.gpus) * offer.gpu_share;
  return same_words(offer.gpu, wanted.gpu) && (!wanted.gpus || *wanted.gpus == gpus);
}

using Names = std::set<std::string>;

tl::unexpected<Error> unknown(std::string_view kind, std::string_view name, const Names& known,
                              std::string_view where) {
  return unknown_name(ErrorCode::not_found, kind, name, {known.begin(), known.end()}, where);
}

/// Whether some offer is there: of another machine, or of another provider.
bool is_region_of(std::string_view asked, std::span<const Offer> offers) {
  return is_part_of_world(asked) || std::ranges::any_of(offers, [&](const Offer& offer) {
           return is_in_region(asked, offer.region, offer.zone);
         });
}

/// Why no offer has the name.
tl::unexpected<Error> no_such_offer(const Wanted& wanted, std::span<const Offer> offers) {
  Names providers, instances, gpus, regions;
  for (const auto& offer : offers) {
    providers.insert(offer.provider);
    if (!same_words(offer.provider, wanted.provider)) continue;
    instances.insert(offer.instance);
    if (!same_words(offer.instance, wanted.instance)) continue;
    if (!offer.gpu.empty())
      gpus.insert(
          fmt::format("{}:{}", lowered(offer.gpu), static_cast<double>(offer.gpus) * offer.gpu_share));
    if (has_gpu(offer, wanted)) regions.insert(offer.region.empty() ? offer.zone : offer.region);
  }
  if (offers.empty())
    return fail(ErrorCode::not_found, "there are no offers; name a catalogue: --offers FILE");
  if (instances.empty()) return unknown("provider", wanted.provider, providers, "the offers");
  const auto of = fmt::format("the offers of {}", wanted.provider);
  if (gpus.empty() && regions.empty()) return unknown("machine", wanted.instance, instances, of);
  if (regions == Names{""})
    return fail(ErrorCode::not_found, "{}/{}: no list says where it is; leave @{} out", wanted.provider,
                wanted.instance, wanted.region);
  if (!regions.empty() && is_region_of(wanted.region, offers))
    return fail(ErrorCode::not_found, "{}/{} is not let in {}: it is in {}", wanted.provider, wanted.instance,
                wanted.region, fmt::join(regions, ", "));
  if (!regions.empty()) return unknown("region", wanted.region, regions, of);
  const auto asked = wanted.gpus ? fmt::format("{}:{}", wanted.gpu, *wanted.gpus) : std::string(wanted.gpu);
  return unknown("GPU", asked, gpus, fmt::format("offers of {}/{}", wanted.provider, wanted.instance));
}

/// "RENDER-S*" names RENDER-S and RENDER-S-2.
bool is_named_by(const Rule& rule, std::string_view instance) {
  return std::ranges::any_of(rule.bills_instances, [&](std::string_view name) {
    if (!name.ends_with('*')) return same_words(name, instance);
    name.remove_suffix(1);
    return same_words(name, instance.substr(0, name.size()));
  });
}

}  // namespace

std::string offer_name(const Offer& offer) {
  auto name = fmt::format("{}/{}", offer.provider, offer.instance);
  if (offer.gpu_is_attached)
    name += fmt::format("+{}:{}", lowered(offer.gpu), static_cast<double>(offer.gpus) * offer.gpu_share);
  const auto& region = offer.region.empty() ? offer.zone : offer.region;
  return region.empty() ? name : name + "@" + region;
}

bool is_cheaper(const Offer& first, const Offer& second) {
  if (first.per_hour && second.per_hour) return *first.per_hour < *second.per_hour;
  if (first.per_hour || second.per_hour) return first.per_hour.has_value();
  return first.spot_per_hour && second.spot_per_hour && *first.spot_per_hour < *second.spot_per_hour;
}

Result<std::vector<Offer>> find_offers(std::string_view name, std::span<const Offer> offers) {
  NEPH_TRY(const auto wanted, read_name(name));
  const AskedRegion region(wanted.region, offers);
  std::vector<Offer> found;
  if (const auto shape = job_shape(wanted.instance); shape && same_words(wanted.provider, cluster_provider))
    found = jobs_of(*shape, wanted.region, offers);
  for (const auto& offer : offers) {
    if (offer.unit_prices || !same_words(offer.instance, wanted.instance)) continue;
    if (!same_words(offer.provider, wanted.provider) || !has_gpu(offer, wanted)) continue;
    if (region.has(offer)) found.push_back(offer);
  }
  if (found.empty()) return no_such_offer(wanted, offers);
  std::ranges::stable_sort(found, is_cheaper);
  return found;
}

const Rule* rule_for(const Offer& offer, const std::vector<Rule>& rules) {
  const auto bills = [&](const Rule& rule) {
    const bool is_of_kind = rule.bills_machines == Machines::all ||
                            (rule.bills_machines == Machines::with_gpu) == (offer.gpus > 0);
    return (is_of_kind || is_named_by(rule, offer.instance)) &&
           std::ranges::find(rule.bills, offer.provider) != rule.bills.end();
  };
  const auto found = std::ranges::find_if(rules, bills);
  return found == rules.end() ? nullptr : &*found;
}

Result<Rule> rule_of(const Offer& offer, const std::vector<Rule>& rules) {
  if (!offer.rule.empty()) return find_rule(offer.rule, rules);
  if (const auto* known = rule_for(offer, rules)) return *known;
  NEPH_TRY(auto assumed, find_rule("per-second", rules));
  assumed.title =
      fmt::format("assumed: no rule of '{}' is known, so every second from boot to the end", offer.provider);
  return assumed;
}

}  // namespace neph::price
