#include "price/offers/gpu_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace neph::price {
namespace {

constexpr double mib_per_gib = 1024;
constexpr double least_share = 0.9, most_share = 1.03;  ///< of the data sheet's figure

struct KnownGpu {
  std::string_view name;              ///< letters and digits in capitals, as far as it tells the GPU
  std::array<double, 3> memory_gb{};  ///< versions of it; 0: none
};

/// From the makers' data sheets. A longer name stands before its own beginning.
constexpr std::array known{KnownGpu{"A10080GB", {80}},    KnownGpu{"A100", {40, 80}},
                           KnownGpu{"A10G", {24}},        KnownGpu{"A10", {24}},
                           KnownGpu{"A16", {16}},         KnownGpu{"A30", {24}},
                           KnownGpu{"A40", {48}},         KnownGpu{"B200", {180, 192}},
                           KnownGpu{"B300", {288}},       KnownGpu{"GH200", {96, 144}},
                           KnownGpu{"GB200", {186, 192}}, KnownGpu{"GB300", {288}},
                           KnownGpu{"H100NVL", {94}},     KnownGpu{"H100", {80, 94, 96}},
                           KnownGpu{"H200", {141}},       KnownGpu{"K80", {12, 24}},
                           KnownGpu{"L40S", {48}},        KnownGpu{"L40", {48}},
                           KnownGpu{"L4", {24}},          KnownGpu{"M60", {8}},
                           KnownGpu{"MI250", {128}},      KnownGpu{"MI300X", {192}},
                           KnownGpu{"P100", {12, 16}},    KnownGpu{"P40", {24}},
                           KnownGpu{"P4", {8}},           KnownGpu{"RTX3060", {8, 12}},
                           KnownGpu{"RTX3070", {8}},      KnownGpu{"RTX3080", {10, 12, 20}},
                           KnownGpu{"RTX3090", {24}},     KnownGpu{"RTX4090", {24, 48}},
                           KnownGpu{"RTX5090", {32}},     KnownGpu{"RTX6000ADA", {48}},
                           KnownGpu{"RTXPRO6000", {96}},  KnownGpu{"RTXA4000", {16}},
                           KnownGpu{"RTXA5000", {24}},    KnownGpu{"RTXA6000", {48}},
                           KnownGpu{"A4000", {16}},       KnownGpu{"A5000", {24}},
                           KnownGpu{"A6000", {48}},       KnownGpu{"T4G", {16}},
                           KnownGpu{"T4", {16}},          KnownGpu{"V10032GB", {32}},
                           KnownGpu{"V100", {16, 32}}};

std::string letters_and_digits(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') all += static_cast<char>(c - 'a' + 'A');
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) all += c;
  }
  return all;
}

/// Whether the name ends where the GPU's does, or goes on in letters: A100SXM is an A100, A1000 is none.
bool begins_name(std::string_view name, std::string_view gpu) {
  if (!name.starts_with(gpu)) return false;
  const auto rest = name.substr(gpu.size());
  if (rest.empty()) return true;
  if (gpu.size() == 2 || gpu == "A10") return false;  // T4G, L40, A10G: too short to go on
  return rest.front() < '0' || rest.front() > '9' || rest.find("GB") != std::string_view::npos;
}

const KnownGpu* find_gpu(std::string_view gpu) {
  const auto name = letters_and_digits(gpu);
  const auto found =
      std::ranges::find_if(known, [&](const KnownGpu& each) { return begins_name(name, each.name); });
  return found == known.end() ? nullptr : &*found;
}

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

bool is_same(double one, double other) { return std::fabs(one - other) <= 0.01 * std::max(one, other); }

}  // namespace

bool is_known_gpu(std::string_view gpu) { return find_gpu(gpu) != nullptr; }

bool may_have_memory(std::string_view gpu, double gib) {
  const auto* found = find_gpu(gpu);
  return found == nullptr || std::ranges::any_of(found->memory_gb, [gib](double gb) {
           return gib >= least_share * gb && gib <= most_share * gb;
         });
}

std::optional<double> least_memory_gb(std::string_view gpu) {
  const auto* found = find_gpu(gpu);
  return found == nullptr ? std::nullopt : std::optional(found->memory_gb.front());
}

std::string memory_of_known_gpu(std::string_view gpu) {
  std::string text;
  if (const auto* found = find_gpu(gpu))
    for (const double gb : found->memory_gb)
      if (gb > 0) text += fmt::format("{}{}", text.empty() ? "" : " or ", gb);
  return text.empty() ? text : text + " GB";
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
  const bool may_be_each =
      find_gpu(gpu) != nullptr ? may_have_memory(gpu, *each / mib_per_gib) : provider != "vast";
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
