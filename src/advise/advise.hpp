// Advice: offers × configurations → which machine, how many cores, GPU or not, container or not.
//
// What it is: pure functions. Every candidate is a configuration on the cheapest offer that can run it,
// billed by its provider's rule; probabilities come from the intervals of the measurements by simulation.
// docs/method/advice.md has the method.
// What it does not do: measure, read files, print, or predict: a predicted time is shown and never
// recommended.
//
// Threads: no state. Money is exact in what is shown; the simulation counts in doubles. Seeds: the same
// advice for the same seed on every machine. Cost: 50,000 offers × 100 configurations × 10,000 draws take
// under a second.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "price/price.hpp"
#include "record/advice.hpp"

namespace neph::advise {

/// What a configuration uses of a machine. What is not told needs nothing.
struct Needs {
  std::optional<double> cores;
  std::int64_t gpus = 0;
  std::string gpu;  ///< model, as a driver or a catalogue calls it; empty: any
  std::optional<double> memory_bytes;
  std::vector<std::string> hardware;  ///< that will do, as Offer::hardware has it; empty: any
  std::string arch;  ///< x86_64, arm64 or aarch64; empty: x86_64, and of an instance what that has
  std::string provider, instance;  ///< only there; empty: anywhere
};

struct Configuration {
  price::Work work;  ///< its name, and what one job takes
  std::string
      family;  ///< what else was varied but cores, GPUs and place: those of one family do the same work
  std::string place;  ///< process, docker; empty: not told
  Needs needs;
  std::string machine;       ///< that it was measured on, for people; empty: not told
  std::int64_t repeats = 0;  ///< runs behind the interval; 0: not told
  /// How long one run took that measured it, without a machine's boot and installation; empty: as long as the
  /// job.
  std::optional<double> run_s;
  std::string hardware;   ///< that it ran on, as a data sheet calls it: "2x T4", "4 cores of EPYC 7763"
  std::string precision;  ///< of the computation; empty: unknown
  std::optional<double> gpu_memory_bytes;  ///< that it took of each GPU; empty: not measured
  std::string script;  ///< command that makes a script to measure it, without the machine; empty: none
  bool is_predicted = false;
  bool is_by_law = false;    ///< predicted by the law of machines, from the other configurations
  std::string refused;       ///< why there is no time of it; empty: there is
  bool is_doubtful = false;  ///< the measurement has warnings
};

struct Request {
  std::string source;        ///< of the configurations, for people
  std::string noun = "job";  ///< what one of them does: training
  std::optional<double> deadline_s;
  std::optional<price::Exact> budget;
  std::string currency;  ///< of all offers and of the budget
  price::Instant begin;  ///< when the machine is started
  /// Stages that nobody measured, in the order of BillStage; those that the work has are taken from there.
  std::vector<price::Stretch> assumed;
  bool is_spot = false;
  std::vector<price::Rule> rules;
  std::int64_t simulations = 10'000;
  std::int64_t seed = 1;
};

/// Errors: invalid_argument (no configuration, a time that is no number, a limit that is not above 0, offers
/// of another currency); not_found (no offer can run any, or none keeps to the limits: it says which limit to
/// loosen, and to what).
Result<Advice> advise(std::span<const Configuration> configurations, std::span<const price::Offer> offers,
                      const Request& request);

/// What one machine sustains under the latency objective.
struct Capacity {
  Configuration configuration;  ///< its work is not looked at
  Estimate sustained_per_s;
  std::string unfit;            ///< why it keeps to no objective: "p99 130 ms"; empty: it does
  bool is_closed_loop = false;  ///< a rate at which requests queue, if they come whatever the answers take
};

struct RateRequest {
  std::string source, objective;  ///< "p99 within 100 ms"; empty: none
  double rate_per_s = 0;
  std::string currency, item = "request";
  bool is_spot = false;
  std::vector<price::Rule> rules;
};

/// Machines for a rate that never ends: what an hour of them costs, and a million at that rate. Errors: as
/// advise().
Result<Advice> advise_rate(std::span<const Capacity> capacities, std::span<const price::Offer> offers,
                           const RateRequest& request);

}  // namespace neph::advise
