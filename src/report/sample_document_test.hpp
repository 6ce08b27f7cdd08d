// Made-up documents for the tests: every shape that a report must bear. The same on every machine.
#pragma once

#include "report/report.hpp"

namespace neph::report {

struct SampleOptions {
  std::vector<std::int64_t> batches{1, 2, 4, 8, 16};
  std::vector<std::string> precisions{"f32", "bf16"};
  std::vector<std::string> modes{"sync", "async"};
  std::int64_t repeat = 5;
  std::int64_t samples = 120;  ///< batches per run
  double measure_s = 6;
  bool hostile = false;  ///< labels, paths and messages that try to break the page
};

/// An experiment of batch × precision × mode as `neph infer` makes it, one configuration doubtful, one with a
/// failed run.
Document sample_document(const SampleOptions& options = {});
/// Architecture × protocol × payload × batch × mode × files: the network takes 34 to 40 ms of a core per
/// image, an image 4.2 ms, a request 0.6 to 1.75 ms of client and server; synchronously cores idle.
Document served_document(std::int64_t repeat = 3);
/// Open loops of rising rate at a server that can do 130 requests/s, and closed loops of 1 to 8 clients, with
/// an SLO of 50 ms.
Document load_document();
struct TrainingOptions {
  std::vector<std::int64_t> cores{1, 2, 4};
  std::vector<std::int64_t> batches{};  ///< empty: 128, and no factor
  std::vector<std::string> places{};    ///< of the factor `in`; empty: none
  std::int64_t repeat = 3;
  double step_s = 0.06;                ///< of batch 128 on one core
  double serial = 0.1, crosstalk = 0;  ///< of it, by Gunther's law
  double fixed_s = 0;                  ///< of a step, whatever its batch, on any number of cores
  double container = 1.03;             ///< time in a container, relative
  double noise = 0.004;                ///< of a run, relative
};
/// Trainings of 3 epochs on 1, 2 and 4 cores, 3 repeats: Amdahl's law with a parallel share of 0.9.
Document training_document(const TrainingOptions& options = {});
/// As a command with the same steps: its main metric is a time.
Document command_document(const TrainingOptions& options = {});
/// The same with a price: what each stage of each configuration's bill costs, boot assumed.
Document with_costs(Document document);
/// The machine of all of them, number 1.
Machine sample_machine();
/// One configuration, one repeat, nothing varied: no intervals.
Document single_run_document();
/// Runs were tried and all failed.
Document failed_document();
/// Nothing has run yet.
Document empty_document();

}  // namespace neph::report
