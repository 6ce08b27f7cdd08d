// What each rank of a data parallel training does, and all of it that a rank other than 0 does: rank 0
// conducts the run (run.hpp), the others bring up the same network and data, and follow its words.
#pragma once

#include <functional>
#include <memory>

#include "workload/train/learner.hpp"
#include "workload/train/network.hpp"
#include "workload/train/shared_exchange.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// Of the samples to learn. `cores`: those of this rank; 0: all.
FeedOptions feed_options(const TrainSpec& spec, const data::Set& data, std::int64_t cores, std::int64_t rank);

/// As verify(), each rank its part of every batch; what comes of all. `meeting`: null where there is one
/// rank. `batch_s` is this rank's own.
Result<Verification> verify_together(Meeting* meeting, engine::Trainer& trainer, Feed& feed,
                                     std::int64_t samples, const Clock& clock,
                                     const std::function<bool(std::int64_t done)>& stops);

/// Threads: as TrainRun.
class RankRun {
 public:
  /// `context` has a part.
  RankRun(const TrainSpec& spec, const Context& context) : spec_(spec), context_(context) {}
  /// Until rank 0 says that it is over. What it gives is empty: rank 0 tells of all.
  Result<RunResult> run();

 private:
  Status prepare();
  Status follow();
  Status step(std::int64_t epoch);

  TrainSpec spec_;
  const Context& context_;
  std::unique_ptr<SharedExchange> exchange_;
  engine::Registry engines_;
  TrainedNetwork network_;
  std::unique_ptr<engine::Trainer> trainer_;
  data::Set data_;
  std::unique_ptr<Feed> feed_, test_feed_;
  std::unique_ptr<Learner> learner_;
  std::int64_t epoch_ = 0;
};

}  // namespace neph::workload
