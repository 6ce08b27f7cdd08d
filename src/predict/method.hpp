// Named ways to predict: what is tried, and blended, when one of them is asked for.
#pragma once

#include <vector>

#include "core/describe.hpp"
#include "predict/candidate.hpp"

namespace neph::predict {

enum class Method {
  automatic,  ///< whatever suits the table, each believed where hold-outs say so
  terms,      ///< sums and smooth maxima of work, nothing behind them
  process,    ///< a Gaussian process behind a log-linear backbone
  trees,      ///< boosted trees behind a log-linear backbone
};
constexpr auto enum_names(Method) {
  return std::array{Named{Method::automatic, "auto"}, Named{Method::terms, "terms"},
                    Named{Method::process, "process"}, Named{Method::trees, "trees"}};
}

/// The candidates of a method that suit a table of so many points; never empty.
std::vector<CandidateSpec> specs_of(Method method, const Design& design, std::size_t points);

}  // namespace neph::predict
