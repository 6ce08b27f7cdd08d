#include "price/offers/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "core/text.hpp"
#include "price/region.hpp"

namespace neph::price {
namespace {

constexpr double gib_per_vcpu = 4, vcpus_per_gpu = 8;

/// The number before `unit`, which is taken off with it.
std::optional<double> take_number(std::string_view& text, std::string_view unit) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || !(number > 0) || number > 1e9) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (!text.starts_with(unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  return number;
}

bool is_of_any_place(const Offer& offer) { return offer.region.empty() && offer.zone.empty(); }

/// A GPU whose price nobody filled in is not free.
bool has_price_of(const UnitPrices& prices, const JobShape& shape) {
  if (shape.gpus == 0) return true;
  return prices.gpu > 0 && (prices.gpu_name.empty() || same_words(prices.gpu_name, shape.gpu));
}

/// Those of the offers that may serve a job: one without GPUs takes a named GPU's row where there is no
/// other.
std::vector<const Offer*> serving(const JobShape& shape, std::string_view region,
                                  std::span<const Offer> offers) {
  const AskedRegion asked(region, offers);
  std::vector<const Offer*> all;
  for (const auto& offer : offers)
    if (offer.unit_prices && has_price_of(*offer.unit_prices, shape) &&
        (is_of_any_place(offer) || asked.has(offer)))
      all.push_back(&offer);
  const auto is_of_no_gpu = [](const Offer* offer) { return offer->unit_prices->gpu_name.empty(); };
  if (shape.gpus == 0 && std::ranges::any_of(all, is_of_no_gpu))
    std::erase_if(all, std::not_fn(is_of_no_gpu));
  return all;
}

}  // namespace

std::optional<JobShape> job_shape(std::string_view name) {
  JobShape shape;
  const auto vcpus = take_number(name, "CPU--");
  if (!vcpus) return std::nullopt;
  const auto gib = take_number(name, "GB");
  if (!gib) return std::nullopt;
  shape.vcpus = *vcpus;
  shape.gib = *gib;
  if (name.empty()) return shape;
  const auto colon = name.rfind(':');
  if (!name.starts_with("--") || colon == std::string_view::npos || colon <= 2) return std::nullopt;
  auto count = name.substr(colon + 1);
  const auto gpus = take_number(count, "");
  if (!gpus || !count.empty() || *gpus != static_cast<double>(static_cast<std::int64_t>(*gpus)))
    return std::nullopt;
  shape.gpu = name.substr(2, colon - 2);
  shape.gpus = static_cast<std::int64_t>(*gpus);
  return shape;
}

std::string shape_name(const JobShape& shape) {
  const auto name = fmt::format("{}CPU--{}GB", shape.vcpus, shape.gib);
  return shape.gpus == 0 ? name : fmt::format("{}--{}:{}", name, shape.gpu, shape.gpus);
}

Offer job_of(const Offer& priced, const JobShape& shape) {
  auto job = priced;
  const auto& prices = *priced.unit_prices;
  job.instance = shape_name(shape);
  job.vcpus = shape.vcpus;
  job.memory_gib = shape.gib;
  job.gpu = shape.gpu;
  job.gpus = shape.gpus;
  job.per_hour = Exact(shape.vcpus) * prices.vcpu + Exact(shape.gib) * prices.gib + shape.gpus * prices.gpu;
  return job;
}

std::vector<Offer> jobs_of(const JobShape& shape, std::string_view region, std::span<const Offer> offers) {
  std::map<std::pair<std::string, std::string>, const Offer*> best;  // by region and zone
  bool has_named = false;
  for (const auto* offer : serving(shape, region, offers)) {
    has_named |= !is_of_any_place(*offer);
    auto& known = best[{offer->region, offer->zone}];
    if (known == nullptr || (known->unit_prices->gpu_name.empty() && shape.gpus > 0)) known = offer;
  }
  std::vector<Offer> jobs;
  for (const auto& [where, offer] : best)
    if (region.empty() || !has_named || !is_of_any_place(*offer)) jobs.push_back(job_of(*offer, shape));
  std::erase_if(jobs, [](const Offer& job) { return *job.per_hour == 0; });
  return jobs;
}

std::vector<Offer> usual_jobs(const Offer& priced) {
  std::vector<Offer> jobs;
  const auto& gpu = priced.unit_prices->gpu_name;
  if (gpu.empty()) {
    for (double vcpus = 1; vcpus <= 64; vcpus *= 2)
      jobs.push_back(job_of(priced, {.vcpus = vcpus, .gib = vcpus * gib_per_vcpu}));
    return jobs;
  }
  for (std::int64_t gpus = 1; gpus <= 8; gpus *= 2) {
    const double vcpus = vcpus_per_gpu * static_cast<double>(gpus);
    jobs.push_back(job_of(priced, {.vcpus = vcpus, .gib = vcpus * gib_per_vcpu, .gpu = gpu, .gpus = gpus}));
  }
  return jobs;
}

}  // namespace neph::price
