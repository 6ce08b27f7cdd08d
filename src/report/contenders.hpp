// Ways to reach a network side by side, each with the cell that stands for it.
#pragma once

#include <vector>

#include "report/recommendation.hpp"
#include "report/way.hpp"

namespace neph::report {

/// Those of `cells` that are ways to run a network: without clients that only ask, and without tensors that
/// are ready in memory where any other reads files. Where nothing else is left, these.
Cells applications_among(const Document& document, Cells cells);

/// Those with a usable speed, the fastest first: what may be recommended.
Cells ranked_applications(const Document& document);

struct Contender {
  Way way;
  const CellSummary* best;
};

struct Contest {
  Cells candidates;  ///< the valid ones of ranked_applications()
  Choice choice;     ///< among those of them that keep to the latency limit, or among all where none does
  std::vector<Contender> contenders;  ///< the fastest first
};

/// Without contenders where there are fewer than two ways.
Contest contest_of(const Document& document);

}  // namespace neph::report
