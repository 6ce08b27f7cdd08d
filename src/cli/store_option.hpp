// The option by which every verb finds the store: its default and its words.
#pragma once

#include <string_view>

namespace neph::cli {

inline constexpr std::string_view default_store = "neph.db";
inline constexpr std::string_view store_help = "file that keeps the results";

}  // namespace neph::cli
