// Figures of layers: repeated, compared, summed up to totals, and which of those are bounds.
#pragma once

#include <span>

#include "net/shape.hpp"

namespace neph::net {

/// An If of which the file does not tell which branch runs, and the totals that this leaves open.
struct OpenBranch {
  std::size_t layer = 0;  ///< that has to run for it to matter
  std::vector<std::string> at_least, at_most;
};

/// What is left open beside the figures that are unknown.
struct Openness {
  std::vector<OpenBranch> branches;
  std::vector<std::size_t> loops;  ///< layers of which one trip counts
  bool unread = false;             ///< a node has bodies that were not read

  /// With those of a body whose layers stand from `first` on.
  void add(const Openness& body, std::size_t first);
};

/// Adds `more` to a figure, which an unknown part makes unknown. Errors: corrupt (too large).
Status add_to(std::optional<std::int64_t>& figure, const std::optional<std::int64_t>& more);

/// The layers run so often; nothing: one run counts. Errors: corrupt (figures too large).
Status repeat(std::span<Layer> layers, std::optional<std::int64_t> runs);

/// Keeps the figures of the larger branch; the other one's layers do not run.
Result<OpenBranch> keep_larger(std::span<Layer> a, std::span<Layer> b);

/// The network's totals from its layers. Errors: corrupt (figures too large).
Status sum_up(Network& network, const Openness& open);

}  // namespace neph::net
