// An inference server whose answer to "how long does it take?" is known: requests wait in one line for one
// worker, whose service times are chosen. For tests of load generators.
//
//   known_server [--service 0.01] [--tail SEED] [--stall 0.5 --stall-every 5] [--reject-every N]
//                [--fail-every N] [--forget-every N] [--log FILE]
//
// Model "known": FP32 x [-1,16] → the same as y. Times are seconds. --tail draws service times with mean
// --service from a Pareto distribution (shape 1.5, at most 100 means). Over HTTP a request arrives when the
// kernel has it, so that a thread that wakes up late to read it delays nobody; over gRPC when the library
// has it. A stall is paid by the first request that begins at or after each multiple of --stall-every
// since the server started. Every Nth request is refused as unavailable, fails, or gets no answer before the
// server ends. Prints "http PORT" and "grpc PORT", and serves until its standard input ends. The log has a
// line for each request that was served: its arrival, in seconds since the server started, its service time,
// and when its answer was really given.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/random.hpp"
#include "os/file.hpp"
#include "os/thread.hpp"
#include "wire/wire.hpp"

namespace {

using namespace neph;

struct Behaviour {
  double service_s = 0;
  std::uint64_t tail_seed = 0;  ///< 0: every service takes as long
  double stall_s = 0;
  double stall_every_s = 0;
  std::int64_t reject_every = 0, fail_every = 0, forget_every = 0;
  std::string log;
};

class KnownService final : public wire::Service {
 public:
  KnownService(const Behaviour& behaviour, const Clock& clock)
      : behaviour_(behaviour), clock_(clock), start_(clock.now()), free_(start_), tail_(behaviour.tail_seed) {
    worker_ = *start_thread(
        "worker", [this](const std::stop_token& stop) { work(stop); }, end_process);
  }

  bool live() const override { return true; }
  bool ready() const override { return true; }
  Result<bool> model_ready(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return true;
  }
  wire::ServerMetadata metadata() const override { return {"known_server", "1", {"binary_tensor_data"}}; }
  Result<wire::ModelMetadata> model_metadata(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return wire::ModelMetadata{.name = model,
                               .versions = {"1"},
                               .platform = "known",
                               .inputs = {{"x", "FP32", {-1, 16}}},
                               .outputs = {{"y", "FP32", {-1, 16}}}};
  }
  Result<wire::ModelConfig> model_config(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return wire::ModelConfig{.name = model,
                             .platform = "known",
                             .backend = "known",
                             .max_batch_size = 8,
                             .input = {{"x", "TYPE_FP32", {16}}},
                             .output = {{"y", "TYPE_FP32", {16}}}};
  }
  Result<std::vector<wire::ModelStatistics>> statistics(const std::string&,
                                                        const std::string&) const override {
    return std::vector<wire::ModelStatistics>{};
  }
  std::vector<wire::RepositoryEntry> repository(bool) const override { return {{"known", "1", "READY", ""}}; }
  Status load(const std::string& model) override { return known(model); }
  Status unload(const std::string& model) override { return known(model); }
  Result<std::vector<wire::SharedRegion>> shared_regions(const std::string&) const override {
    return no_memory();
  }
  Status register_region(const wire::SharedRegion&) override { return no_memory(); }
  Status unregister_region(const std::string&) override { return no_memory(); }
  std::string metrics() const override { return {}; }

  void infer(wire::Exchange& exchange) override {
    if (behaviour_.service_s == 0) return answer(exchange, at_once());
    std::unique_lock lock(mutex_);
    const auto fate = fate_of(++requests_);
    if (fate == Fate::forgotten) {
      forgotten_.push_back(&exchange);
      return;
    }
    if (fate != Fate::served) {
      lock.unlock();
      return answer(exchange, fate);
    }
    enqueue(exchange);
    awake_.notify_one();
  }

  /// Answers what is left: listeners go after that.
  void end() {
    worker_.request_stop();
    awake_.notify_all();
    worker_.join();
    for (auto* exchange : forgotten_) answer(*exchange, Fate::rejected);
    for (auto& waiting : line_) answer(*waiting.exchange, Fate::rejected);
    if (!behaviour_.log.empty()) static_cast<void>(write_file(behaviour_.log, log_));
  }

 private:
  enum class Fate { served, rejected, failed, forgotten };
  struct Waiting {
    wire::Exchange* exchange;
    Moment arrival;
    double service_s;
  };

  static Status known(const std::string& model) {
    if (model == "known") return {};
    return fail(ErrorCode::not_found, "no model '{}'", model);
  }
  static tl::unexpected<Error> no_memory() { return fail(ErrorCode::unsupported, "no shared memory here"); }

  Fate fate_of(std::int64_t number) const {
    const auto falls = [number](std::int64_t every) { return every > 0 && number % every == 0; };
    if (falls(behaviour_.forget_every)) return Fate::forgotten;
    if (falls(behaviour_.fail_every)) return Fate::failed;
    return falls(behaviour_.reject_every) ? Fate::rejected : Fate::served;
  }
  /// Without a service time nobody waits and nothing is locked: what is left is the transport.
  Fate at_once() {
    if (behaviour_.reject_every + behaviour_.fail_every == 0) return Fate::served;
    return fate_of(++unlocked_requests_);
  }

