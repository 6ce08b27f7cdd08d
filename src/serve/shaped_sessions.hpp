// Sessions for shapes that requests often have, of a model that leaves shapes open. Only for files of this
// module.
//
// An engine may run a shape that it was compiled for up to a quarter faster than one that it meets at run
// time (docs/PROTOCOL.md). Which shapes come often shows while they are served. For one of them a session is
// compiled beside the requests, and shown to give the same answer; then every other request of that shape
// runs in it, until it is known whether it is faster. If so it serves that shape from then on, else it goes.
//
// What it costs: of each model one compilation at a time, begun when the requests of one shape have taken
// five times as long; and the memory of the sessions, at most as many as `most`, each only where twice as
// much memory is left as the process takes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "serve/job.hpp"
#include "serve/signature.hpp"

namespace neph::serve {

/// A request of a session, with memory for those of its outputs whose shape is known.
struct ShapedRequest {
  std::vector<AlignedFloats> memory;
  std::vector<engine::OpenOutput> outputs;   ///< by port; without data: to be asked of the request
  std::unique_ptr<engine::Request> request;  ///< last: it uses the memory
};

struct ShapedSession {
  std::unique_ptr<engine::Session> session;
  std::vector<ShapedRequest> requests;  ///< one for each instance
};

/// Threads: any; "shapes" is its own, which compiles.
class ShapedSessions {
 public:
  struct Home {
    engine::Model& model;
    engine::Session& any;     ///< that takes any shape
    engine::Options options;  ///< it was compiled with
    const Signature& signature;
    std::size_t instances = 1;
    std::size_t most = 4;
    double compile_s = 0;  ///< that compiling `any` took
    const Clock& clock;
  };
  explicit ShapedSessions(Home home);
  /// Waits for the end of a compilation. No execution is in a session.
  ~ShapedSessions();

  /// Whether such a model may have them: open shapes of tensors that are no text.
  static bool are_for(const Signature& signature);

  /// The session that the next execution of this job is to run in; null: that of any shape. It stays until
  /// it is told of, by ended().
  ShapedSession* choose(const Job& job);

  struct Execution {
    ShapedSession* session = nullptr;  ///< that it ran in; null: that of any shape
    ShapedSession* failed = nullptr;   ///< that it was chosen for, and failed in
    std::optional<Nanoseconds> infer;  ///< if it succeeded
  };
  /// An execution has ended, and its outputs were taken. The job's inputs are still there. A session that
  /// failed what that of any shape answered goes.
  void ended(const Job& job, const Execution& execution);

  struct Told {
    std::string shapes;  ///< of open inputs: "1x128"; of several inputs "ids:1x128+mask:1x128"
    double gain = 0;
    std::int64_t executions = 0;
  };
  /// Of those that are used.
  std::vector<Told> told() const;

 private:
  struct Known;      ///< a shape that came
  struct Candidate;  ///< one to compile for, with inputs that have it

  Known& known(const Job& job);
  void propose(const Job& job, Known& known, std::unique_lock<std::mutex>& lock);
  void judge(Known& known);
  void drop(Known& known);
  void work(const std::stop_token& stop);
  void make_session(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  Result<std::unique_ptr<ShapedSession>> compile(Candidate& candidate, const std::stop_token& stop) const;
  Result<ShapedRequest> make_request(engine::Session& session, Candidate& candidate) const;

  const Home home_;
  mutable std::mutex mutex_;  ///< of all below
  std::condition_variable_any woken_;
  std::vector<Known> known_;
  std::unique_ptr<Candidate> candidate_;  ///< none: nothing is to be compiled, and nothing is
  bool is_proposing_ = false;             ///< a candidate is being made
  std::size_t sessions_ = 0;              ///< that there are
  double threshold_s_;                    ///< of one shape's requests, before it is compiled for
  std::jthread worker_;
};

}  // namespace neph::serve
