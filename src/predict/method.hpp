// Named ways to predict: what is tried, and blended, when one of them is asked for.
#pragma once

#include <vector>

#include "core/describe.hpp"
#include "predict/candidate.hpp"

namespace neph::predict {

enum class Method {
  automatic,  ///< whatever suits the table, each believed where hold-outs say so
  terms,      ///< sums and smooth maxima of work (where terms are given, of those alone), nothing behind them
  process,    ///< a Gaussian process behind a log-linear backbone
  trees,      ///< boosted trees behind a log-linear backbone
  // The literature's, to compare with; auto tries none of them.
  lattuada,  ///< inverses and products, sequential forward selection, ridge
  nnls,      ///< the same features, coefficients not below 0
  stepwise,  ///< the same features, entered and removed by partial F tests
  ernest,    ///< each quantity, its inverse and logarithm, and quotients of two
};
constexpr auto enum_names(Method) {
  return std::array{Named{Method::automatic, "auto"},    Named{Method::terms, "terms"},
                    Named{Method::process, "process"},   Named{Method::trees, "trees"},
                    Named{Method::lattuada, "lattuada"}, Named{Method::nnls, "nnls"},
                    Named{Method::stepwise, "stepwise"}, Named{Method::ernest, "ernest"}};
}

/// The candidates of a method that suit a table of so many points; never empty.
std::vector<CandidateSpec> specs_of(Method method, const Design& design, std::size_t points);

}  // namespace neph::predict
