// What measured things cost on a machine of a given price.
#pragma once

#include <string>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "report/report.hpp"

namespace neph::cli {

struct MoneyOptions {
  std::string price;
  std::string rule;
};

template <class Visit, Describes<MoneyOptions> Self>
void describe(Visit&& v, Self& s) {
  v("price", s.price, "of the machine, as 0.40USD/h: tables and pages then say what things cost");
  v("rule", s.rule, "how that machine is billed (neph price rules); empty: per second");
}

/// Errors: invalid_argument (no price, or a rule without one), not_found (the rule).
Status check_money(const MoneyOptions& money);

/// Puts costs into the document, by the price of its experiment or by `money`, which goes before it. Nothing
/// where there is none. Per million items and per epoch it is the price of that much time; a training and a
/// run are bills. Errors: as of check_money(), and of bills.
Status add_costs(report::Document& document, const MoneyOptions& money);

}  // namespace neph::cli
