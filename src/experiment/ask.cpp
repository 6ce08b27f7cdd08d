// A worker that makes no run.
#include "experiment/experiment.hpp"
#include "experiment/worker.hpp"

namespace neph::experiment {

Result<RunResult> ask_worker(const std::string& workload, const Json& spec, double timeout_s,
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

}  // namespace neph::experiment
