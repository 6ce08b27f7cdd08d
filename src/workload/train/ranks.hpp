// The other processes of a data parallel training: starts them, says what they do next, sees how they end.
//
// What it does not do: learn. Threads: one of its own, "ranks", which starts them, so that they die with this
// process; all calls from one thread. Ownership: what still runs is killed when it goes.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "launch/launch.hpp"
#include "workload/train/shared_exchange.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

class Ranks {
 public:
  /// Starts ranks 1 to `count` - 1 of a run of `spec` on cores that this thread may use, and returns at once.
  /// `clock` outlives it. Errors: unavailable.
  static Result<std::unique_ptr<Ranks>> start(const Json& spec, std::int64_t count, const Clock& clock);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  SharedExchange& exchange() { return *exchange_; }
  void say(const Word& word) { exchange_->meeting().say(word); }
  /// After Task::end was said: until all have ended by themselves. Errors: one did not.
  Status finish();
  /// What is behind an error of this rank: why another has left, where that is known.
  Error cause_of(Error error);

 private:
  struct Other {
    std::int64_t rank = 0;
    std::unique_ptr<launch::Child> child;
    std::optional<Error> error;  ///< that it told
    bool has_result = false;
    bool is_over = false;
  };

  explicit Ranks(std::unique_ptr<SharedExchange> exchange) : exchange_(std::move(exchange)) {}
  void look_after(const Json& spec, const std::stop_token& stop);
  Status start_one(const Json& spec, std::int64_t rank);
  void hear(Other& other, std::string_view line);
  /// Of one that has ended: whether it did what it was there for.
  void judge(Other& other);
  void give_up(std::int64_t rank, Error error);

  std::unique_ptr<SharedExchange> exchange_;
  std::vector<std::unique_ptr<Other>> others_;  ///< of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t over_ = 0;        ///< that have ended well; under mutex_
  std::optional<Error> error_;  ///< of the first that failed; under mutex_
  std::jthread thread_;         ///< last: it ends before what it uses
};

/// Whether all ranks have the same bits of weights, told to all. Errors: internal, with the ranks that
/// differ.
Status check_alike(Meeting& meeting, const std::map<std::string, std::vector<float>, std::less<>>& weights);

}  // namespace neph::workload
