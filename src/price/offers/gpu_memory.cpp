#include "price/offers/gpu_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/ranges.h>

#include "device/device.hpp"

namespace neph::price {
namespace {

constexpr double mib_per_gib = 1024;
constexpr double least_share = 0.9, most_share = 1.03;  ///< of the data sheet's figure

/// The number behind `key` in a dictionary as Python or JSON writes it.
std::optional<double> number_of(std::string_view dictionary, std::string_view key) {
  const auto at = dictionary.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  auto rest = dictionary.substr(at + key.size());
  const auto digit = rest.find_first_not_of("'\": ");
  if (digit == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(digit);
  double number = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (read.ec != std::errc() || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Of all devices of the name's model, in GB.
std::set<double> memory_sizes(std::string_view gpu) {
  std::set<double> sizes;
  for (const auto* sheet : device::built_in().variants_of(gpu))
    for (const double gb : sheet->memory_sizes_gb()) sizes.insert(gb);
  return sizes;
}

bool is_same(double one, double other) { return std::fabs(one - other) <= 0.01 * std::max(one, other); }

}  // namespace

bool is_known_gpu(std::string_view gpu) { return !device::built_in().variants_of(gpu).empty(); }

bool may_have_memory(std::string_view gpu, double gib) {
  const auto sizes = memory_sizes(gpu);
  return sizes.empty() || std::ranges::any_of(sizes, [gib](double gb) {
           return gib >= least_share * gb && gib <= most_share * gb;
         });
}

std::optional<double> least_memory_gb(std::string_view gpu) {
  const auto sizes = memory_sizes(gpu);
  return sizes.empty() ? std::nullopt : std::optional(*sizes.begin());
}

std::string memory_of_known_gpu(std::string_view gpu) {
  const auto sizes = memory_sizes(gpu);
  return sizes.empty() ? "" : fmt::format("{} GB", fmt::join(sizes, " or "));
}

GpuMemory gpu_memory_of(std::string_view gpu_info, std::string_view gpu, std::int64_t gpus,
                        std::string_view provider) {
  GpuMemory memory;
  auto each = number_of(gpu_info, "SizeInMiB");
  if (!each) return memory;
  const auto find = [&](Flaw flaw, std::string what) {
    memory.flaws.push_back({.flaw = flaw, .what = std::move(what)});
  };
  auto total = number_of(gpu_info, "TotalGpuMemoryInMiB");
  if (*each < mib_per_gib) {
    find(Flaw::gpu_memory_unit, fmt::format("{}: SizeInMiB {}", gpu, *each));
    *each *= mib_per_gib;
    if (total) *total *= mib_per_gib;
  }
  const auto count = static_cast<double>(std::max<std::int64_t>(gpus, 1));
  const bool is_twice = gpus > 1 && total && is_same(*total, *each);  // one of both is wrong
  const bool may_be_each = is_known_gpu(gpu) ? may_have_memory(gpu, *each / mib_per_gib) : provider != "vast";
  if (is_twice && !may_be_each) {
    find(Flaw::gpu_memory_of_all, fmt::format("{} x {}: SizeInMiB {}", gpus, gpu, *each));
    *each /= count;
  } else if (total && !is_same(*total, *each * count)) {
    find(Flaw::gpu_memory_total, fmt::format("{} x {}: total {} MiB, and each {}", gpus, gpu, *total, *each));
  }
  memory.gib = *each / mib_per_gib;
  return memory;
}

}  // namespace neph::price
