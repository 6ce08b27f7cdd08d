// What a transport asks of an inference server: the Open Inference Protocol as functions. HTTP and gRPC
// listeners call it and differ in nothing but encoding; `serve` implements it.
//
// The described structs are the protocol's own: written as JSON they are the bodies of its REST replies.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/describe.hpp"
#include "core/result.hpp"
#include "wire/message.hpp"

namespace neph::wire {

struct ServerMetadata {
  std::string name;
  std::string version;
  std::vector<std::string> extensions;
};
template <class Visit, Describes<ServerMetadata> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the server program");
  v("version", s.version, "of the server program");
  v("extensions", s.extensions, "parts of the protocol beyond its core that it knows");
}

struct TensorMetadata {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;  ///< -1: any size
};
template <class Visit, Describes<TensorMetadata> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the input or output");
  v("datatype", s.datatype, "FP32, UINT8, BYTES, ...");
  v("shape", s.shape, "-1: any size");
}

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;
  std::string platform;
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
};
template <class Visit, Describes<ModelMetadata> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the model");
  v("versions", s.versions, "that can be asked for");
  v("platform", s.platform, "runtime and format");
  v("inputs", s.inputs, "its inputs");
  v("outputs", s.outputs, "its outputs");
}

/// What Triton's model configuration says and its clients read.
struct ModelConfig {
  struct Port {
    std::string name;
    std::string data_type;           ///< TYPE_FP32, ...
    std::vector<std::int64_t> dims;  ///< without the batch
  };
  struct DynamicBatching {
    std::vector<std::int64_t> preferred_batch_size;
    std::int64_t max_queue_delay_microseconds = 0;
  };
  struct InstanceGroup {
    std::string name;
    std::string kind;
    std::int64_t count = 1;
  };
  std::string name;
  std::string platform;
  std::string backend;
  std::int64_t max_batch_size = 0;
  std::vector<Port> input;
  std::vector<Port> output;
  std::vector<InstanceGroup> instance_group;
  std::optional<DynamicBatching> dynamic_batching;
};
template <class Visit, Describes<ModelConfig::Port> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the input or output");
  v("data_type", s.data_type, "TYPE_FP32, ...");
  v("dims", s.dims, "without the batch");
}
template <class Visit, Describes<ModelConfig::DynamicBatching> Self>
void describe(Visit&& v, Self& s) {
  v("preferred_batch_size", s.preferred_batch_size, "sizes that are not waited beyond");
  v("max_queue_delay_microseconds", s.max_queue_delay_microseconds, "longest wait for a fuller batch");
}
template <class Visit, Describes<ModelConfig::InstanceGroup> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the group");
  v("kind", s.kind, "KIND_CPU or KIND_GPU");
  v("count", s.count, "instances");
}
template <class Visit, Describes<ModelConfig> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the model");
  v("platform", s.platform, "runtime and format");
  v("backend", s.backend, "the engine");
  v("max_batch_size", s.max_batch_size, "0: the model has no batch dimension");
  v("input", s.input, "its inputs");
  v("output", s.output, "its outputs");
  v("instance_group", s.instance_group, "how many sessions run it");
  v("dynamic_batching", s.dynamic_batching, "null: requests are not joined");
}

struct StatisticDuration {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};
template <class Visit, Describes<StatisticDuration> Self>
void describe(Visit&& v, Self& s) {
  v("count", s.count, "of requests or executions");
  v("ns", s.ns, "nanoseconds in all");
}

struct InferStatistics {
  StatisticDuration success, fail, queue, compute_input, compute_infer, compute_output;
  StatisticDuration cache_hit, cache_miss;  ///< always 0: clients of Triton want them to be there
};
template <class Visit, Describes<InferStatistics> Self>
void describe(Visit&& v, Self& s) {
  v("success", s.success, "requests answered, from arrival to answer");
  v("fail", s.fail, "requests refused or failed");
  v("queue", s.queue, "waiting for an instance");
  v("compute_input", s.compute_input, "decoding and joining inputs");
  v("compute_infer", s.compute_infer, "in the engine");
  v("compute_output", s.compute_output, "taking outputs apart");
  v("cache_hit", s.cache_hit, "answered from a cache");
  v("cache_miss", s.cache_miss, "looked for in a cache and not found");
}

struct InferBatchStatistics {
  std::uint64_t batch_size = 0;
  StatisticDuration compute_input, compute_infer, compute_output;
};
template <class Visit, Describes<InferBatchStatistics> Self>
void describe(Visit&& v, Self& s) {
  v("batch_size", s.batch_size, "of the executions counted here");
  v("compute_input", s.compute_input, "decoding and joining inputs");
  v("compute_infer", s.compute_infer, "in the engine");
  v("compute_output", s.compute_output, "taking outputs apart");
}

struct ModelStatistics {
  std::string name;
  std::string version;
  std::uint64_t last_inference = 0;  ///< milliseconds since 1970
  std::uint64_t inference_count = 0;
  std::uint64_t execution_count = 0;
  InferStatistics inference_stats;
  std::vector<InferBatchStatistics> batch_stats;
};
template <class Visit, Describes<ModelStatistics> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the model");
  v("version", s.version, "of the model");
  v("last_inference", s.last_inference, "milliseconds since 1970 when the last one began");
  v("inference_count", s.inference_count, "inferences, a batch of n counts n");
  v("execution_count", s.execution_count, "executions, a batch counts 1");
  v("inference_stats", s.inference_stats, "over requests");
  v("batch_stats", s.batch_stats, "over executions, by batch size");
}

