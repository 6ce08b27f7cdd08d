// A request inside the server, from admission to its answer. Only for files of this module.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "os/thread.hpp"
#include "serve/regions.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// What `work` returns, a Status; what it throws is an error. Never throws, also where an error's message has
/// no memory: whoever waits for the outcome gets one.
template <class Work>
Status contained(Work&& work) noexcept {
  try {
    return guarded(work);
  } catch (...) {
    return tl::unexpected(Error{ErrorCode::unavailable, "no memory"});  // so short that it takes none
  }
}

/// An output that the client gets.
struct WantedOutput {
  std::size_t port = 0;
  std::int64_t classification = 0;            ///< top answers as text; 0: the tensor itself
  std::optional<wire::SharedPart> shared_at;  ///< where the client wants it; empty: in the reply
  std::shared_ptr<const Region> region;       ///< of shared_at
};

/// Where in the reply's memory an output lies; a place and not a view, because that memory grows.
struct CopiedOutput {
  std::size_t output, begin, bytes;
};

/// Memory of a job that is used again for the next request.
class Scratch {
 public:
  /// Room for so many floats, aligned for engines; what was in it is lost. Null when it cannot be had.
  float* hold(std::size_t floats);
  float* get() const { return memory_.get(); }
  std::size_t bytes() const { return floats_ * sizeof(float); }

 private:
  AlignedFloats memory_;
  std::size_t floats_ = 0;
};

/// Used again and again: its vectors keep their memory.
struct Job {
  wire::Exchange* exchange = nullptr;
  std::int64_t rows = 0;
  std::uint64_t bytes = 0;  ///< of its inputs, as they came and decoded, and of a long answer
  std::size_t level = 0;    ///< 0 is served first
  std::vector<std::span<const std::byte>> inputs;  ///< one per input of the model, row after row
  std::vector<wire::Shape> shapes;                 ///< per input; only those of open ones say something
  std::vector<WantedOutput> outputs;
  std::vector<CopiedOutput> copied;
  std::vector<std::size_t> ranking;  ///< of a row's values, for classification
  std::vector<Scratch> received;     ///< per input, for those that came in shared memory

  // Picture payloads: the client's bytes, one element per row, and the tensor that they become.
  std::vector<std::span<const std::byte>> pictures;
  Scratch decoded;
  std::atomic<std::int64_t> undecoded{0};
  std::atomic<bool> broken{false};  ///< it gets `fault` for an answer; whoever sets it first writes that
  Error fault;

  Moment arrived;
  Moment queued;
  bool late = false;   ///< came when the model had been told to go
  bool waits = false;  ///< counted against the queue's bounds
  bool alone = false;  ///< shares no execution: one that it was in has failed
  Job* next = nullptr;
  Job* previous = nullptr;

  void clear();
  /// What it keeps between requests, but for small change.
  std::size_t kept_bytes() const;
  void let_go_memory();
  void break_with(Error error) {
    if (!broken.exchange(true)) fault = std::move(error);
  }
};

/// Waiting jobs, by level and then in the order in which they arrived: threads of a transport overtake each
/// other. Not for several threads at once.
class JobQueue {
 public:
  /// Priorities that are told apart; larger ones count as the last.
  static constexpr std::size_t levels = 16;

  void push(Job& job);
  Job& pop();
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// In the order in which pop() gives them, until `each` returns false.
  template <class Each>
  void look(Each&& each) const {
    for (const auto& list : lists_)
      for (const Job* job = list.first; job != nullptr; job = job->next)
        if (!each(*job)) return;
  }

  /// Takes out those of which `unwanted` is true and gives each to `taken`.
  template <class Unwanted, class Taken>
  void remove(Unwanted&& unwanted, Taken&& taken) {
    for (auto& list : lists_) {
      Job* job = std::exchange(list.first, nullptr);
      list.last = nullptr;
      while (job != nullptr) {
        Job* next = std::exchange(job->next, nullptr);
        if (unwanted(*job)) {
          --size_;
          taken(*job);
        } else {
          append(list, *job);
        }
        job = next;
      }
    }
  }

 private:
  struct List {
    Job* first = nullptr;
    Job* last = nullptr;
  };
  static void append(List& list, Job& job);
  static void insert(List& list, Job& job);

  std::array<List, levels> lists_;
  std::size_t size_ = 0;
};

}  // namespace neph::serve
