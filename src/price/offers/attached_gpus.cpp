#include "price/offers/attached_gpus.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "core/text.hpp"

namespace neph::price {
namespace {

/// A kind of machine that comes with GPUs.
struct BuiltIn {
  std::string_view kind, gpu;
};
constexpr std::array with_gpus{
    BuiltIn{"a2-highgpu", "A100"},  BuiltIn{"a2-megagpu", "A100"},       BuiltIn{"a2-ultragpu", "A100-80GB"},
    BuiltIn{"a3-highgpu", "H100"},  BuiltIn{"a3-edgegpu", "H100"},       BuiltIn{"a3-megagpu", "H100-MEGA"},
    BuiltIn{"a3-ultragpu", "H200"}, BuiltIn{"a4-highgpu", "B200"},       BuiltIn{"a4x-highgpu", "GB200"},
    BuiltIn{"g2-standard", "L4"},   BuiltIn{"g4-standard", "RTXPRO6000"}};

/// The most vCPUs and GiB of an N1 machine with so many GPUs.
struct Limit {
  std::string_view gpu;
  std::int64_t gpus;
  double vcpus, gib;
};
constexpr std::array limits{Limit{"K80", 1, 8, 52},    Limit{"K80", 2, 16, 104},  Limit{"K80", 4, 32, 208},
                            Limit{"K80", 8, 64, 208},  Limit{"V100", 1, 12, 78},  Limit{"V100", 2, 24, 156},
                            Limit{"V100", 4, 48, 312}, Limit{"V100", 8, 96, 624}, Limit{"T4", 1, 48, 312},
                            Limit{"T4", 2, 48, 312},   Limit{"T4", 4, 96, 624},   Limit{"P4", 1, 24, 156},
                            Limit{"P4", 2, 48, 312},   Limit{"P4", 4, 96, 624},   Limit{"P100", 1, 16, 104},
                            Limit{"P100", 2, 32, 208}, Limit{"P100", 4, 96, 624}};

std::int64_t number_at(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "a2-highgpu-1g" has one; "g2-standard-24" and "g4-standard-96" have two, by their vCPUs.
std::int64_t built_in_count(std::string_view instance, const BuiltIn& kind) {
  const auto number = number_at(instance.substr(kind.kind.size() + 1));
  constexpr std::int64_t vcpus_per_g4_gpu = 48;
  if (kind.kind == "g4-standard") return std::max<std::int64_t>(number / vcpus_per_g4_gpu, 1);
  if (kind.kind != "g2-standard") return number;
  return number == 24 ? 2 : number == 48 ? 4 : number == 96 ? 8 : 1;
}

const BuiltIn* kind_of_machine(std::string_view instance) {
  const auto found = std::ranges::find_if(with_gpus, [&](const BuiltIn& each) {
    return instance.starts_with(each.kind) && instance.size() > each.kind.size() + 1 &&
           instance[each.kind.size()] == '-';
  });
  return found == with_gpus.end() ? nullptr : &*found;
}

bool fits(const Offer& machine, const Limit& limit) {
  return machine.vcpus.value_or(limit.vcpus + 1) <= limit.vcpus &&
         machine.memory_gib.value_or(limit.gib + 1) <= limit.gib;
}

std::optional<Exact> sum(const std::optional<Exact>& one, const std::optional<Exact>& other) {
  if (!one || !other) return std::nullopt;
  return Exact(*one + *other);
}

Offer with_gpu(const Offer& machine, const Offer& gpu, bool is_attached) {
  auto both = machine;
  both.gpu = gpu.gpu;
  both.gpus = gpu.gpus;
  both.gpu_memory_gib = gpu.gpu_memory_gib;
  both.gpu_is_attached = is_attached;
  both.per_hour = sum(machine.per_hour, gpu.per_hour);
  both.spot_per_hour = sum(machine.spot_per_hour, gpu.spot_per_hour);
  return both;
}

struct Gpu {
  Offer offer;
  bool is_used = false;  ///< some machine has it
};
/// Of a zone, by name and count.
using Gpus = std::map<std::pair<std::string, std::int64_t>, Gpu>;

class Join {
 public:
  explicit Join(Catalogue& catalogue) : catalogue_(catalogue) {}

  void run() {
    auto rows = std::exchange(catalogue_.offers, {});
    catalogue_.offers.reserve(rows.size());
    for (auto& row : rows)
      if (row.instance.empty()) take_gpu(row);
    for (auto& row : rows)
      if (!row.instance.empty()) take_machine(std::move(row));
    for (auto& [zone, gpus] : gpus_)
      for (auto& [name, gpu] : gpus) take_alone(gpu);
  }

 private:
  static const std::string& zone_of(const Offer& offer) {
    return offer.zone.empty() ? offer.region : offer.zone;
  }

  void take_gpu(const Offer& row) {
    const auto [known, is_new] = gpus_[zone_of(row)].try_emplace({row.gpu, row.gpus}, Gpu{.offer = row});
    if (is_new) return;
    auto& taken = known->second.offer;
    auto left_out = row;
    if (!taken.per_hour && row.per_hour) std::swap(taken, left_out);  // the one with a price on demand
    find(Flaw::other_gpu_price, left_out.line,
         fmt::format("{} x {} in {}: that of line {} is taken", row.gpus, printable(row.gpu),
                     printable(zone_of(row)), taken.line));
  }

  void take_machine(Offer machine) {
    const auto zone = gpus_.find(zone_of(machine));
    auto* gpus = zone == gpus_.end() ? nullptr : &zone->second;
    if (const auto* kind = machine.gpu.empty() ? kind_of_machine(machine.instance) : nullptr; kind != nullptr)
      return take_built_in(machine, *kind, gpus);
    if (gpus != nullptr && machine.instance.starts_with("n1-"))
      for (const auto& limit : limits)
        if (const auto gpu = gpus->find({std::string(limit.gpu), limit.gpus});
            gpu != gpus->end() && fits(machine, limit))
          add(machine, gpu->second, true);
    catalogue_.offers.push_back(std::move(machine));
  }

  void take_built_in(const Offer& machine, const BuiltIn& kind, Gpus* gpus) {
    const auto count = built_in_count(machine.instance, kind);
    if (gpus != nullptr)
      if (const auto gpu = gpus->find({std::string(kind.gpu), count}); gpu != gpus->end())
        return add(machine, gpu->second, false);
    find(Flaw::gpu_without_price, machine.line,
         fmt::format("{}: {} x {} in {}", printable(machine.instance), count, kind.gpu,
                     printable(machine.region)));
  }

  void add(const Offer& machine, Gpu& gpu, bool is_attached) {
    gpu.is_used = true;
    auto both = with_gpu(machine, gpu.offer, is_attached);
    if (both.per_hour || both.spot_per_hour) catalogue_.offers.push_back(std::move(both));
  }

  void take_alone(Gpu& gpu) {
    if (gpu.is_used) return;
    if (gpu.offer.gpu.starts_with("tpu")) {
      gpu.offer.instance = "TPU-VM";
      gpu.offer.gpu_is_attached = true;
      return catalogue_.offers.push_back(std::move(gpu.offer));
    }
    find(Flaw::gpu_without_machine, gpu.offer.line,
         fmt::format("{} x {} in {}", gpu.offer.gpus, printable(gpu.offer.gpu), printable(gpu.offer.region)));
  }

  void find(Flaw flaw, std::int64_t line, std::string what) {
    catalogue_.findings.push_back({.flaw = flaw, .line = line, .what = std::move(what)});
  }

  Catalogue& catalogue_;
  std::map<std::string, Gpus> gpus_;  ///< by zone
};

}  // namespace

void join_attached_gpus(Catalogue& catalogue) {
  const bool has_gpu_rows =
      std::ranges::any_of(catalogue.offers, [](const Offer& offer) { return offer.instance.empty(); });
  const bool is_of_google = std::ranges::any_of(catalogue.offers, [](const Offer& offer) {
    return offer.provider == "gcp" && offer.gpu.empty() && kind_of_machine(offer.instance) != nullptr;
  });
  if (catalogue.format == ListFormat::skypilot && (has_gpu_rows || is_of_google)) Join(catalogue).run();
}

}  // namespace neph::price
