// Ways to reach a network side by side, each with the cell that stands for it.
#pragma once

#include <vector>

#include "report/recommendation.hpp"
#include "report/way.hpp"

namespace neph::report {

struct Contender {
  Way way;
  const CellSummary* best;
};

struct Contest {
  Cells candidates;  ///< the usable cells of applications that read files (where any does), the fastest first
  Choice choice;     ///< among those of them that keep to the latency limit, or among all where none does
  std::vector<Contender> contenders;  ///< the fastest first
};

/// Without contenders where there are fewer than two ways.
Contest contest_of(const Document& document);

}  // namespace neph::report
