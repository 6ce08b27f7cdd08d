// Money as people read it. What must be exact is kept as a decimal text.
#pragma once

#include <string>
#include <string_view>

namespace neph {

/// "1.23 USD", "0.40 USD", "0.0333 USD": to cents, and of less than one to three digits.
std::string money_words(double amount, std::string_view currency);

/// Of less than a cent, one way or the other, people read what a thousand cost.
constexpr bool is_told_of_a_thousand(double amount) {
  constexpr double cent = 0.01;
  return amount != 0 && amount < cent && amount > -cent;
}

}  // namespace neph
