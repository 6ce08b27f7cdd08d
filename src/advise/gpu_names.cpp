// Drivers and catalogues name GPUs differently.
#include <algorithm>
#include <cctype>

#include "advise/advise.hpp"
#include "core/text.hpp"

namespace neph::advise {
namespace {

struct GpuName {
  std::string model;   ///< "V100", "RTX4090", "A100"
  std::string memory;  ///< "80"; empty: not told
};

/// Words of capitals and digits; what stands between them is dropped.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_memory(const std::string& word) {
  return word.size() > 2 && word.ends_with("GB") && std::all_of(word.begin(), word.end() - 2, is_digit);
}

/// How it is plugged in, and who made it, say nothing of what it is.
bool says_nothing(const std::string& word) {
  for (const auto* known :
       {"NVIDIA", "TESLA", "GEFORCE", "QUADRO", "AMD", "INSTINCT", "GPU", "PCIE", "PCI", "SECURE"})
    if (word == known) return true;
  return word.starts_with("SXM") || word.starts_with("HBM");
}

GpuName parsed(std::string_view name) {
  GpuName gpu;
  const auto words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto word = words[i];
    if (word == "GB" && i > 0 && std::ranges::all_of(words[i - 1], is_digit)) continue;
    if (is_memory(word))
      gpu.memory = word.substr(0, word.size() - 2);
    else if (i + 1 < words.size() && words[i + 1] == "GB" && std::ranges::all_of(word, is_digit))
      gpu.memory = word;
    else if (!says_nothing(word))
      gpu.model += word;
  }
  if (gpu.model.starts_with("RTXA")) gpu.model.erase(0, 3);  // "RTX A6000" is also called A6000
  return gpu;
}

}  // namespace

bool is_same_gpu(std::string_view a, std::string_view b) {
  const auto one = parsed(a), other = parsed(b);
  if (one.model != other.model) return false;
  return one.memory.empty() || other.memory.empty() || one.memory == other.memory;
}

}  // namespace neph::advise
