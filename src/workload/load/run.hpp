// One load run: look at the model, make the requests, send them, sum up; or search for a rate.
#pragma once

#include <optional>
#include <utility>

#include "host/host.hpp"
#include "load/load.hpp"
#include "workload/load/spec.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// The description with what its scenario and its short forms stand for.
LoadSpec resolved(LoadSpec spec);
load::Promise promise_of(const LoadSpec& spec);
bool is_closed(const LoadSpec& spec);

/// What is known of the server before anything is sent.
struct Target {
  wire::Endpoint endpoint;
  wire::ClientOptions client;
  wire::ModelMetadata model;
  load::Payload payload;
};
/// Errors: nobody there, no such model, inputs that do not fit.
Result<Target> look_at(const LoadSpec& spec, const Clock& clock, const std::stop_token& stop = {});

/// Threads: run() in the caller's; the load has its own. Members are made in this order and go in reverse.
class LoadRun {
 public:
  LoadRun(const LoadSpec& spec, const Context& context);
  Result<RunResult> run();

 private:
  Status look_at_the_model();
  Status try_one();
  Status measure_once();
  Status search();
  load::DrivePlan plan_of(const LoadSpec& spec) const;
  /// `search`: whose probe it is; nullptr: of none.
  Result<load::Measurement> drive(const LoadSpec& spec, const PhaseKind& phase,
                                  const load::RateSearch* search = nullptr);
  Result<load::Schedule> schedule_of(const LoadSpec& spec) const;
  LoadSpec probe_of(const load::RateSearch& search) const;
  /// Seconds until the search is over, at least.
  double left_s(const load::RateSearch& search) const;
  void learn(const load::Measurement& measured, load::RateSearch& search) const;
  /// `spoilt`: why the probe does not count; empty: it does.
  void tell_progress(const load::RateSearch& search, const std::string& spoilt, double rate_per_s);
  void tell_of(const load::RateSearch& search);
  /// Of a search that is not over, or found nothing. `spoilt`: why the probes of `last`, the last one, did
  /// not count; empty: they did.
  void doubt(const load::RateSearch& search, const std::string& spoilt, const LoadSpec& last);
  /// Begin and end in the run's time.
  std::pair<double, double> measured_part(const load::Measurement& measured) const;
  void sum_up(const load::Measurement& measured, const LoadSpec& spec);
  void add_telemetry(std::vector<Series> series, double begin_s, double end_s);

  const LoadSpec spec_;
  const Context& context_;
  Timeline timeline_;
  RunResult result_;
  std::optional<Target> target_;
  std::stop_source search_ends_;
  Moment next_progress_{};
  double begin_s_ = 0, end_s_ = 0;  ///< of the measured part
};

}  // namespace neph::workload
