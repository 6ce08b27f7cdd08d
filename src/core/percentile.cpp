#include "core/percentile.hpp"

#include <algorithm>

namespace neph {
namespace {

std::optional<double> of_word(std::string_view word) {
  if (word.size() < 2 || word[0] != 'p') return std::nullopt;
  double digits = 0, scale = 1;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    digits = 10 * digits + (c - '0');
    scale *= 10;
  }
  return digits / scale;
}

}  // namespace

std::optional<double> percentile_of(std::string_view name) {
  while (!name.empty()) {
    const auto end = std::min(name.find('_'), name.size());
    if (const auto percentile = of_word(name.substr(0, end))) return percentile;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return std::nullopt;
}

}  // namespace neph
