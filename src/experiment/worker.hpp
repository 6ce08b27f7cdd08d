// One run: start the worker, give it its cell, hear it out, end it when it must end, judge how it ended.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "experiment/experiment.hpp"

namespace neph::experiment {

struct Made {
  Run run;
  Json machine;  ///< fingerprint of where it was made; null: the worker did not get so far as to tell
};

/// A worker's standard output. Reports to the observer, and keeps what the run is made of.
class Transcript {
 public:
  Transcript(Observer& observer, std::size_t max_line_bytes)
      : observer_(observer), max_line_bytes_(max_line_bytes) {}

  void take_line(std::string_view line);

  /// The last line has come: a result or an error.
  bool complete() const { return result_.has_value() || error_.has_value(); }
  /// A line that is not an event; empty: there was none.
  const std::string& protocol_error() const { return protocol_error_; }
  const std::optional<Error>& error() const { return error_; }
  bool has_result() const { return result_.has_value(); }
  bool has_begun() const { return has_begun_; }
  /// The host's fingerprint; null: it is not known.
  Json take_machine() { return std::move(machine_); }
  /// The host's monotonic clock at the run's second 0 and at its end; empty: not known.
  std::optional<double> began_s() const { return began_s_; }
  std::optional<double> ended_s() const { return ended_s_; }
  /// The result, or the phases and warnings that came before there was one.
  RunResult take_result();

 private:
  void take(Began&& began);
  void take(Ended&& ended);
  void take(Phase&& phase);
  void take(Progress&& progress);
  void take(Note&& note);
  void take(Warning&& warning);
  void take(RunResult&& result);
  void take(Error&& error);

  Observer& observer_;
  std::size_t max_line_bytes_;
  bool has_begun_ = false;
  Json machine_;
  std::optional<double> began_s_, ended_s_;
  RunResult early_;
  std::optional<RunResult> result_;
  std::optional<Error> error_;
  std::string protocol_error_;
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
  void take_line(std::string_view line);
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
