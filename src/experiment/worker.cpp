#include "experiment/worker.hpp"

#include <algorithm>
#include <variant>

#include "core/json.hpp"
#include "core/seconds.hpp"
#include "os/clock_name.hpp"
#include "record/order.hpp"

namespace neph::experiment {
namespace {

/// The description as it is true where the worker runs.
Json spec_there(Json spec, const launch::Files& files, const launch::Launcher& launcher) {
  for (const auto& file : files) {
    const auto there = launcher.path_there(file.path);
    if (file.field.empty() || there == file.path) continue;
    spec[file.field] = there;
    for (const auto& field : file.obviates) spec.erase(field);
  }
  return spec;
}

/// At most `bytes` of it, with control characters as "?", for messages.
std::string shortened(std::string_view text, std::size_t bytes) {
  std::string shown(text.substr(0, bytes));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char byte) { return byte < ' ' || byte == 127; }, '?');
  return text.size() > bytes ? shown + "..." : shown;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start(const std::string& workload, const Cell& cell,
                                              launch::Launcher& launcher, const Launch& launch,
                                              Observer& observer, const Clock& clock) {
  const launch::Command command{.arguments = {"worker"},
                                .files = launch.files ? launch.files(cell) : launch::Files{},
                                .max_line_bytes = launch.max_line_bytes};
  auto date = utc_now();
  const auto started = clock.now();
  NEPH_TRY(auto child, launcher.start(command));
  child->say(dump_json(to_json(Order{.workload = workload,
                                     .spec = spec_there(cell.spec, command.files, launcher),
                                     .started_s = seconds(started.time_since_epoch()),
                                     .clock = monotonic_clock_name()})));
  return std::unique_ptr<Worker>(
      new Worker(std::move(child), cell, std::move(date), started, launch, observer, clock));
}

Worker::Worker(std::unique_ptr<launch::Child> child, const Cell& cell, std::string date, Moment started,
               const Launch& launch, Observer& observer, const Clock& clock)
    : child_(std::move(child)),
      cell_(cell),
      date_(std::move(date)),
      started_(started),
      heard_(started),
      launch_(launch),
      clock_(clock),
      transcript_(observer, launch.max_line_bytes) {
  child_->on_line = [this](std::string_view line) { take_line(line); };
  child_->on_error_line = [&observer](std::string_view line) { observer.worker_said(line); };
}

void Worker::take_line(std::string_view line) {
  const bool had_begun = transcript_.has_begun();
  transcript_.take_line(line);
  if (!transcript_.has_begun()) heard_ = clock_.now();
  if (had_begun || !transcript_.has_begun() || !launch_.onlooker) return;
  onlooker_ = launch_.onlooker(cell_, *child_, started_);
}

void Worker::finish() { child_->say(order::finish); }

void Worker::check_timeouts() {
  const auto now = clock_.now();
  if (is_over() && !over_) over_ = now;
  if (!transcript_.protocol_error().empty())
    end(Stop::protocol_error);
  else if (const auto due = next_timeout(); due && now >= *due)
    end(over_ ? Stop::lingering : Stop::timed_out);
}

std::optional<Moment> Worker::next_timeout() const {
  if (stop_ != Stop::none) return std::nullopt;
  if (over_) return *over_ + from_seconds(launch_.exit_s);
  return launch_.timeout_s > 0 ? Time(heard_ + from_seconds(launch_.timeout_s)) : std::nullopt;
}

void Worker::end(Stop reason) {
  if (stop_ != Stop::none) return;
  stop_ = reason;
  child_->stop(launch_.grace_s);
}

Made Worker::made() {
  Run run{.started = date_, .ended = utc_now(), .wall_s = seconds(clock_.now() - started_)};
  run.reason = reason();
  if (!run.reason.empty())
    run.status = stop_ == Stop::interrupted || !signal_of_others().empty() ? RunStatus::interrupted
                                                                           : RunStatus::failed;
  run.result = transcript_.take_result();
  for (const auto& warning : run.result.warnings)  // its numbers are kept, and are no result
    if (warning.code == WarningCode::server_lost && run.reason.empty()) {
      run.status = RunStatus::failed;
      run.reason = warning.message;
    }
  if (onlooker_) onlooker_->add_to(run.result);
  run.host_begin_s = transcript_.began_s();
  run.host_end_s = transcript_.ended_s();
  const auto& exit = *child_->exit();
  if (run.reason.empty() && (stop_ == Stop::lingering || exit.signal != 0 || exit.code != 0))
    run.result.warnings.push_back(make_warning(
        WarningCode::worker_exit, fmt::format("after its result the worker {}", how_it_ended())));
  return {std::move(run), transcript_.take_machine()};
}

/// Empty: it ended well.
std::string Worker::reason() const {
  if (!transcript_.protocol_error().empty())
    return fmt::format("the worker's output is not events: {}", transcript_.protocol_error());
  if (transcript_.has_result()) return {};
  if (stop_ == Stop::interrupted) return "stopped by the user";
  if (stop_ == Stop::timed_out)
    return fmt::format("took longer than --timeout {} and was stopped{}", seconds_text({launch_.timeout_s}),
                       quoted_stderr_tail());
  if (const auto signal = signal_of_others(); !signal.empty())
    return fmt::format("stopped by a {} from elsewhere, as of a scheduler; --resume repeats it", signal);
  if (transcript_.error()) return transcript_.error()->text();
  return fmt::format("{} without a result{}", how_it_ended(), quoted_stderr_tail());
}

std::string Worker::signal_of_others() const {
  if (stop_ != Stop::none) return {};
  if (const int signal = child_->ended_by(); asks_to_end(signal)) return name_of_signal(signal);
  const auto& error = transcript_.error();
  return error && error->subject.starts_with("SIG") ? error->subject : "";
}

std::string Worker::how_it_ended() const {
  if (stop_ == Stop::lingering) return fmt::format("did not end within {} s and was stopped", launch_.exit_s);
  return child_->how_it_ended();
}

std::string Worker::quoted_stderr_tail() const {
  const auto& tail = child_->stderr_tail();
  return tail.empty() ? "" : fmt::format("; its last words: {}", tail);
}

Result<RunResult> query_worker(const std::string& workload, const Json& spec, double timeout_s,
                               Observer& observer, Interrupt& interrupt, const Clock& clock) {
  const auto launcher = launch::here();
  const Cell cell{.factors = {}, .spec = spec, .label = {}};
  const Launch launch{.launcher = {}, .timeout_s = timeout_s, .grace_s = 0};
  NEPH_TRY(const auto worker, Worker::start(workload, cell, *launcher, launch, observer, clock));
  for (auto* const child = &worker->child(); !child->exit();) {
    if (interrupt.level() > 0) worker->interrupt();
    worker->check_timeouts();
    launch::Child::wait({&child, 1}, worker->next_timeout(), interrupt.descriptor());
    interrupt.clear();
  }
  auto made = worker->made();
  if (made.run.status == RunStatus::ok) return std::move(made.run.result);
  return fail(ErrorCode::unavailable, "{}", made.run.reason);
}

void Transcript::take_line(std::string_view line) {
  if (!protocol_error_.empty() || line.empty()) return;  // it is being stopped; the rest may be endless
  if (line.size() > max_line_bytes_) {
    protocol_error_ = fmt::format("a line of more than {} bytes: {}", max_line_bytes_, shortened(line, 80));
    return;
  }
  auto event = decode_event(line);
  if (!event)
    protocol_error_ = fmt::format("'{}' ({})", shortened(line, 80), shortened(event.error().text(), 200));
  else if (complete())
    protocol_error_ = fmt::format("more after its last line: '{}'", shortened(line, 80));
  else
    std::visit([this](auto& said) { take(std::move(said)); }, *event);
}

void Transcript::take(Began&& began) {
  observer_.began(began);
  has_begun_ = true;
  began_s_ = began.at_s;
  machine_ = std::move(began.machine);
}

void Transcript::take(Ended&& ended) { ended_s_ = ended.at_s; }

void Transcript::take(Phase&& phase) {
  observer_.phase_ended(phase);
  early_.phases.push_back(std::move(phase));
}

void Transcript::take(Progress&& progress) { observer_.progress(progress); }

void Transcript::take(Note&& note) { observer_.note(note); }

void Transcript::take(Warning&& warning) {
  observer_.warning(warning);
  early_.warnings.push_back(std::move(warning));
}

void Transcript::take(RunResult&& result) { result_ = std::move(result); }

void Transcript::take(Error&& error) { error_ = std::move(error); }

RunResult Transcript::take_result() {
  if (!result_) return std::move(early_);
  if (result_->phases.empty()) result_->phases = std::move(early_.phases);
  if (result_->warnings.empty()) result_->warnings = std::move(early_.warnings);
  return std::move(*result_);
}

}  // namespace neph::experiment
