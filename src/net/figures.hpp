// Figures of layers: repeated, compared, summed up to totals, and which of those are bounds.
#pragma once

#include <span>

#include "net/shape.hpp"

namespace neph::net {

/// An If of which the file does not tell which branch runs. It stands right behind the layers of its
/// branches.
struct OpenBranch {
  std::size_t first = 0;   ///< layer of the one branch
  std::size_t second = 0;  ///< first layer of the other one
  std::size_t layer = 0;   ///< the If itself
};

/// What is left open beside the figures that are unknown.
struct Openness {
  std::vector<OpenBranch> branches;
  std::vector<std::size_t> loops;  ///< layers of which the file does not tell the trips
  bool unread = false;             ///< a node has bodies that were not read

  /// With those of a body whose layers stand from `first` on.
  void add(const Openness& body, std::size_t first);
};

/// Adds `more` to a figure, which an unknown part makes unknown. Errors: corrupt (too large).
Status add_to(std::optional<std::int64_t>& figure, const std::optional<std::int64_t>& more);

/// The layers run so often; nothing: their figures stay those of one run. Errors: corrupt (figures too
/// large).
Status repeat(std::span<Layer> layers, std::optional<std::int64_t> runs);

/// The network's totals from its layers; of an open If, the branch that they do not have does not run.
/// Errors: corrupt (figures too large).
Status sum_up(Network& network, const Openness& open);

}  // namespace neph::net
