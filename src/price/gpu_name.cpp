// Names of GPUs, as drivers, catalogues and people write them.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/ranges.h>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "price/selection.hpp"

namespace neph::price {
namespace {

/// Maker, brand and socket do not change the model.
bool is_of_no_model(std::string_view word) {
  constexpr std::array<std::string_view, 14> known{"",          "nvidia", "tesla",  "geforce", "quadro",
                                                   "amd",       "gpu",    "radeon", "rtx",     "instinct",
                                                   "baremetal", "pcie",   "pci",    "secure"};
  return std::ranges::find(known, word) != known.end() || word.starts_with("sxm") ||
         word.starts_with("hbm") || word == "generation";
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() < 7 && std::ranges::all_of(word, is_digit);
}

/// 80 of "80GB", "80GiB" and "80G"; empty: it is no size.
std::string_view memory_in(std::string_view word) {
  const auto number = word.substr(0, word.find('g'));
  const auto unit = word.substr(number.size());
  return is_number(number) && (unit == "gib" || unit == "gb" || unit == "g") ? number : std::string_view();
}

}  // namespace

GpuName gpu_name_of(std::string_view name) {
  auto text = lowered(name);
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0; }, ' ');
  GpuName gpu;
  for (auto word : split_at(text, ' ')) {
    const bool is_unit = (word == "gb" || word == "gib") && !gpu.words.empty() && is_number(gpu.words.back());
    if (is_unit) {
      gpu.memory = gpu.words.back();
      gpu.words.pop_back();
    } else if (const auto memory = memory_in(word); !memory.empty()) {
      gpu.memory = memory;
    } else if (!is_of_no_model(word)) {
      if (word.starts_with("rtx")) word.remove_prefix(3);
      const bool is_other_model = word == "ada" || word == "ti" || word == "super";  // than without it
      if (is_other_model && !gpu.words.empty())
        gpu.words.back() += word;
      else
        gpu.words.emplace_back(word);
    }
  }
  return gpu;
}

std::string GpuName::model() const { return fmt::format("{}", fmt::join(words, "")); }

bool is_gpu(std::string_view asked, std::string_view gpu, std::optional<double> gib) {
  constexpr double least = 0.9, most = 1.03;  // GiB that are told of as many GB
  const auto wanted = gpu_name_of(asked), has = gpu_name_of(gpu);
  if (!wanted.memory.empty() && wanted.memory != has.memory) {
    const double gb = std::stod(wanted.memory);
    if (!has.memory.empty() || !gib || *gib < least * gb || *gib > most * gb) return false;
  }
  std::string begin;
  return std::ranges::any_of(
      has.words, [&, model = wanted.model()](const std::string& word) { return (begin += word) == model; });
}

}  // namespace neph::price
