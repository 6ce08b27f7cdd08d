// The batches of an epoch, in a shuffled order, filled by loader threads while the engine learns.
//
// What it does not do: learn, count epochs, augment.
// Threads: begin() and next() from one; it owns its loaders, named "loader-0", ...
// Ownership: the split outlives it; a batch's memory is valid until the next call of next() or begin().
// Cost: memory of loaders + 2 batches, taken once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "data/data.hpp"
#include "engine/engine.hpp"

namespace neph::workload {

struct FeedOptions {
  std::int64_t batch = 1;
  std::int64_t values = 1;   ///< floats of an example
  std::int64_t loaders = 1;  ///< 0: next() fills the batch itself
  std::uint64_t seed = 1;    ///< of the order: the same for the same seed and epoch, whatever the loaders
  bool shuffles = true;
  std::int64_t rank = 0;  ///< of each batch this feed has the rows of this one of `ranks` parts
  std::int64_t ranks = 1;
};

/// The order of epoch `epoch` of `size` examples.
std::vector<std::int64_t> epoch_order(std::int64_t size, std::uint64_t seed, std::int64_t epoch);

class Feed {
 public:
  /// Errors: unavailable (memory, threads).
  static Result<std::unique_ptr<Feed>> make(const data::Split& split, const FeedOptions& options,
                                            const Clock& clock);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  /// Batches from the beginning of that epoch on, of its first `examples`; 0: of all.
  void begin(std::int64_t epoch, std::int64_t examples = 0);
  /// The next batch, the last of an epoch with what is left; no value: the epoch is over. Of several ranks it
  /// is this rank's part of it, which may be empty. Errors: those of Split::fill.
  Result<std::optional<engine::Examples>> next();
  /// Whether next() would give no batch.
  bool is_over();
  /// Examples of the batch that next() gave last, over all ranks.
  std::int64_t whole() const { return whole_; }
  /// Time that filling took since this was last asked, of all loaders together.
  Nanoseconds filling_time();

 private:
  struct Slot {
    std::vector<float> inputs;
    std::vector<std::int64_t> labels;
    std::int64_t batch = -1;  ///< that it holds, or that is being filled into it
    bool is_full = false;
    Status status;
  };

  Feed(const data::Split& split, const FeedOptions& options, const Clock& clock);
  Status allocate();
  Status start_loaders();
  void load(const std::stop_token& stop);
  Status fill(Slot& slot, std::int64_t batch);
  std::int64_t size_of(std::int64_t batch) const;
  std::span<const std::int64_t> rows_of(std::int64_t batch) const;
  std::int64_t batches() const;
  Slot& slot_of(std::int64_t batch) { return slots_[static_cast<std::size_t>(batch) % slots_.size()]; }

  const data::Split& split_;
  FeedOptions options_;
  const Clock& clock_;
  std::int64_t whole_ = 0;

  std::mutex mutex_;  ///< guards what follows, but for a slot's memory while one thread fills or reads it
  std::condition_variable_any changed_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> order_;
  std::int64_t next_to_fill_ = 0;
  std::int64_t next_to_give_ = 0;
  std::int64_t filling_ = 0;  ///< loaders at work
  Nanoseconds filling_time_{};
  std::vector<std::jthread> loaders_;  ///< last: they end before what they use
};

}  // namespace neph::workload
