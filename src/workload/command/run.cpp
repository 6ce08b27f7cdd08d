#include "workload/command/run.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>

#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "os/cores.hpp"
#include "os/orphans.hpp"
#include "workload/command/command.hpp"
#include "workload/command/event_line.hpp"
#include "workload/command/mllog.hpp"
#include "workload/command/run_figures.hpp"
#include "workload/command/words.hpp"
#include "workload/library_settings.hpp"

namespace neph::workload::command {
namespace {

/// More would cost the command time that a terminal does not cost it either.
constexpr std::int64_t most_shown_per_s = 100;
/// Servants of multiprocessing end by themselves once their master has; what is still there then was left
/// behind.
constexpr auto patience = std::chrono::milliseconds(200);
constexpr double end_grace_s = 0.5;

/// What numerical libraries ask how many threads they may have.
constexpr std::array thread_variables{"OMP_NUM_THREADS",     "MKL_NUM_THREADS",        "OPENBLAS_NUM_THREADS",
                                      "NUMEXPR_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "RAYON_NUM_THREADS"};

double reading_in_1970() {
  timespec wall{}, monotonic{};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  ::clock_gettime(CLOCK_MONOTONIC, &monotonic);
  return static_cast<double>(monotonic.tv_sec - wall.tv_sec) +
         static_cast<double>(monotonic.tv_nsec - wall.tv_nsec) * 1e-9;
}

double cpu_of_ended_children_s() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto in_s = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return in_s(used.ru_utime) + in_s(used.ru_stime);
}

bool is_hooked(const Tellings& told, std::string_view who) {
  return std::ranges::find(told.hooked, who) != told.hooked.end();
}

}  // namespace

CommandRun::CommandRun(const CommandSpec& spec, const Context& context)
    : spec_(spec),
      context_(context),
      timeline_(context.clock, context.origin, context.events),
      epoch_at_s_(reading_in_1970()) {}

Result<RunResult> CommandRun::run() {
  const Adoption adoption;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // killed, the controller leaves time to end what the command started
  NEPH_TRY(const auto scratch, Scratch::make(spec_.hooks));
  NEPH_TRY(const auto what, launched(scratch));
  const double cpu_before_s = cpu_of_ended_children_s();
  begin_s_ = now_s();
  NEPH_TRY(auto hearing, Hearing::start(what, scratch.pipe));
  timeline_.add(phase::process_start, 0, begin_s_ - seconds(context_.origin.time_since_epoch()));
  NEPH_TRY(telemetry_, host::Telemetry::start({.rate_hz = spec_.telemetry_hz, .pid = hearing.id()},
                                              context_.clock, context_.origin));
  hearing.on_line = [this](std::string_view line) { hear_line(line, false); };
  hearing.on_error_line = [this](std::string_view line) { hear_line(line, true); };
  hearing.on_event = [this](std::string_view line) { hear_event(line); };
  hearing.on_second = [this] { each_second(); };
  hearing.hear(context_.clock, context_.stop);
  end_s_ = seconds(hearing.ended().time_since_epoch());
  telemetry_->mark();
  end_what_is_left(hearing.id());
  const auto exit = hearing.end();
  hearing.hear_events();
  cpu_s_ = cpu_of_ended_children_s() - cpu_before_s;
  each_second();
  const double origin_s = seconds(context_.origin.time_since_epoch());
  account_ = account_for(told_, {begin_s_, end_s_}, origin_s);
  sum_up(telemetry_->stop());
  if (context_.stop.stop_requested()) return fail(ErrorCode::unavailable, "stopped by the user");
  if (exit.signal != 0 || exit.code != 0) return failure(exit);
  return std::move(result_);
}

Result<Launched> CommandRun::launched(const Scratch& scratch) const {
  Launched what{.surroundings = {.environment = scratch.variables(), .folder = spec_.folder},
                .cores = spec_.threads};
  NEPH_TRY(auto start, start_of(spec_));
  what.words = std::move(start.words);
  NEPH_TRY(auto variables, variables_of(spec_.env));
  variables.insert(variables.begin(), start.variables.begin(), start.variables.end());
  auto& all = what.surroundings.environment;
  const auto set_here = [&](const std::string& name) {
    return std::any_of(variables.begin(), variables.end(),
                       [&](const auto& each) { return each.first == name; });
  };
  const auto threads = spec_.threads > 0 || spec_.processes == 1 ? spec_.threads : usable_cores();
  if (threads > 0)
    for (const auto* name : thread_variables)
      if (!set_here(name))
        all.emplace_back(name, std::to_string(std::max<std::int64_t>(1, threads / spec_.processes)));
  for (auto variable : variables) {
    if (variable.first == "PYTHONPATH" && spec_.hooks)  // ours stays before it
      for (auto& [name, value] : all)
        if (name == "PYTHONPATH") variable.second = value.substr(0, value.find(':')) + ":" + variable.second;
    std::erase_if(all, [&](const auto& each) { return each.first == variable.first; });
    all.push_back(std::move(variable));
  }
  return what;
}

void CommandRun::hear_line(std::string_view raw, bool is_error) {
  const auto line = shown_line(raw);
  if (auto told = read_mllog(line, epoch_at_s_))
    told_.add(std::move(*told), now_s());
  else
    for (auto& each : text_.hear(line, now_s())) told_.add(std::move(each), now_s());
  tail_.add(line);
  if (is_error) python_error_.add(line);
  if (spec_.show) show(line);
}

void CommandRun::show(std::string_view line) {
  if (trimmed(line).empty()) return;
  if (std::ranges::any_of(not_shown_, [&](const auto& begin) { return line.starts_with(begin); })) return;
  if (++shown_ > most_shown_per_s) {
    ++hidden_;
    return;
  }
  context_.events.emit(Note{printable(line)});
}

void CommandRun::hear_event(std::string_view line) {
  auto told = read_event(line, {.begin_s = begin_s_, .now_s = now_s()});
  if (!told) {
    if (refused_++ == 0)
      first_refused_ = fmt::format("'{}': {}", printable(line.substr(0, 80)), told.error().text());
    return;
  }
  if (const auto* steps = std::get_if<Steps>(&told->what)) steps_heard_ += std::ssize(steps->ends_s);
  told_.add(std::move(*told), now_s());
}

void CommandRun::each_second() {
  if (hidden_ > 0) context_.events.emit(Note{fmt::format("({} more lines in this second)", hidden_)});
  shown_ = hidden_ = 0;
  if (steps_heard_ > 0) context_.events.emit(Progress{.phase = "steps", .done = steps_heard_});
  for (const auto& orphan : children({})) telemetry_->also(orphan.pid);  // the command itself is known
}

void CommandRun::end_what_is_left(int pid) {
  const std::array but{pid};
  const auto limit = context_.clock.now() + patience;
  while (!children(but).empty() && context_.clock.now() < limit)
    context_.clock.sleep_until(context_.clock.now() + std::chrono::milliseconds(5));
  const auto left = children(but);
  if (left.empty()) return;
  end_children(but, end_grace_s);
  std::vector<std::string> names;
  for (const auto& each : left) names.push_back(fmt::format("{} ({})", printable(each.name), each.pid));
  result_.warnings.push_back(
      make_warning(WarningCode::left_behind,
                   fmt::format("the command ended and left processes behind, which the run has ended: {}",
                               fmt::join(names, ", "))));
}

void CommandRun::sum_up(std::vector<Series> series) {
  const Stretch whole{timeline_.phases().back().end_s, timeline_.at(Moment(from_seconds(end_s_)))};
  for (const auto& [kind, time] : account_.phases) timeline_.add(kind, time.begin_s, time.end_s);
  if (account_.phases.empty()) timeline_.add(phase::command, whole.begin_s, whole.end_s);
  result_.phases = timeline_.phases();
  add_figures(account_, {.command_s = whole.length_s(), .cpu_s = cpu_s_}, result_);
  add_steps(account_, result_);
  add_doubts(account_, result_);
  add_telemetry(std::move(series));
  add_course(account_, result_);
  add_facts();
  doubt_silence();
  doubt_refusals();
}

/// Over the learning; of a command that tells of none over all of it.
void CommandRun::add_telemetry(std::vector<Series> series) {
  const auto origin_s = seconds(context_.origin.time_since_epoch());
  const auto part = account_.learning.value_or(Stretch{begin_s_ - origin_s, end_s_ - origin_s});
  result_.telemetry = host::summarise(series, part.begin_s, part.end_s);
  result_.series = std::move(series);
  for (auto& doubt : host::doubts(result_.telemetry, host::take_fingerprint({.nvml_library = ""})))
    result_.warnings.push_back(std::move(doubt));
}

void CommandRun::add_facts() {
  auto& facts = result_.facts;
  if (spec_.threads > 0) set(facts, fact::cores, spec_.threads);
  if (spec_.processes > 1) set(facts, fact::processes, spec_.processes);
  if (const auto cores = spec_.threads > 0 ? spec_.threads : usable_cores(); spec_.processes > cores)
    result_.warnings.push_back(
        make_warning(WarningCode::fewer_cores,
                     fmt::format("{} processes share {}", spec_.processes, counted(cores, "core"))));
  if (account_.steps_by) set(facts, fact::steps_told_by, std::string(enum_name(*account_.steps_by)));
  if (account_.epochs_by) set(facts, fact::epochs_told_by, std::string(enum_name(*account_.epochs_by)));
  if (account_.steps_seen > 0) set(facts, fact::steps_measured, account_.steps_seen);
  if (!account_.epochs.empty()) set(facts, fact::epochs_learnt, std::ssize(account_.epochs));
  const auto given = variables_of(spec_.env);  // was checked before
  add_library_settings(facts, [&](const std::string& name) {
    if (given)
      for (const auto& [each, value] : *given)
        if (each == name) return value;
    return own_variable(name);
  });
}

/// Why nothing is known of steps, and what to do.
void CommandRun::doubt_silence() {
  if (account_.steps_seen > 1) return;
  std::string why = "Python ran, and imported neither PyTorch nor Keras";
  if (account_.steps_seen == 1)
    why = "there was one step, which has no time of its own";
  else if (!spec_.hooks)
    why = "hooks are off";
  else if (!is_hooked(told_, "python"))
    why = "it ran no Python that reads PYTHONPATH (another language, or python -S, -I, -E)";
  else if (const bool is_keras = is_hooked(told_, "keras"); is_keras || is_hooked(told_, "torch"))
    why = fmt::format("{} was imported, and no optimizer took a step", is_keras ? "Keras" : "PyTorch");
  result_.warnings.push_back(make_warning(
      WarningCode::no_steps, fmt::format("no step of learning is known: {}", why),
      "where it learns, let it say so: a line in $NEPH_EVENTS for each step, or :::MLLOG lines on "
      "its output (docs/EVENTS.md)"));
}

void CommandRun::doubt_refusals() {
  if (refused_ == 0) return;
  result_.warnings.push_back(
      make_warning(WarningCode::events_refused, fmt::format("{} of NEPH_EVENTS made no sense; the first: {}",
                                                            counted(refused_, "line"), first_refused_)));
}

/// What is known until then is kept with the failed run.
tl::unexpected<Error> CommandRun::failure(const Exit& exit) {
  for (const auto& warning : result_.warnings)
    if (warning.code == WarningCode::left_behind || warning.code == WarningCode::events_refused)
      context_.events.emit(warning);
  if (!tail_.is_empty())
    context_.events.emit(make_warning(WarningCode::command_output,
                                      fmt::format("the command's last lines:\n{}", tail_.text())));
  // An exception that Python's hooks know nothing of was caught.
  const bool is_exception = exit.signal == 0 && exit.code == 1 && !python_error_.text().empty() &&
                            (is_hooked(told_, "exception") || !is_hooked(told_, "python"));
  const auto why = is_exception ? python_error_.text() : tail_.last();
  auto error =
      fail(ErrorCode::unavailable, "the command {}{}", how_it_ended(exit), why.empty() ? "" : ": " + why);
  if (asks_to_end(exit.signal)) error.value().subject = name_of_signal(exit.signal);
  return error;
}

}  // namespace neph::workload::command
