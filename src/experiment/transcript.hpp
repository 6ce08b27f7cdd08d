// What a worker says, taken apart: events from the lines of its standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiment/experiment.hpp"

namespace neph::experiment {

/// A worker's standard output. Tells the observer, and keeps what the run is made of.
class Transcript {
 public:
  Transcript(Observer& observer, std::size_t max_line_bytes)
      : observer_(observer), max_line_bytes_(max_line_bytes) {}

  void hear(std::string_view line);

  /// The last line has been said: a result or an error.
  bool complete() const { return result_.has_value() || error_.has_value(); }
  /// What was said that is no event; empty: nothing.
  const std::string& protocol_error() const { return protocol_error_; }
  const std::optional<Error>& error() const { return error_; }
  bool has_result() const { return result_.has_value(); }
  bool has_begun() const { return has_begun_; }
  /// The host's fingerprint; null: it was not told.
  Json take_machine() { return std::move(machine_); }
  /// The host's monotonic clock at the run's second 0 and at its end; empty: not told.
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

}  // namespace neph::experiment