  /// In the order of arrival: the threads of gRPC's library overtake each other.
  void enqueue(wire::Exchange& exchange) {
    double service_s = behaviour_.service_s;
    if (behaviour_.tail_seed != 0)  // the least is a third of the mean: shape 1.5
      service_s = std::min(service_s / 3 * std::pow(1 - tail_.uniform(), -1 / 1.5), 100 * service_s);
    const Waiting waiting{&exchange, exchange.arrived, service_s};
    const auto after = std::upper_bound(line_.begin(), line_.end(), waiting,
                                        [](auto& a, auto& b) { return a.arrival < b.arrival; });
    line_.insert(after, waiting);
  }

  /// When the next in line is done.
  Moment serve(const Waiting& next) {
    auto begin = std::max(free_, next.arrival);
    if (behaviour_.stall_s > 0 && begin >= start_ + from_seconds(stalls_ * behaviour_.stall_every_s)) {
      begin += from_seconds(behaviour_.stall_s);
      stalls_ = std::floor(seconds(begin - start_) / behaviour_.stall_every_s) + 1;
    }
    free_ = begin + from_seconds(next.service_s);
    auto& exchange = *next.exchange;
    const auto seen = std::clamp(exchange.received, begin, std::max(begin, free_));
    exchange.stages.queue = std::max(begin, exchange.received) - exchange.received;
    exchange.stages.infer = free_ - seen;
    return free_;
  }

  void work(const std::stop_token& stop) {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      awake_.wait(lock, [&] { return !line_.empty() || stop.stop_requested(); });
      if (line_.empty() || stop.stop_requested()) continue;
      const auto next = line_.front();
      line_.pop_front();
      const auto end = serve(next);
      lock.unlock();
      wait_until(end);
      note(next);
      answer(*next.exchange, Fate::served);
      lock.lock();
    }
  }

  /// A thread that sleeps wakes up late: the last of the time is not slept.
  void wait_until(Moment end) const {
    constexpr auto watched = std::chrono::microseconds(300);
    clock_.sleep_until(end - watched);
    while (clock_.now() < end) {
    }
  }

  /// The machine may have kept the worker from its core.
  void note(const Waiting& served) {
    log_ += fmt::format("{:.9f} {:.9f} {:.9f}\n", seconds(served.arrival - start_), served.service_s,
                        seconds(clock_.now() - start_));
  }

  static void answer(wire::Exchange& exchange, Fate fate) {
    auto& request = exchange.request;
    if (const auto status = known(request.model); !status) return exchange.finish(status);
    if (fate == Fate::rejected) return exchange.finish(fail(ErrorCode::unavailable, "the queue is full"));
    if (fate == Fate::failed) return exchange.finish(fail(ErrorCode::internal, "the model fell over"));
    exchange.reply.model = request.model;
    exchange.reply.version = "1";
    exchange.reply.id = request.id;
    exchange.reply.outputs = request.inputs;
    for (auto& output : exchange.reply.outputs) output.name = "y";
    exchange.finish({});
  }

  const Behaviour behaviour_;
  const Clock& clock_;
  const Moment start_;
  std::mutex mutex_;
  std::condition_variable awake_;
  std::deque<Waiting> line_;
  std::vector<wire::Exchange*> forgotten_;
  std::int64_t requests_ = 0;
  std::atomic<std::int64_t> unlocked_requests_{0};
  Moment free_;
  double stalls_ = 1;
  Random tail_;
  std::string log_;
  std::jthread worker_;
};

Behaviour read_arguments(int count, char** arguments) {
  Behaviour behaviour;
  const std::map<std::string_view, std::function<void(const char*)>> known{
      {"--service", [&](const char* text) { behaviour.service_s = std::atof(text); }},
      {"--tail", [&](const char* text) { behaviour.tail_seed = std::strtoull(text, nullptr, 10); }},
      {"--stall", [&](const char* text) { behaviour.stall_s = std::atof(text); }},
      {"--stall-every", [&](const char* text) { behaviour.stall_every_s = std::atof(text); }},
      {"--reject-every", [&](const char* text) { behaviour.reject_every = std::atoll(text); }},
      {"--fail-every", [&](const char* text) { behaviour.fail_every = std::atoll(text); }},
      {"--forget-every", [&](const char* text) { behaviour.forget_every = std::atoll(text); }},
      {"--log", [&](const char* text) { behaviour.log = text; }}};
  for (int i = 1; i + 1 < count; i += 2)
    if (const auto found = known.find(arguments[i]); found != known.end()) found->second(arguments[i + 1]);
  return behaviour;
}

/// All threads on the core where the first one is: who sends the answer waits for no other core to wake up.
void stay_on_this_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(static_cast<std::size_t>(std::max(0, ::sched_getcpu())), &core);
  ::sched_setaffinity(0, sizeof(core), &core);
}

}  // namespace

int main(int count, char** arguments) {
  const SteadyClock clock;
  const auto behaviour = read_arguments(count, arguments);
  if (behaviour.service_s > 0) stay_on_this_core();
  KnownService service(behaviour, clock);
  {
    auto http = wire::HttpListener::start(service, {.port = 0, .threads = 1}, clock);
    auto grpc = wire::GrpcListener::start(service, {.port = 0}, clock);
    if (!http || !grpc) return 1;
    fmt::print("http {}\ngrpc {}\n", (*http)->port(), (*grpc)->port());
    std::fflush(stdout);
    for (char ignored = 0; ::read(STDIN_FILENO, &ignored, 1) > 0;) {
    }
    service.end();
  }
  return 0;
}
