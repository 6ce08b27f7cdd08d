#include "cli/price_rules.hpp"

#include <algorithm>

#include "os/file.hpp"

namespace neph::cli {

Result<std::vector<price::Rule>> price_rules(const std::string& file) {
  auto rules = price::built_in_rules();
  if (file.empty()) return rules;
  NEPH_TRY(const auto text, read_file(file));
  NEPH_TRY(auto own, price::parse_rule(text, file));
  std::erase_if(rules, [&](const price::Rule& rule) { return rule.name == own.name; });
  rules.insert(rules.begin(), std::move(own));
  return rules;
}

}  // namespace neph::cli
