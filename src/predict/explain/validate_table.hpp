// A whole validation: what is left out of a table, how well methods predict it from the rest, and what would
// help.
#pragma once

#include <functional>
#include <string>

#include "predict/explain/split.hpp"
#include "predict/profile/table_options.hpp"
#include "record/validation.hpp"

namespace neph::predict {

struct ValidationOptions {
  std::string split;
  std::string leave_out;
  std::int64_t keep = 0;
  std::int64_t folds = 0;
  std::int64_t sample = 0;
  std::int64_t draws = 1;
  std::int64_t seed = 1;
  std::string method = "auto";
};

template <class Visit, Describes<ValidationOptions> Self>
void describe(Visit&& v, Self& s) {
  v("split", s.split, "'gpus<=4 -> gpus>4': rows to fit on and rows to predict; several with ';' between");
  v("leave_out", s.leave_out, "column of which each value is predicted from the others");
  v("keep", s.keep, "so many rows of each value stay with --leave-out, drawn at random", at_least(0));
  v("folds", s.folds, "each row is predicted from all but its fold; without another way to part the rows, 5",
    at_least(2));
  v("sample", s.sample, "so many random rows predict all others", at_least(5));
  v("draws", s.draws, "how often --keep and --sample draw", between(1, 1000));
  v("seed", s.seed, "of what is random", at_least(0));
  v("method", s.method, "methods of neph fit with commas between, or all");
}

/// How it is done.
struct ValidationWork {
  bool explains = false;  ///< also: a learning curve, contributions, and proposals, of the first method
  std::size_t threads = 2;
  /// Of a part of the work: what is told how many of its fits are done, by one thread.
  std::function<std::function<void(std::size_t done, std::size_t all)>(std::string what)> progress;
  /// Predictors of others on the same splits, which are put behind ours; empty: none.
  std::function<Result<std::vector<ValidatedMethod>>(const Profile&, const std::vector<Split>&)> others = {};
};

/// Errors: those of profile_of() and roles_in(); not_found, where a column that is left out is no feature,
/// with the reason as its hint; invalid_argument (options that contradict each other or the table, no method
/// could be fitted on any split). What could not be explained is a note.
Result<Validation> validate_table(const TableOptions& table, const ValidationOptions& options,
                                  const ValidationWork& work);

}  // namespace neph::predict
