// One run: start the worker, give it its cell, hear it out, end it when it must end, judge how it ended.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "experiment/experiment.hpp"
#include "experiment/transcript.hpp"

namespace neph::experiment {

struct Made {
  Run run;
  Json machine;  ///< fingerprint of where it was made; null: the worker did not get so far as to tell
};

/// What is borrowed must outlive it.
class Worker {
 public:
  /// Errors: it cannot be started at all (that is no property of the cell).
  static Result<std::unique_ptr<Worker>> start(const std::string& workload, const Cell& cell,
                                               launch::Launcher& launcher, const Launch& launch,
                                               Observer& observer, const Clock& clock);

  /// The run in progress is the last.
  void finish();
  /// Ends it where it must end: its time is over, or it says what is no event.
  void check_timeouts();
  /// Because the user says so.
  void interrupt() { end(Stop::interrupted); }
  /// When check_timeouts() is due, whatever is heard; nullopt: never.
  std::optional<Moment> next_timeout() const;

  launch::Child& child() { return *child_; }
  /// After the end. status, reason, times and result of the run are filled; the rest is the caller's.
  Made made();

 private:
  /// Why the controller ends a worker.
  enum class Stop { none, interrupted, timed_out, protocol_error, lingering };
  using Time = std::optional<Moment>;

  Worker(std::unique_ptr<launch::Child> child, const Cell& cell, std::string date, Moment started,
         const Launch& launch, Observer& observer, const Clock& clock);
  void hear(std::string_view line);
  void end(Stop reason);
  bool is_over() const { return transcript_.complete() || child_->has_fallen_silent(); }
  std::string reason() const;
  /// The signal of others that ended it early; empty: none.
  std::string signal_of_others() const;
  std::string how_it_ended() const;
  std::string quoted_stderr_tail() const;

  std::unique_ptr<launch::Child> child_;
  const Cell& cell_;
  const std::string date_;  ///< UTC, of its start
  const Moment started_;
  Moment heard_;  ///< its last word before it began, from which its time counts
  const Launch& launch_;
  const Clock& clock_;
  Transcript transcript_;
  std::unique_ptr<Onlooker> onlooker_;
  Stop stop_ = Stop::none;
  Time over_;  ///< its last line was heard
};

}  // namespace neph::experiment
