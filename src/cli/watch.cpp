#include "cli/watch.hpp"

#include <fmt/format.h>

#include "core/units.hpp"

namespace neph::cli {

void Watch::run_started(const experiment::Slot& slot, const Cell& cell, const experiment::Eta& eta) {
  eta_ = &eta;
  run_ = title_.empty() ? fmt::format("[{}/{}] {}", slot.position + 1, runs_, cell.label) : title_;
  phase_ = "start";
  draw();
}

void Watch::phase_ended(const Phase& phase) {
  phase_ = phase.name + " done";
  draw();
}

void Watch::progress(const Progress& progress) {
  phase_ = progress.total > 0 ? fmt::format("{} {}/{}", progress.phase, progress.done, progress.total)
                              : fmt::format("{} {}", progress.phase, progress.done);
  draw();
}

void Watch::note(const Note& note) { line_.say("  " + note.text); }

void Watch::finishing() { line_.say("finishing this run; once more to stop now"); }

void Watch::worker_said(std::string_view line) { line_.say(fmt::format("  worker: {}", line)); }

void Watch::run_ended(const Run& run, const Cell&) {
  line_.say(fmt::format("{}: {} ({})", run_, outcome_of(run), format_seconds(run.wall_s)));
}

void Watch::draw() {
  const auto left = eta_ != nullptr ? eta_->left_s() : std::nullopt;
  line_.show(fmt::format("{} · {}{}", run_, phase_, left ? " · " + format_seconds(*left) + " left" : ""));
}

std::string outcome_of(const Run& run) {
  if (run.status != RunStatus::ok) return fmt::format("{}: {}", enum_name(run.status), run.reason);
  for (const auto& [name, words] :
       {std::pair{"images_per_s", "images/s"}, std::pair{"sustained_per_s", "requests/s sustained"},
        std::pair{"requests_per_s", "requests/s"}})
    for (const auto& figure : run.result.figures)
      if (figure.name == name) return fmt::format("{} {}", format_number(figure.estimate.value), words);
  return "ok";
}

}  // namespace neph::cli
