// What answers, wherever it is: brought up, described, watched. A run drives it through this and
// knows no more of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "record/run.hpp"
#include "wire/wire.hpp"
#include "workload/infer/batch_runner.hpp"
#include "workload/infer/examples.hpp"
#include "workload/infer/input_plan.hpp"
#include "workload/infer/spec.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// A model at a server, and how the server is asked.
struct ServedModel {
  wire::Endpoint endpoint;
  wire::ClientOptions options;
  wire::ModelMetadata model;
};

/// Called in the order of the functions, from the run's driving thread.
class SystemUnderTest {
 public:
  virtual ~SystemUnderTest() = default;
  /// Brings it up so far that it is known what it takes; each step is a phase.
  virtual Status load(Timeline& timeline) = 0;
  /// What it takes in this run.
  virtual const InputPlan& plan() const = 0;
  /// The tensors that go in; none of them: images do.
  virtual Examples& examples() = 0;
  /// What comes out; known after compile().
  virtual const std::vector<engine::Port>& outputs() const = 0;
  /// Ready to answer after this.
  virtual Status compile(Timeline& timeline) = 0;
  /// Batches in flight that keep it busy, when asynchronous.
  virtual std::int64_t advised_depth() const = 0;
  /// Of examples, or of batches in memory of the source. `depth` of them in flight; 1 waits for each.
  virtual Result<std::unique_ptr<BatchRunner>> runner(std::int64_t depth) = 0;
  /// What it really uses: engine, device, precision, ...
  virtual Facts facts() const = 0;

  /// After load(): the model behind its server; null in-process.
  virtual const ServedModel* served() const { return nullptr; }
  /// After load(): a process of this machine that works for it and was started by it, or 0.
  virtual int server_process() const { return 0; }
  /// Whether somebody's server on this machine works for it, and keeps the processor busy unwatched.
  virtual bool has_external_server_here() const { return false; }
  /// Borders of a phase, for those of its telemetry that the run itself cannot see.
  virtual void mark() {}
  /// Telemetry of processes and machines beside the run's own; complete after this.
  virtual std::vector<Series> stop() { return {}; }
};

std::unique_ptr<SystemUnderTest> sut_in_process(const InferSpec& spec, const Context& context);
std::unique_ptr<SystemUnderTest> sut_behind_server(const InferSpec& spec, const Context& context);

/// What every run against a server that is there already would find out: whether it speaks the address's
/// protocol, has the model, and takes such requests. Errors: those of SystemUnderTest::load().
Status check_server(const InferSpec& spec, const Context& context);

}  // namespace neph::workload
