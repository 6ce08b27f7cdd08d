// The load generator in the application's place: it asks a server for as many items, and does nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "load/load.hpp"
#include "workload/infer/system_under_test.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

struct Asking {
  std::int64_t items = 0;        ///< of the measurement; whole requests are sent
  Item item = Item::image;       ///< what they are
  std::int64_t tokens = 0;       ///< in an item
  std::string shapes;            ///< of the model's inputs, where the batch alone does not tell
  std::int64_t batch = 1;        ///< items in a request
  std::int64_t in_flight = 1;    ///< requests; the next is sent when one is answered
  double request_timeout_s = 0;  ///< a request without an answer for so long has failed
};

/// The server warms up before it is ready, and the load generator has nothing that could.
inline constexpr double longest_independent_warmup_s = 1;

/// Sends one request of random numbers, encoded once, again and again. Replies are received and not decoded.
/// Its functions are called in their order, from the run's driving thread. Errors: those of the connection;
/// unavailable when the user stops it.
class IndependentClient {
 public:
  using Progress = std::function<void(std::int64_t items)>;

  static Result<IndependentClient> make(const ServedModel& server, const Asking& asking,
                                        const Context& context);

  /// What this one does wrong, all would: its error is the server's own.
  Status first_inference(Timeline& timeline) const;
  Status warm_up(double length_s, Timeline& timeline) const;
  Status measure(const Progress& progress, Timeline& timeline);
  /// Samples, stages, figures and warnings of the measurement, by the names that the application's have.
  void finish(const Timeline& timeline, RunResult& result) const;

 private:
  IndependentClient(const ServedModel& server, const Asking& asking, const Context& context)
      : server_(server), asking_(asking), context_(context) {}
  Result<load::Measurement> drive(const load::Course& course, const Progress& progress) const;
  std::int64_t requests() const { return (asking_.items + asking_.batch - 1) / asking_.batch; }

  const ServedModel& server_;
  Asking asking_;
  const Context& context_;
  load::Payload payload_;
  load::Measurement measured_;
};

}  // namespace neph::workload
