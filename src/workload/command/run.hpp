// One run of a command: set up, heard to its end, accounted for.
#pragma once

#include <memory>

#include "host/host.hpp"
#include "workload/command/account.hpp"
#include "workload/command/hearing.hpp"
#include "workload/command/output_tail.hpp"
#include "workload/command/scratch.hpp"
#include "workload/command/spec.hpp"
#include "workload/command/text_output.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload::command {

class CommandRun {
 public:
  CommandRun(const CommandSpec& spec, const Context& context);
  /// Errors: not_found; unavailable: the command failed, with its exception or last line, or was stopped.
  Result<RunResult> run();
  /// A figure that is known before the run; what the command reports itself counts more.
  void set_known(Value value, double number) {
    told_.add({.by = Teller::output, .what = Figure{value, number}});
  }
  /// Lines of its output that begin so are not shown.
  void hide_lines(std::vector<std::string> beginnings) { not_shown_ = std::move(beginnings); }
  /// Of a run that is over.
  const Account& account() const { return account_; }
  /// Of a run that was stopped: what was measured until then.
  RunResult stopped_result() { return std::move(result_); }

 private:
  Result<Launched> launched(const Scratch& scratch) const;
  void hear_line(std::string_view line, bool is_error);
  void hear_event(std::string_view line);
  void show(std::string_view line);
  void each_second();
  void end_what_is_left(int pid);
  void sum_up(std::vector<Series> series);
  void add_telemetry(std::vector<Series> series);
  void add_facts();
  void doubt_silence();
  void doubt_refusals();
  tl::unexpected<Error> failure(const Exit& exit);
  double now_s() const { return seconds(context_.clock.now().time_since_epoch()); }

  const CommandSpec spec_;
  const Context context_;
  Timeline timeline_;
  RunResult result_;
  Tellings told_;
  Account account_;
  TextOutput text_;
  OutputTail tail_;
  PythonError python_error_;
  double begin_s_ = 0;  ///< of the command, on the clock of what is told
  double end_s_ = 0;
  double epoch_at_s_ = 0;  ///< that clock's reading in 1970
  double cpu_s_ = 0;
  std::int64_t steps_heard_ = 0;
  std::int64_t refused_ = 0;
  std::string first_refused_;
  std::int64_t shown_ = 0, hidden_ = 0;  ///< lines of the current second
  std::vector<std::string> not_shown_;
  std::unique_ptr<host::Telemetry> telemetry_;
};

}  // namespace neph::workload::command
