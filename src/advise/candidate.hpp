// Candidates: jobs on offers, with their exact bills and their place in the choice. Only for files of this
// module.
#pragma once

#include <optional>
#include <vector>

#include "advise/job.hpp"
#include "advise/matching.hpp"
#include "advise/meter.hpp"

namespace neph::advise {

struct Candidate {
  std::size_t job = 0;
  const price::Offer* offer = nullptr;
  const price::Rule* rule = nullptr;
  price::Price price;
  price::Bill bill;  ///< where the job takes what it was measured to take
  std::optional<price::Exact> low, high;
  Meter meter;
  double per_s = 0;   ///< price
  double cost = 0;    ///< bill.amount, for comparisons
  double done_s = 0;  ///< from the machine's start to the saved result
  bool is_measured = true;
  bool is_on_front = false;
  bool is_memory_unknown = false;

  double cost_at(double job_s, double times = 1) const { return per_s * meter.billed_s(job_s, times); }
};

/// What all must keep to.
struct Limits {
  double deadline_s, budget;  ///< infinite: none
  /// A bill that is the budget keeps to it, however doubles are rounded.
  bool hold(double done_s, double cost) const {
    return done_s <= deadline_s && cost <= budget * (1 + rounding);
  }
  static constexpr double rounding = 1e-12;
};
Limits limits_of(const Request& request);

/// Errors: those of price::bill().
Result<std::vector<Candidate>> candidates_of(const std::vector<Job>& jobs, const Matches& matches,
                                             const Request& request);

/// What a run costs that measures the job once more, on a machine that is started for it.
Amount one_more_run(const Candidate& candidate, const Job& job, const Request& request);

/// "8 threads on gcp/n1-standard-8@us-central1".
std::string name_of(const Candidate& candidate, const std::vector<Job>& jobs);

/// Whether the cheapest is looked for, and not the fastest.
bool is_by_cost(const Request& request);

/// Marks the measured ones to which no other measured one is preferable in time and cost. The candidates are
/// in the order of their costs.
void mark_front(std::vector<Candidate>& candidates);

/// Places of the choice; nothing: none of the measured keeps to the limits.
struct Choice {
  std::optional<std::size_t> cheapest, fastest, recommended;
};
Choice choose(const std::vector<Candidate>& candidates, const Request& request);

/// The error where nothing keeps to the limits: which one to loosen, and to what.
tl::unexpected<Error> nothing_fits(const std::vector<Candidate>& candidates, const std::vector<Job>& jobs,
                                   const Request& request);

}  // namespace neph::advise
