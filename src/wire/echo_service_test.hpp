// A service for tests of transports: one model, "echo", whose outputs are its inputs.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "wire/service.hpp"

namespace neph::wire {

/// gRPC's library comes without instrumentation: tsan does not see how it hands a call from thread to thread,
/// and takes each handing over for a race. What both transports share is watched through HTTP.
#ifdef NEPH_TSAN
inline constexpr bool grpc_blinds_tsan = true;
#else
inline constexpr bool grpc_blinds_tsan = false;
#endif

/// Counts leases of replies, and those that were given back.
class Leases final : public Exchange::Lease {
 public:
  void take(Exchange& exchange) {
    ++taken_;
    exchange.lease = this;
  }
  void written(Exchange&) override { ++given_back_; }
  int taken() const { return taken_; }
  int given_back() const { return given_back_; }

 private:
  std::atomic<int> taken_{0}, given_back_{0};
};

class EchoService final : public Service {
 public:
  ~EchoService() override { answer_all(); }
  /// Returns when everything taken has been answered: a listener may go only then.
  void answer_all() { answer_all_but(0); }
  /// Returns when all but the `last` ones taken have been.
  void answer_all_but(std::size_t last) {
    const std::scoped_lock lock(mutex_);
    const auto end = threads_.end() - static_cast<std::ptrdiff_t>(last);
    for (auto thread = threads_.begin(); thread != end; ++thread) thread->join();
    threads_.erase(threads_.begin(), end);
  }

  bool live() const override { return true; }
  bool ready() const override { return is_ready; }
  Result<bool> model_ready(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return is_ready.load();
  }
  ServerMetadata metadata() const override { return {"test", "0", {"binary_tensor_data"}}; }
  Result<ModelMetadata> model_metadata(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return ModelMetadata{.name = model,
                         .versions = {"1"},
                         .platform = "test",
                         .inputs = {{"x", "FP32", {-1, 2}}},
                         .outputs = {{"y", "FP32", {-1, 2}}}};
  }
  Result<ModelConfig> model_config(const std::string& model, const std::string&) const override {
    NEPH_CHECK(known(model));
    return ModelConfig{.name = model,
                       .platform = "test",
                       .backend = "test",
                       .max_batch_size = 8,
                       .input = {{"x", "TYPE_FP32", {2}}},
                       .output = {{"y", "TYPE_FP32", {2}}}};
  }
  Result<std::vector<ModelStatistics>> statistics(const std::string& model,
                                                  const std::string&) const override {
    if (!model.empty()) NEPH_CHECK(known(model));
    return std::vector{ModelStatistics{.name = "echo", .version = "1", .inference_count = 3}};
  }
  std::vector<RepositoryEntry> repository(bool) const override { return {{"echo", "1", "READY", ""}}; }
  Status load(const std::string& model) override { return known(model); }
  Status unload(const std::string& model) override { return known(model); }
  Result<std::vector<SharedRegion>> shared_regions(const std::string&) const override {
    return fail(ErrorCode::unsupported, "shared memory is not allowed");
  }
  Status register_region(const SharedRegion&) override {
    return fail(ErrorCode::unsupported, "shared memory is not allowed");
  }
  Status unregister_region(const std::string&) override {
    return fail(ErrorCode::unsupported, "shared memory is not allowed");
  }
  std::string metrics() const override { return "nv_inference_count 0\n"; }

  void infer(Exchange& exchange) override {
    {
      const std::scoped_lock lock(deadline_mutex_);
      last_deadline_.reset();
      if (exchange.deadline) last_deadline_ = *exchange.deadline - exchange.received;
    }
    leases.take(exchange);
    if (!refusal && delay.load().count() > 0) return answer_later(exchange);
    ++taken_;
    if (!refusal) return answer(exchange);
    exchange.retry_after = retry_after;
    exchange.finish(tl::unexpected(*refusal));
  }

  std::int64_t taken() const { return taken_; }
  /// Of the last request, from its arrival on.
  std::optional<Nanoseconds> last_deadline() const {
    const std::scoped_lock lock(deadline_mutex_);
    return last_deadline_;
  }
  Leases leases;  ///< one for each reply
  std::atomic<bool> is_ready{true};
  std::optional<Error> refusal;  ///< of every inference; set while none is under way
  Nanoseconds retry_after{};     ///< with it
  /// Whose client had gone before the answer; a delayed answer does not wait any longer then.
  std::int64_t abandoned() const { return abandoned_; }
  std::atomic<std::chrono::milliseconds> delay{
      std::chrono::milliseconds(0)};  ///< not 0: answers come from another thread, after so long

 private:
  static Status known(const std::string& model) {
    if (model == "echo") return {};
    return fail(ErrorCode::not_found, "no model '{}'", model);
  }

  /// It is taken when it is among those that answer_all() waits for.
  void answer_later(Exchange& exchange) {
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([this, &exchange, wait = delay.load()] {
      const auto until = std::chrono::steady_clock::now() + wait;
      while (std::chrono::steady_clock::now() < until && !exchange.abandoned())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (exchange.abandoned()) ++abandoned_;
      answer(exchange);
    });
    ++taken_;
  }

  static void answer(Exchange& exchange) {
    auto& request = exchange.request;
    auto& reply = exchange.reply;
    if (const auto status = known(request.model); !status) return exchange.finish(status);
    reply.model = request.model;
    reply.version = "1";
    reply.id = request.id;
    reply.outputs = request.inputs;
    for (auto& output : reply.outputs)
      if (output.name == "x") output.name = "y";
    exchange.finish({});
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
  mutable std::mutex deadline_mutex_;
  std::optional<Nanoseconds> last_deadline_;
  std::atomic<std::int64_t> taken_{0}, abandoned_{0};
};

}  // namespace neph::wire
