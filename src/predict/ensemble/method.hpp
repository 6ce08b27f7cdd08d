// Named ways to predict: the members that are fitted when one of them is asked for.
#pragma once

#include "core/describe.hpp"
#include "predict/models/member.hpp"

namespace neph::predict {

enum class Method {
  automatic,   ///< all that suit the table
  terms,       ///< work of layers, or where terms are given those alone, and nothing behind them
  process,     ///< log-linear, and a Gaussian process behind it
  trees,       ///< log-linear, and boosted trees behind it
  log_linear,  ///< log-linear alone, to compare with
};
constexpr auto enum_names(Method) {
  return std::array{Named{Method::automatic, "auto"}, Named{Method::terms, "terms"},
                    Named{Method::process, "process"}, Named{Method::trees, "trees"},
                    Named{Method::log_linear, "log-linear"}};
}

/// Never empty.
std::vector<MemberSpec> specs_of(Method method, const Design& design);

}  // namespace neph::predict
