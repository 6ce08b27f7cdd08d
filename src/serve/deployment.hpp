// One version of a model, loaded: its sessions, its queue, and what runs them. Only for files of this module.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "serve/batching.hpp"
#include "serve/decoders.hpp"
#include "serve/instance.hpp"
#include "serve/job.hpp"
#include "serve/options.hpp"
#include "serve/repository.hpp"
#include "serve/signature.hpp"
#include "serve/statistics.hpp"

namespace neph::serve {

struct ModelName {
  std::string name;
  std::string version;
};

/// A request goes: accept(), run() → (decoders) → queue → an instance that is free → its answer. Whoever
/// brings the queue or the instances a change (a transport's thread, a decoder, the engine's thread that ends
/// an execution) starts what can be started; a thread of its own, "queue", only watches the clock. An
/// execution that costs less than handing it to another thread runs on the thread that brought the request.
/// Threads: any. Ownership: a job belongs to the deployment, its exchange until finish().
class Deployment {
 public:
  /// Compiles the sessions and tries each of them. `regions` and `clock` outlive it. Errors: the engine's,
  /// invalid_argument (sizes), unsupported (signature).
  static Result<std::unique_ptr<Deployment>> open(std::unique_ptr<engine::Model> model, ModelName name,
                                                  const ModelOptions& options, const std::string& platform,
                                                  const Regions& regions, const Clock& clock);
  /// Refuses and waits, as close() and drain().
  ~Deployment();

  /// From here to the exchange's finish() the deployment waits for it before it goes.
  Job& accept(wire::Exchange& exchange);
  /// Checks, decodes, queues or runs what was accepted. The deployment may be gone when it returns.
  void run(Job& job);

  /// From now on requests are refused.
  void close();
  /// Waits until everything accepted has been answered and nothing runs. False: not by then.
  bool drain(Moment until);
  /// From now on, answers what has not begun as unavailable.
  void abort();

  const ModelName& name() const { return name_; }
  const Signature& signature() const { return signature_; }
  wire::ModelMetadata metadata() const;
  wire::ModelConfig config() const;
  wire::ModelStatistics statistics() const;
  /// What the engine really uses (engine::Session::facts), and "batching": "on", or "off: " and why.
  const Facts& facts() const { return facts_; }
  /// What people should know of it, beside its facts. Before it is used by several threads.
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The files that it was read from, as they were before, and the folder from which on clients may see their
  /// paths. Before it is used by several threads.
  void set_files(FileStamps files, std::filesystem::path root) {
    files_ = std::move(files);
    root_ = std::move(root);
  }
  bool files_changed() const { return have_changed(files_); }
  /// One inference of the smallest inputs there are, ones and floats of 0. An engine that it ends is ended by
  /// any client; what it answers, or refuses, does not matter.
  void try_smallest() const;
  std::int64_t pending() const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Handing an execution to another thread and its answer back costs two wake-ups, some 10 to 50 µs. What
  /// takes less runs where the request came in.
  static constexpr double worth_handing_over_s = 50e-6;

  Deployment(std::unique_ptr<engine::Model> model, ModelName name, const ModelOptions& options,
             std::string platform, const Regions& regions, const Clock& clock);
  Status compile();
  Status make_instances();
  Status add_instance();
  bool may_try_zeros() const;
  Status try_sizes();
  Status add_instances_for_cheap_model();

  Lock locked() const;
  Status check(Job& job);
  Status make_room(Job& job);
  tl::unexpected<Error> full(Job& job, const std::string& holds, const char* option) const;
  void decoded(Job& job);
  void stamp(Job& job) const;
  void enqueue(Job& job, Lock& lock);
  Instance* instance_for_now(Job& job);
  double cost_of(std::int64_t rows) const;
  void run_here(Instance& instance);
  void dispatch(Lock& lock);
  Instance* next_batch(Moment now);
  BatchPlan plan(Moment now);
  bool start(Instance& instance);
  void complete(Instance& instance, const Status& status);
  void go_on(Instance& instance);
  void run_apart(Instance& instance);
  void answer(Instance& instance, const Status& status);
  void release(Instance& instance);
  void drop_unwanted(Instance& instance);
  std::optional<Error> unwanted(const Job& job, Moment now) const noexcept;
  void begin(Job& job);
  void finish(Job& job, const Status& status);
  void reply(Job& job, const Status& status, Moment now, Statistics& statistics);
  void put_back(Job& job);
  void wake_by(Moment moment);
  void expire(Lock& lock, Moment now);
  void watch_clock(const std::stop_token& stop);

  const ModelOptions options_;
  const ModelName name_;
  const std::string platform_;
  const Regions& regions_;
  const Clock& clock_;
  std::unique_ptr<engine::Model> model_;
  std::vector<SizedSession> sessions_;
  Signature signature_;
  Facts facts_;
  std::vector<std::string> notes_;
  FileStamps files_;
  std::filesystem::path root_;
  Statistics statistics_;  ///< of what was in no instance; the instances have their own
  std::shared_ptr<OutputBlocks> blocks_;
  std::unique_ptr<Decoders> decoders_;
  std::atomic<bool> aborted_{false};
  std::size_t most_kept_bytes_ = 0;  ///< memory of jobs that wait to be used again
  std::atomic<std::size_t> kept_bytes_{0};

  mutable std::mutex mutex_;           ///< of all below
  std::condition_variable_any woken_;  ///< wake_ has become earlier
  std::condition_variable answered_;   ///< something that drain() waits for
  std::vector<SizeCost> costs_;
  JobQueue queue_;
  std::vector<std::int64_t> front_;  ///< rows at the front of the queue, for the plan
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Job*> free_jobs_;
  std::vector<Instance*> idle_instances_;
  std::int64_t accepted_ = 0;  ///< and not answered
  std::int64_t starting_ = 0;  ///< threads that are on their way back to the lock
  std::int64_t waiting_ = 0;   ///< accepted and not begun
  std::uint64_t waiting_bytes_ = 0;
  bool closed_ = false;
  Moment wake_ = Moment::max();  ///< when the clock has something to say

  std::vector<std::unique_ptr<Instance>> instances_;  ///< their requests may still be leaving a callback
  std::jthread clock_watcher_;
};

}  // namespace neph::serve
