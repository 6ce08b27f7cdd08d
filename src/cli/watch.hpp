// What a person sees of an experiment that runs: one line that moves on a terminal, one line per run that
// stays.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.hpp"
#include "experiment/experiment.hpp"
#include "record/machine.hpp"

namespace neph::cli {

class Watch final : public experiment::Observer {
 public:
  /// `runs`: of the whole experiment, those that ended before included.
  /// `title`: what it shows in place of a run's number and cell; empty: those.
  explicit Watch(std::int64_t runs, std::string title = {}) : runs_(runs), title_(std::move(title)) {}

  /// Machines that earlier runs were made on: a run on another one is told.
  void knows(std::vector<Machine> machines) { machines_ = std::move(machines); }

  void run_started(const experiment::Slot& slot, const Cell& cell, const experiment::Eta& eta) override;
  void began(const Began& began) override;
  void phase_ended(const Phase& phase) override;
  void progress(const Progress& progress) override;
  void note(const Note& note) override;
  void finishing() override;
  void worker_said(std::string_view line) override;
  void run_ended(const Run& run, const Cell& cell) override;

 private:
  void draw();

  ProgressLine line_;
  std::int64_t runs_;
  std::string title_;
  std::string run_;    ///< "[3/25] batch 8": the one that was started last
  std::string phase_;  ///< "measure 120/500"
  const experiment::Eta* eta_ = nullptr;
  std::optional<double> least_left_s_;  ///< of the run, as far as it knows itself
  Moment began_;                        ///< the run
  std::vector<Machine> machines_;       ///< of earlier runs
  SteadyClock clock_;
};

/// "75.2 images/s", or the reason of the failure.
std::string outcome_of(const Run& run);

}  // namespace neph::cli
