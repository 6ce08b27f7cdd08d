// One execution at a time: a request of each compiled size, its input memory, and the jobs that are in it. A
// job of more rows than the largest size is alone in it, for as many executions as it takes.
// Only for files of this module.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "serve/job.hpp"
#include "serve/output_block.hpp"
#include "serve/signature.hpp"
#include "serve/statistics.hpp"

namespace neph::serve {

/// A session for a batch size. All instances share it.
struct SizedSession {
  std::int64_t rows = 1;
  std::unique_ptr<engine::Session> session;
};

/// Threads: one at a time.
class Instance {
 public:
  /// `sessions` ascend by rows; they, `signature` and `blocks` outlive the instance. Errors: unavailable
  /// (memory), and the engine's. `done` is called on a thread of the engine whenever outputs are there after
  /// a start().
  using Done = std::function<void(Instance&, const Status&)>;
  ~Instance();
  static Result<std::unique_ptr<Instance>> make(const std::vector<SizedSession>& sessions,
                                                const Signature& signature, OutputBlocks& blocks,
                                                const Clock& clock, Done done);

  /// Begins an execution of other jobs: none yet, in the session `size`.
  void clear(std::size_t size, Moment now);
  /// For fewer rows than planned.
  void resize(std::size_t size) { size_ = size; }
  void add(Job& job) { jobs_.push_back(&job); }
  std::vector<Job*>& jobs() { return jobs_; }
  std::size_t size() const { return size_; }

  /// Runs on this thread, and returns when the outputs are there.
  Status infer();
  /// After an error `done` is not called.
  Status start();
  /// Whether its job has rows that no execution has had yet.
  bool has_more() const;
  /// After a success, where there is more: keeps the outputs and counts the execution; the next begins.
  void next();
  /// After a success: fills the replies and the stages of all jobs, and counts the execution. When it is
  /// done.
  Moment take_outputs();
  /// After the replies, or a failure. The outputs' memory is kept for the next execution, unless it is lent.
  void end();
  /// Of its executions and of those it answered.
  Statistics& statistics() { return statistics_; }

  /// Of the last execution.
  Nanoseconds infer_time() const { return done_ - issued_; }
  /// Fills its input memory with zeros and runs the session `size` once; its time. Not where inputs are open.
  Result<Nanoseconds> try_out(std::size_t size);

 private:
  struct Sized {
    std::int64_t rows = 0;
    std::unique_ptr<engine::Request> request;
    std::vector<const void*> bound_inputs;
    std::uint64_t bound_outputs = 0;  ///< number of the block
  };

  Instance(const Signature& signature, OutputBlocks& blocks, const Clock& clock, Done done)
      : signature_(signature), blocks_(blocks), clock_(clock), on_done_(std::move(done)) {}
  engine::Request& request() const { return *sized_[size_].request; }
  Status bind();
  Status bind_input(std::size_t port);
  Status bind_own_input(std::size_t port);
  Status bind_outputs();
  Status take_open_outputs();
  const void* gather(std::size_t port);
  std::span<const std::byte> tensor_of(const Job& job, std::size_t port) const;
  /// Of one job: the rows that this execution has of it.
  std::int64_t rows_of(const Job& job) const;
  Status make_whole();
  void keep_part();
  Moment count_execution(std::int64_t rows);

  const Signature& signature_;
  OutputBlocks& blocks_;
  const Clock& clock_;
  const Done on_done_;
  std::vector<std::size_t> input_row_bytes_, output_row_bytes_;
  std::vector<AlignedFloats> gathered_;   ///< per input, for the largest batch; of open ones nothing
  std::vector<std::size_t> filled_;       ///< bytes of it that may be other than zeros
  std::vector<engine::OpenOutput> open_;  ///< by output, of the last execution; empty where none is open
  Statistics statistics_;
  std::vector<Job*> jobs_;
  std::size_t size_ = 0;
  OutputBlock* block_ = nullptr;
  std::int64_t first_row_ = 0;    ///< of its only job, that this execution has
  OutputBlock* whole_ = nullptr;  ///< all outputs of a job that takes several executions
  Moment begun_, issued_, done_;
  ExecutionTimes spent_;      ///< on its jobs
  std::vector<Sized> sized_;  ///< last: a request uses the above
};

}  // namespace neph::serve
