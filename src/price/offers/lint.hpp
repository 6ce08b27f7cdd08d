// What is wrong in a price list, row by row and of rows beside each other. Only for files of this module;
// others include price/price.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.hpp"
#include "price/offers/catalogue.hpp"

namespace neph::price {

/// All findings: those of reading and those of the offers beside each other (prices of the same machine,
/// regions, currencies, age). Of the whole file first, then by line. `today`: "2026-11-25".
std::vector<Finding> lint_catalogue(const Catalogue& catalogue, const std::vector<Rule>& rules,
                                    std::string_view today);

/// Grouped by kind, gravest first, `shown` lines of each.
std::string lint_text(const Catalogue& catalogue, const std::vector<Finding>& findings, std::size_t shown);
/// With every finding.
Json lint_json(const Catalogue& catalogue, const std::vector<Finding>& findings);

}  // namespace neph::price
