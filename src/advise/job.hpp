// A configuration made ready to be billed. Only for files of this module.
#pragma once

#include <optional>
#include <vector>

#include "advise/advise.hpp"
#include "advise/meter.hpp"

namespace neph::advise {

constexpr double z95 = 1.959963984540054;  ///< of the standard normal: half of a 95 % interval in deviations

struct Job {
  const Configuration* configuration = nullptr;
  std::vector<price::Stretch> stretches;  ///< of one start of a machine, what is assumed among them
  std::vector<Segment> segments;          ///< the same, for a Meter
  double fixed_s = 0;                     ///< assumed, until the result is saved
  double job_s = 0;                       ///< what was measured
  std::optional<double> low_s, high_s;    ///< of job_s; empty: no interval
  double sigma = 0;                       ///< of its logarithm, as the interval has it; 0: no interval

  double done_s() const { return fixed_s + job_s; }
  /// What the job takes, and how many times as long what is assumed is.
  struct Length {
    double job_s, times;
  };
  /// An end of the 95 % interval of both together, where the job has one: in quadrature, as independent parts
  /// add up, each moved by its share of the whole.
  Length end(double end_s, double times) const;
  Length low() const { return end(low_s.value_or(job_s), 1 / price::assumed_spread); }
  Length high() const { return end(high_s.value_or(job_s), price::assumed_spread); }
  double done_s(const Length& length) const { return length.times * fixed_s + length.job_s; }
  /// From the machine's start to the saved result.
  Estimate done() const;
  bool has_interval() const { return low_s && high_s; }
  bool is_measured() const { return !configuration->is_predicted && configuration->refused.empty(); }
  /// What one more of as many runs of it is, in deviations of their mean: 1 where that is not known.
  double spread_of_one_run() const;
  /// How long a run takes that measures it once more.
  double run_s() const { return configuration->run_s.value_or(job_s); }
  /// The stretches where the job takes so long.
  std::vector<price::Stretch> stretches_at(const Length& length) const;
};

/// Errors: invalid_argument (a time that is no number, or not above 0).
Result<Job> job_of(const Configuration& configuration, const std::vector<price::Stretch>& assumed);

/// With the time for which this rule's machines are kept ready after a job, where nobody measured that.
Job kept_ready(Job job, const price::Rule& rule);

}  // namespace neph::advise
