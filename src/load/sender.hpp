// The loop of one worker: sends what is due through its client, and keeps what becomes of it.
//
// What it does not do: decide when requests are due (a schedule made before, or a closed loop), what they
// are (encoded before), how they travel (the client), or what the samples mean.
// Threads: all in the one that calls run(). Cost: beside the client's own some 0.1 µs a request; memory is
// taken only when more requests are in flight than ever before, and for every 8,192nd sample.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "load/sample.hpp"
#include "load/schedule.hpp"
#include "wire/wire.hpp"

namespace neph::load {

struct Task {
  std::vector<const wire::Outgoing*> requests;  ///< sent in turn, again and again
  std::size_t first_request = 0;
  Schedule schedule;            ///< open loop; empty: closed loop
  std::int64_t clients = 0;     ///< of a closed loop
  std::int64_t count = 0;       ///< requests of a closed loop; 0: no limit
  std::int64_t in_flight = 0;   ///< most of an open loop; 0: no limit
  Nanoseconds begin_measure{};  ///< from the start
  Nanoseconds end{};            ///< a closed loop sends nothing from then on
  Nanoseconds give_up{};        ///< nor an open one, however much of its schedule is left; 0: it sends all
  Nanoseconds deadline{};       ///< after a request was sent; 0: none
  Nanoseconds drain_timeout{};  ///< for what is in flight at the end, where there is no deadline
  std::vector<wire::TensorMetadata> outputs;  ///< of the model; empty: not known
};

/// What the kernel gave the worker's thread.
struct ThreadUse {
  Nanoseconds ran{};     ///< on a core
  Nanoseconds waited{};  ///< for a core, though it could have run
};

class Sender {
 public:
  /// `log` and `clock` outlive it. When `enough` is set, nothing more is sent and what is in flight is waited
  /// for.
  Sender(Task task, const Clock& clock, SampleLog& log, const std::atomic<bool>& enough);

  /// What the client calls for each call that has ended. Replies are decoded until one is right, then one in
  /// a thousand, and all after a wrong one: what cannot be decoded, or has outputs that are not the model's
  /// by name, type or a fixed size, is a failed request. How many rows it has is not judged: some models find
  /// nothing. Of the others the client has checked what is cheap (for HTTP wire::BodyGlance).
  void ended(wire::Call& call);
  /// Sends from `start` on, and returns when everything has ended or was given up. `stop`: gives up at once.
  void run(wire::Client& client, Moment start, const std::stop_token& stop);

  // Of the measured part, after run().
  std::int64_t most_in_flight() const { return most_in_flight_; }
  /// In all, as far as the client saw them: see wire::Client.
  std::int64_t stray_replies() const { return stray_replies_; }
  std::int64_t held_back() const { return held_back_; }  ///< due, but as many as allowed were in flight
  const std::string& first_failure() const { return first_failure_; }
  ThreadUse thread_use() const { return {last_.ran - first_.ran, last_.waited - first_.waited}; }
  Nanoseconds measured() const { return last_at_ - first_at_; }

 private:
  struct Flight : wire::Call {
    Moment scheduled;
    Moment issued;
  };
  struct Rest {
    Flight* flight;
    Moment until;
  };

  bool closed() const { return task_.schedule.empty(); }
  bool asked_to_end() const { return enough_ || stop_.stop_requested(); }
  bool sending(Moment now) const;
  Moment next_due() const;
  bool send_if_due();
  void send(Flight& flight, Moment scheduled, Moment issued);
  void go_on(Flight& flight);
  Status decoded(Flight& flight) const;
  void wait();
  void take_replies();
  bool looks_are_slow() const;
  void drain();
  void note_measure();
  Sample sample_of(const Flight& flight) const;

  const Task task_;
  const Clock& clock_;
  SampleLog& log_;
  const std::atomic<bool>& enough_;

  wire::Client* client_ = nullptr;
  std::stop_token stop_;
  std::function<bool()> until_;  ///< given to the client, made once
  Moment start_;
  std::deque<Flight> flights_;
  std::vector<Flight*> free_;
  std::deque<Rest> resting_;  ///< clients of a closed loop, by the moment at which they go on
  std::size_t next_ = 0;      ///< in the schedule
  std::size_t next_request_;  ///< of those to send in turn
  std::int64_t counted_ = 0;  ///< of those sent, scheduled after the warm-up
  std::int64_t sent_ = 0;
  std::int64_t in_flight_ = 0;
  std::uint64_t ended_ = 0;
  Moment last_look_;
  int slow_in_a_row_ = 0;
  bool held_ = false;  ///< the arrival at hand waits for room
  bool rests_anew_ = false;
  bool leaving_ = false;
  bool measuring_ = false;
  bool giving_up_ = false;
  bool seen_right_ = false, seen_wrong_ = false;  ///< replies that were decoded

  std::int64_t most_in_flight_ = 0;
  std::int64_t held_back_ = 0;
  std::int64_t stray_replies_ = 0;
  Nanoseconds longest_service_{};
  std::string first_failure_;
  ThreadUse first_, last_;
  Moment first_at_, last_at_;
};

}  // namespace neph::load