struct RepositoryEntry {
  std::string name;
  std::string version;
  std::string state;  ///< READY, LOADING, UNAVAILABLE, ...
  std::string reason;
};
template <class Visit, Describes<RepositoryEntry> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the model");
  v("version", s.version, "of the model");
  v("state", s.state, "READY, LOADING, UNLOADING, UNAVAILABLE");
  v("reason", s.reason, "why it is not ready");
}

struct SharedRegion {
  std::string name;
  std::string key;  ///< of shm_open
  std::uint64_t offset = 0;
  std::uint64_t byte_size = 0;
};
template <class Visit, Describes<SharedRegion> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "that requests call it by");
  v("key", s.key, "of the system's shared memory");
  v("offset", s.offset, "of the region in it");
  v("byte_size", s.byte_size, "of the region");
}

/// How long a request was in each stage of the server; what is left of the whole is the transport's.
struct StageTimes {
  Nanoseconds socket{};  ///< until somebody read what had arrived; HTTP in the clear only
  Nanoseconds decode{}, queue{}, batch{}, infer{}, encode{};
};

/// A stage by the name that goes over the wire.
struct TimedStage {
  std::string_view name;
  Nanoseconds StageTimes::*time;
};
/// All, in the order in which a request goes through.
inline constexpr std::array timed_stages{
    TimedStage{"socket", &StageTimes::socket}, TimedStage{"decode", &StageTimes::decode},
    TimedStage{"queue", &StageTimes::queue},   TimedStage{"batch", &StageTimes::batch},
    TimedStage{"infer", &StageTimes::infer},   TimedStage{"encode", &StageTimes::encode}};

/// One inference on its way: made by a transport, given to Service::infer, and given back by finish().
/// Threads: one owner at a time, the transport before infer() and after finish(), the service between.
class Exchange {
 public:
  virtual ~Exchange() = default;
  InferRequest request;
  InferReply reply;
  Moment arrived;                  ///< this machine had it; whoever waits, waits in this order
  Moment received;                 ///< its last byte was read
  std::optional<Moment> deadline;  ///< it is of no use to anybody after that
  StageTimes stages;
  /// When a client that is refused as unavailable may try again; set by the service with that error.
  Nanoseconds retry_after = usual_retry;
  static constexpr Nanoseconds usual_retry = std::chrono::seconds(1);

  /// Called by the service once, from any thread, when the reply is filled, or with the error that the client
  /// is to get. The views in the reply must stay valid until written(). The exchange may be gone when this
  /// returns.
  virtual void finish(Status status) = 0;
  /// The client has gone or has lost patience: work that has not begun need not begin. Over HTTP a client
  /// that ends its sending side counts as gone; it still gets what the service finishes with.
  virtual bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }

  /// Set by the service with a reply whose memory it owns: called when the reply has been written or given
  /// up.
  struct Lease {
    virtual ~Lease() = default;
    virtual void written(Exchange& exchange) = 0;
  };
  Lease* lease = nullptr;

 protected:
  std::atomic<bool> abandoned_{false};
};

/// Threads: all functions may be called from any thread at any time.
class Service {
 public:
  virtual ~Service() = default;
  virtual bool live() const = 0;
  virtual bool ready() const = 0;
  /// Errors of those with a model's name: not_found.
  virtual Result<bool> model_ready(const std::string& model, const std::string& version) const = 0;
  virtual ServerMetadata metadata() const = 0;
  virtual Result<ModelMetadata> model_metadata(const std::string& model,
                                               const std::string& version) const = 0;
  virtual Result<ModelConfig> model_config(const std::string& model, const std::string& version) const = 0;
  /// `model` empty: of all.
  virtual Result<std::vector<ModelStatistics>> statistics(const std::string& model,
                                                          const std::string& version) const = 0;
  virtual std::vector<RepositoryEntry> repository(bool only_ready) const = 0;
  /// As it lies in the repository.
  virtual Status load(const std::string& model) = 0;
  virtual Status unload(const std::string& model) = 0;
  /// `name` empty: all. Errors: unsupported where shared memory is not allowed.
  virtual Result<std::vector<SharedRegion>> shared_regions(const std::string& name) const = 0;
  virtual Status register_region(const SharedRegion& region) = 0;
  virtual Status unregister_region(const std::string& name) = 0;  ///< empty: all
  /// In the Prometheus text format, version 0.0.4.
  virtual std::string metrics() const = 0;

  /// Takes the exchange, and calls its finish() in any case, perhaps before this returns. All exchanges must
  /// be finished before the listener that they came from goes.
  virtual void infer(Exchange& exchange) = 0;
};

/// Of a request that brings a model, or its configuration, along.
inline Error no_parameter_of_load(std::string_view name) {
  return {ErrorCode::unsupported,
          fmt::format("parameter '{}' of a load is not taken: a model is loaded as it lies in the repository",
                      name)};
}

}  // namespace neph::wire
