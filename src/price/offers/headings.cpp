#include "price/offers/headings.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"

namespace neph::price {
namespace {

struct Name {
  std::string_view name;  ///< in small letters
  Cell cell;
};

/// Of SkyPilot, of gpuhunt, and what people call such columns. Others say nothing of a price.
constexpr std::array names{Name{"provider", Cell::provider},
                           Name{"cloud", Cell::provider},
                           Name{"instancetype", Cell::instance},
                           Name{"instance_type", Cell::instance},
                           Name{"instance_name", Cell::instance},
                           Name{"instance", Cell::instance},
                           Name{"machine", Cell::instance},
                           Name{"region", Cell::region},
                           Name{"location", Cell::region},
                           Name{"availabilityzone", Cell::zone},
                           Name{"zone", Cell::zone},
                           Name{"vcpus", Cell::vcpus},
                           Name{"vcpu", Cell::vcpus},
                           Name{"cpu", Cell::vcpus},
                           Name{"cpus", Cell::vcpus},
                           Name{"cores", Cell::vcpus},
                           Name{"memorygib", Cell::memory_gib},
                           Name{"memory_gib", Cell::memory_gib},
                           Name{"memory", Cell::memory_gib},
                           Name{"acceleratorname", Cell::gpu},
                           Name{"gpu_name", Cell::gpu},
                           Name{"gpu", Cell::gpu},
                           Name{"acceleratorcount", Cell::gpus},
                           Name{"gpu_count", Cell::gpus},
                           Name{"gpus", Cell::gpus},
                           Name{"gpuinfo", Cell::gpu_info},
                           Name{"gpu_memory_gib", Cell::gpu_memory_gib},
                           Name{"gpu_memory", Cell::gpu_memory_gib},
                           Name{"memorygb", Cell::gpu_memory_gib},
                           Name{"arch", Cell::arch},
                           Name{"cpu_arch", Cell::arch},
                           Name{"price", Cell::price},
                           Name{"price_per_hour", Cell::price},
                           Name{"per_hour", Cell::price},
                           Name{"spotprice", Cell::spot},
                           Name{"spot_price", Cell::spot},
                           Name{"spot_per_hour", Cell::spot},
                           Name{"spot", Cell::spot},
                           Name{"currency", Cell::currency},
                           Name{"rule", Cell::rule},
                           Name{"date", Cell::date},
                           Name{"pricepervcpu", Cell::vcpu_price},
                           Name{"pricepermemorygb", Cell::gib_price},
                           Name{"priceperaccelerator", Cell::gpu_price}};

std::string listed(const std::vector<std::string_view>& headings) {
  constexpr std::size_t most_shown = 8, longest = 120;
  std::string text;
  for (std::size_t i = 0; i < std::min(headings.size(), most_shown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", printable(trimmed(headings[i])));
  return cut_to_width(text, longest) + (headings.size() > most_shown ? ", ..." : "");
}

}  // namespace

Result<Headings> Headings::read(const std::vector<std::string_view>& headings) {
  Headings read;
  read.columns_.fill(-1);
  read.width_ = headings.size();
  bool is_skypilot = false;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const auto name = lowered(trimmed(headings[i]));
    is_skypilot |= name == "instancetype";
    const auto found = std::ranges::find(names, std::string_view(name), &Name::name);
    if (found == names.end()) continue;
    auto& column = read.columns_[static_cast<std::size_t>(found->cell)];
    if (column >= 0)
      return fail(ErrorCode::invalid_argument, "two columns say the same: {} and {}",
                  headings[static_cast<std::size_t>(column)], headings[i]);
    column = static_cast<int>(i);
  }
  const bool has_machines = read.has(Cell::instance) && (read.has(Cell::price) || read.has(Cell::spot));
  const bool is_gpu_table = read.has(Cell::gpu) && read.has(Cell::gpu_memory_gib);
  if (!has_machines && !read.has(Cell::vcpu_price) && !is_gpu_table)
    return fail(ErrorCode::invalid_argument,
                "its headings are of no price list that is known: {}; a list needs the columns InstanceType "
                "(SkyPilot), instance_name (gpuhunt) or instance, and price",
                listed(headings));
  const bool is_gpuhunt = std::ranges::find(headings, "instance_name") != headings.end();
  if (has_machines)
    read.format_ = is_skypilot ? ListFormat::skypilot : is_gpuhunt ? ListFormat::gpuhunt : ListFormat::csv;
  else
    read.format_ = read.has(Cell::vcpu_price) ? ListFormat::slurm : ListFormat::gpus;
  return read;
}

}  // namespace neph::price
