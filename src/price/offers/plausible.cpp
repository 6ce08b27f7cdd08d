// Prices that no provider can have.
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "core/units.hpp"
#include "price/offers/catalogue.hpp"
#include "price/offers/gpu_memory.hpp"
#include "price/offers/providers.hpp"

namespace neph::price {
namespace {

// An hour in USD: chosen, far below what machines cost.
constexpr double least_per_gb = 0.001, least_per_vcpu = 0.0003;
constexpr double least_spot = 0.25;  ///< of that, for machines that may be taken away

/// Below which a price on demand cannot be right; 0: nothing is known.
double least_price(const Offer& offer) {
  if (offer.currency != "USD") return 0;
  if (offer.gpus == 0) return least_per_vcpu * offer.vcpus.value_or(0);
  return least_per_gb * static_cast<double>(offer.gpus) * offer.gpu_share *
         least_memory_gb(offer.gpu).value_or(offer.gpu_memory_gib.value_or(0));
}

/// The same machine whatever its size: a name without its numbers, in one place.
std::string series_of(const Offer& offer) {
  auto name = offer.instance;
  std::erase_if(name, is_digit);
  return fmt::format("{}\n{}\n{}\n{}\n{}", offer.provider, name, offer.gpu, offer.region, offer.zone);
}

/// Markets have single GPUs of different owners: there a pair may cost less than another one.
bool is_for_nothing(const Offer& more, const Offer& fewer) {
  constexpr std::int64_t always = 4;  // times as many
  if (more.gpus <= fewer.gpus || *more.per_hour > *fewer.per_hour || more.vcpus < fewer.vcpus ||
      more.memory_gib < fewer.memory_gib)
    return false;
  return more.gpus >= always * fewer.gpus || *more.per_hour == *fewer.per_hour ||
         !lets_any_count(more.provider);
}

/// Why the offer's price cannot be right; empty: it may be.
std::string why_too_low(const Offer& offer, const std::vector<const Offer*>& series) {
  const auto& price = offer.per_hour ? offer.per_hour : offer.spot_per_hour;
  const double least = least_price(offer) * (offer.per_hour ? 1 : least_spot);
  if (price && approximate(*price) < least)
    return fmt::format("{} an hour, and such machines cost more than {}", decimal_text(*price),
                       format_number(least, 2));
  for (const auto* other : series)
    if (is_for_nothing(offer, *other))
      return fmt::format("{} for {} GPUs, as line {} for {}", decimal_text(*price), offer.gpus, other->line,
                         other->gpus);
  return {};
}

}  // namespace

void leave_out_implausible(Catalogue& catalogue) {
  if (catalogue.format != ListFormat::skypilot && catalogue.format != ListFormat::gpuhunt) return;
  std::map<std::string, std::vector<const Offer*>> all;
  for (const auto& offer : catalogue.offers)
    if (offer.gpus > 0 && offer.per_hour) all[series_of(offer)].push_back(&offer);
  std::vector<bool> is_out;
  for (auto& offer : catalogue.offers) {
    const auto find = [&](Flaw flaw, std::string_view what) {
      catalogue.findings.push_back({.flaw = flaw,
                                    .line = offer.line,
                                    .what = fmt::format("{}: {}", printable(offer_name(offer)), what)});
    };
    const bool is_own = offer.provider == "own" || offer.provider == "kubernetes";
    static const std::vector<const Offer*> none;
    const auto& series = offer.gpus > 1 && offer.per_hour ? all[series_of(offer)] : none;
    const auto why = is_own ? "" : why_too_low(offer, series);
    is_out.push_back(!why.empty());
    if (is_out.back()) find(Flaw::implausible_price, why);
    if (is_out.back() || is_own || !offer.spot_per_hour) continue;
    if (approximate(*offer.spot_per_hour) >= least_spot * least_price(offer)) continue;
    find(Flaw::bad_spot_price, decimal_text(*offer.spot_per_hour));
    offer.spot_per_hour.reset();
  }
  std::size_t at = 0;
  std::erase_if(catalogue.offers, [&](const Offer&) { return is_out[at++]; });
}

}  // namespace neph::price
