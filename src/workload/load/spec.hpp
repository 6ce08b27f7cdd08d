// What one load run is told: every field is an option of `neph load`, a key of a TOML file's [load] table,
// and, given a list of values, a factor.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "load/load.hpp"
#include "workload/connection.hpp"

namespace neph::workload {

struct LoadSpec {
  std::string url;
  std::string model;
  std::string version;
  load::Scenario scenario = load::Scenario::none;
  load::Arrival arrival = load::Arrival::automatic;
  double rate = 0;
  std::int64_t clients = 1;
  std::int64_t burst = 10;
  std::string trace;
  Seconds duration{30};
  std::int64_t count = 0;
  double ci_width = 0;
  Seconds warmup{1};
  std::int64_t in_flight = 0;
  Seconds p99;
  Seconds limit;
  double percentile = 99;
  bool find_max_rate = false;
  Seconds budget{1800};
  std::int64_t batch = 1;
  std::string input;
  std::string shape;
  std::int64_t distinct = 0;
  std::int64_t threads = 1;
  Connection connection{.request_timeout = {10}};
  std::int64_t arrival_seed = 0;
  std::int64_t input_seed = 1;
  Credentials credentials;
  double telemetry_hz = 10;
};

template <class Visit, Describes<LoadSpec> Self>
void describe(Visit&& v, Self& s) {
  v("url", s.url, "the server: http://HOST:PORT, grpc://HOST:PORT, https, grpcs; HOST:PORT means http");
  v("model", s.model, "name of the model on the server; empty: the only one that it has");
  v("version", s.version, "version of the model; empty: the server's choice");
  v("scenario", s.scenario, "one of MLPerf's, sets what it says of arrival, clients, batch and percentile");
  v("arrival", s.arrival, "auto: closed loop without --rate, poisson with one");
  v("rate", s.rate, "requests per second of an open loop; of a trace: stretched to it", between(0, 1e7));
  v("clients", s.clients, "clients of a closed loop, each with one request in flight", between(1, 65536));
  v("burst", s.burst, "requests that arrive at once with --arrival burst", between(1, 1e6));
  v("trace", s.trace, "file of arrival times, seconds, one a line");
  v("duration", s.duration, "length of the measurement; of a search: the least of a probe",
    between(0.01, 1e6));
  v("count", s.count, "requests of the measurement; 0: as many as the duration gives", between(0, 1e8));
  v("ci_width", s.ci_width, "end when the percentile's 95 % CI is within this share of it; 0: never",
    between(0, 1) | once_called("narrow"));
  v("warmup", s.warmup, "time before the measurement, in no metric", between(0, 1e5));
  v("in_flight", s.in_flight, "most requests in flight of an open loop; 0: no limit", between(0, 1e6));
  v("p99", s.p99, "SLO: 99 % of the requests are answered within this", between(0, 1e5));
  v("limit", s.limit, "SLO of another percentile: as --p99, for --percentile", between(0, 1e5));
  v("percentile", s.percentile, "percentile that --limit and --ci-width mean", between(1, 99.999));
  v("find_max_rate", s.find_max_rate,
    "look for the highest rate that meets the SLO; a probe has as many requests as show it, 1045 at 99 %",
    once_called("find_rate"));
  v("budget", s.budget, "time limit of a search: no probe begins that would end after it; 0s: none",
    between(0, 1e6));
  v("batch", s.batch, "samples in a request", between(1, 65536));
  v("input", s.input,
    "to send: arrays for the inputs (.npz, .npy, folder of NAME.npy), or a file or folder of files as they "
    "are; empty: random numbers",
    once_called("inputs"));
  v("shape", s.shape, "sizes that the model leaves open: NAME:3x224x224, several as NAME:1x128+OTHER:1x64");
  v("distinct", s.distinct, "different requests, sent in turn; 0: one, or one per file", between(0, 1e6));
  v("threads", s.threads, "workers, each with connections of its own", between(1, 256));
  describe(v, s.connection);
  v("arrival_seed", s.arrival_seed, "seed of the arrival times; 0: a new one, kept with the run",
    at_least(0));
  v("input_seed", s.input_seed, "seed of random inputs", at_least(0));
  describe(v, s.credentials);
  v("telemetry_hz", s.telemetry_hz, "readings of the machine's counters per second", between(0.1, 100));
}

}  // namespace neph::workload
