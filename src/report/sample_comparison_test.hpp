// Made-up comparisons and histories for the tests. The same on every machine.
#pragma once

#include "report/report.hpp"

namespace neph::report {

struct SampleComparisonOptions {
  std::size_t configurations = 4;
  std::vector<std::string> metrics{"images_per_s"};
  bool is_paired = true;
  bool hostile = false;  ///< names and words that try to break what shows them
};

/// The first configuration is 4.1 % slower, the second undecided, the third 8 % faster, all others
/// equivalent; in each metric, whatever its good direction. Another engine, one note, the machine's noise.
Comparison sample_comparison(const SampleComparisonOptions& options = {});

/// A row of 12 runs of each side: `low` and `high` of its ratio lie as far from it as `half_width` says.
ComparedMetric sample_row(std::string configuration, std::string metric, double ratio, double half_width,
                          Outcome outcome);

/// Sides of two machines: nothing is compared.
Comparison refused_comparison();

struct SampleHistoryOptions {
  std::size_t experiments = 14;
  bool hostile = false;
};

/// images/s of two configurations: the first has become 5.2 % slower with another engine and then 3 % faster
/// with nothing that is known, the second has not changed and has no intervals.
History sample_history(const SampleHistoryOptions& options = {});

}  // namespace neph::report
