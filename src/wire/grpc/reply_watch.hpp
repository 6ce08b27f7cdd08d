// The time that clients have for taking their replies.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>

#include <grpcpp/grpcpp.h>

#include "core/clock.hpp"

namespace neph::wire {

/// Cancels a call whose client does not take the reply: by itself the library keeps it for as long as there
/// is the connection. Threads: any, and one of its own that looks once a second. Cost of a reply: a few
/// nanoseconds.
class ReplyWatch {
 public:
  /// A reply has `patience_s`, and a second for each megabyte.
  ReplyWatch(double patience_s, const Clock& clock);

  /// What is being written now, of one call after the other. No two threads at a time.
  class Slot {
   public:
    explicit Slot(ReplyWatch& home);
    ~Slot();
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    /// The context stays until end() has returned.
    void begin(const grpc::ServerContextBase& context, std::size_t bytes);
    /// Holds no lock that the library's callbacks want: it may wait for the call to be cancelled.
    void end();

   private:
    friend class ReplyWatch;
    ReplyWatch& home_;
    const grpc::ServerContextBase* context_ = nullptr;
    std::atomic<Moment> due_{never};
  };

 private:
  static constexpr Moment never = Moment::max();
  void look();
  void cancel(Slot* slot, Moment due);

  const Nanoseconds patience_;
  const Clock& clock_;
  std::atomic<Moment> now_;  ///< at the last look, so that a reply need not ask the clock
  std::mutex mutex_;         ///< of the slots
  std::condition_variable_any asleep_;
  std::unordered_set<Slot*> slots_;
  std::atomic<Slot*> cancelling_{nullptr};
  std::jthread thread_;
};

/// The answer to a unary call that is no inference.
class WatchedReply final : public grpc::ServerUnaryReactor {
 public:
  WatchedReply(ReplyWatch& watch, const grpc::CallbackServerContext& context)
      : context_(context), writing_(watch) {}
  void end(const grpc::Status& status) {
    writing_.begin(context_, 0);
    Finish(status);
  }
  void OnDone() override { delete this; }

 private:
  const grpc::CallbackServerContext& context_;
  ReplyWatch::Slot writing_;
};

}  // namespace neph::wire
