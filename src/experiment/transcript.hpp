// What a worker says, taken apart: events from its standard output, the last words of its standard error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/lines.hpp"
#include "experiment/experiment.hpp"

namespace neph::experiment {

/// A worker's standard output. Tells the observer, and keeps what the run is made of.
class Transcript {
 public:
  Transcript(Observer& observer, std::size_t max_line_bytes)
      : observer_(observer), max_line_bytes_(max_line_bytes), lines_(max_line_bytes) {}

  void add(std::string_view piece);
  /// No more will come.
  void finish();

  /// The last line has been said: a result or an error.
  bool complete() const { return result_.has_value() || error_.has_value(); }
  /// What was said that is no event; empty: nothing.
  const std::string& nonsense() const { return nonsense_; }
  const std::optional<Error>& error() const { return error_; }
  bool has_result() const { return result_.has_value(); }
  /// The host's fingerprint; null: it was not told.
  Json take_machine() { return std::move(machine_); }
  /// The host's monotonic clock at the run's second 0 and at its end; empty: not told.
  std::optional<double> began_s() const { return began_s_; }
  std::optional<double> ended_s() const { return ended_s_; }
  /// The result, or the phases and warnings that came before there was one.
  RunResult take_result();

 private:
  void hear(std::string_view line);
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
  Lines lines_;
  Json machine_;
  std::optional<double> began_s_, ended_s_;
  RunResult early_;
  std::optional<RunResult> result_;
  std::optional<Error> error_;
  std::string nonsense_;
};

/// A worker's standard error: passed on line by line, the last line that is not empty kept.
class LastWords {
 public:
  explicit LastWords(Observer& observer) : observer_(observer) {}
  void add(std::string_view piece);
  void finish();
  const std::string& text() const { return text_; }

 private:
  void hear(std::string_view line);
  Observer& observer_;
  Lines lines_{4096};
  std::string text_;
};

/// At most `bytes` of it, with control characters as "?", for messages.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace neph::experiment
