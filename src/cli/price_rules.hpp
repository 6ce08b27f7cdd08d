// The billing rules that a command knows: those that are built in, and a user's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "price/price.hpp"

namespace neph::cli {

inline constexpr std::string_view price_rules_help =
    "TOML file with a billing rule of your own; it goes before one of the same name";

/// `file` may be empty. Errors: of reading it.
Result<std::vector<price::Rule>> price_rules(const std::string& file);

}  // namespace neph::cli
