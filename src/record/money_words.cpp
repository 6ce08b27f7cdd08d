#include "record/money_words.hpp"

#include <cmath>

#include "core/units.hpp"

namespace neph {

std::string money_words(double amount, std::string_view currency) {
  if (amount == 0) return fmt::format("0 {}", currency);
  if (std::abs(amount) >= 0.995) return fmt::format("{:.2f} {}", amount, currency);
  constexpr std::size_t cents = 2;
  auto digits = format_number(amount);
  const auto point = digits.find('.');
  while (point != std::string::npos && digits.size() > point + 1 + cents && digits.back() == '0')
    digits.pop_back();
  return fmt::format("{} {}", digits, currency);
}

}  // namespace neph
