#include "cli/watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"
#include "record/facts.hpp"
#include "record/views.hpp"

namespace neph::cli {

void Watch::run_started(const experiment::Slot&, const Cell& cell, const experiment::Eta& eta) {
  eta_ = &eta;
  run_ = title_.empty() ? fmt::format("[{}/{}] {}", runs_ + 1 - eta.runs_left(), runs_, cell.label) : title_;
  phase_ = "start";
  least_left_s_.reset();
  began_ = clock_.now();
  draw();
}

void Watch::began(const Began& began) {
  auto here = machine_of(began.machine);
  const auto is_here = [&](const Machine& known) { return is_same(here, known); };
  if (std::any_of(machines_.begin(), machines_.end(), is_here)) return;
  if (!machines_.empty())
    line_.say(fmt::format("  another machine than before: {}; earlier runs were made on {}",
                          machine_text(here), machine_text(machines_.back())));
  machines_.push_back(std::move(here));
}

void Watch::phase_ended(const Phase& phase) {
  phase_ = phase.name + " done";
  draw();
}

void Watch::progress(const Progress& progress) {
  phase_ = progress.total > 0 ? fmt::format("{} {}/{}", progress.phase, progress.done, progress.total)
                              : fmt::format("{} {}", progress.phase, progress.done);
  least_left_s_ = progress.left_s;
  draw();
}

void Watch::note(const Note& note) { line_.say("  " + note.text); }

void Watch::finishing() { line_.say("finishing this run; once more to stop now"); }

void Watch::worker_said(std::string_view line) { line_.say(fmt::format("  worker: {}", line)); }

void Watch::run_ended(const Run& run, const Cell&) {
  line_.say(fmt::format("{}: {} ({})", run_, outcome_of(run), format_seconds(run.wall_s)));
}

void Watch::draw() {
  const auto left_s = eta_ != nullptr ? eta_->left_s() : std::nullopt;
  std::string time;
  if (least_left_s_) time = fmt::format(" · {} elapsed", format_seconds(seconds(clock_.now() - began_)));
  if (const auto known_s = left_s ? left_s : least_left_s_)
    time += fmt::format(" · {}{} left", left_s ? "" : "at least ", format_seconds(*known_s));
  line_.show(fmt::format("{} · {}{}", run_, phase_, time));
}

namespace {

/// Of what the run was judged by: a workload may do several kinds of items.
std::string_view rate_of(const View& view, const Run& run) {
  if (view.workload != view::infer.workload) return view.rate;
  for (const auto& metric : view.main)
    for (const auto& figure : run.result.figures)
      if (figure.name == metric.name) return metric.label;
  return view.rate;
}

}  // namespace

std::string outcome_of(const Run& run) {
  if (run.status != RunStatus::ok) return fmt::format("{}: {}", enum_name(run.status), run.reason);
  if (auto found = get(run.result.facts, fact::search)) return *std::move(found);
  for (const auto& view : views)
    if (const auto speed = speed_of(view, run))
      return fmt::format("{} {}", format_number(*speed), rate_of(view, run));
  return "ok";
}

}  // namespace neph::cli
