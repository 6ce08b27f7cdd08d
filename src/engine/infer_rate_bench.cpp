// The inference loop alone, without files: what `neph infer` can reach at most with a model, and what `./dev
// bench` holds against OpenVINO's benchmark_app. Sync: one request in a loop. Async: as many requests in
// flight as the engine thinks right, each started again from its own callback.
//
//   infer_rate_bench MODEL [--batch 8] [--hint latency] [--mode sync] [--precision f32] [--seconds 5]
//                    [--threads 0] [--streams 0] [--requests 0] [--engine openvino]
//   infer_rate_bench MODEL --shape NAME:1x3x224x224
//
// With --shape the model is compiled as open as its file leaves it, and given inputs of that shape. Prints
// one JSON object. images_per_s counts from the first start to the last end of the inferences that began
// within `seconds`; cpu_ms_per_image is CPU time of the whole process in that span.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>

#include "core/bench_program.hpp"
#include "core/clock.hpp"
#include "core/shapes.hpp"
#include "engine/engine.hpp"
#include "os/thread.hpp"
#include "record/metrics.hpp"

namespace neph::engine {
namespace {

constexpr const char* program = "infer_rate_bench";

enum class Mode { sync, async };
constexpr auto enum_names(Mode) { return std::array{Named{Mode::sync, "sync"}, Named{Mode::async, "async"}}; }

struct Spec {
  std::string model;
  std::string engine = "openvino";
  Mode mode = Mode::sync;
  double seconds = 5;
  std::int64_t requests = 0;
  std::string shape;
  Options options;
};

template <class Visit, Describes<Spec> Self>
void describe(Visit&& v, Self& s) {
  v("model", s.model, "file");
  v("engine", s.engine, "plugin");
  v("mode", s.mode, "sync or async");
  v("seconds", s.seconds, "measured, after a fifth of it as warm-up");
  v("requests", s.requests, "in flight when async; 0: as many as the engine thinks right");
  v("shape", s.shape, "of inputs that stay open, as neph infer takes it; empty: --batch fixes all");
  v("device", s.options.device, "as the engine calls it");
  v("provider", s.options.provider, "of ONNX Runtime; empty: the device's usual one");
  v("precision", s.options.precision, "auto, f32, bf16, f16, i8");
  v("batch", s.options.batch, "images per inference");
  v("threads", s.options.threads, "0: the engine chooses");
  v("streams", s.options.streams, "0: the engine chooses");
  v("pinning", s.options.pinning, "auto, on, off");
  v("spinning", s.options.spinning, "auto, on, off");
  v("hint", s.options.hint, "latency or throughput");
}

/// Memory for one request, aligned as engines like it best, filled once so that every page exists.
class Buffers {
 public:
  /// Outputs that are open lie in the request's own memory.
  static Result<Buffers> bind(Request& request, const Session& session, const InputShapes& shapes) {
    Buffers buffers;
    for (std::size_t i = 0; i < session.inputs().size(); ++i) {
      auto port = session.inputs()[i];
      const auto given = shapes.find(port.name);
      if (!port.is_open()) {
        NEPH_CHECK(request.bind_input(i, buffers.add(port), port.bytes()));
      } else if (given != shapes.end()) {
        port.shape = given->second;
        NEPH_CHECK(request.bind_open_input(i, buffers.add(port), port.shape));
      } else {
        return fail(ErrorCode::invalid_argument, "input '{}' is open: --shape {}:...", port.name, port.name);
      }
    }
    for (std::size_t i = 0; i < session.outputs().size(); ++i)
      if (const auto& port = session.outputs()[i]; !port.is_open())
        NEPH_CHECK(request.bind_output(i, buffers.add(port), port.bytes()));
    return buffers;
  }

 private:
  void* add(const Port& port) {
    constexpr std::size_t line = 64;
    void* memory = std::aligned_alloc(line, (port.bytes() + line - 1) / line * line);
    std::uint32_t state =
        2'463'534'242;  // xorshift32: values as random as a picture's, for kernels that skip zeros
    if (port.element == Element::f32) {
      for (auto& value : std::span(static_cast<float*>(memory), port.bytes() / sizeof(float))) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        value = static_cast<float>(state >> 8) * 0x1p-24f;
      }
    } else {
      std::fill_n(static_cast<char*>(memory), port.bytes(), '\1');
    }
    memory_.emplace_back(memory, std::free);
    return memory;
  }

  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory_;
};

struct Slot {
  std::unique_ptr<Request> request;
  Buffers buffers;
};

struct Outcome {
  std::int64_t inferences = 0;
  double wall_s = 0;
  double cpu_s = 0;
};

Status run_sync(Request& request, const Clock& clock, Moment end, std::int64_t& inferences) {
  do {
    NEPH_CHECK(request.infer());
    ++inferences;
  } while (clock.now() < end);
  return {};
}

/// Each request starts itself again from its callback until the time is over.
class AsyncLoop {
 public:
  AsyncLoop(std::vector<Slot>& slots, const Clock& clock, Moment end)
      : slots_(slots), clock_(clock), end_(end) {}

  Status run() {
    running_ = slots_.size();
    for (auto& slot : slots_) start(*slot.request);
    std::unique_lock lock(mutex_);
    all_ended_.wait(lock, [&] { return running_ == 0; });
    return status_;
  }
  std::int64_t inferences() const { return inferences_; }

 private:
  void start(Request& request) {
    const auto started = request.start([this, &request](Status status) {
      ++inferences_;
      if (!status || clock_.now() >= end_) return stop(status);
      start(request);
    });
    if (!started) stop(started);
  }

  void stop(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!status) status_ = status;
    if (--running_ == 0) all_ended_.notify_one();
  }

  std::vector<Slot>& slots_;
  const Clock& clock_;
  Moment end_;
  std::atomic<std::int64_t> inferences_ = 0;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::size_t running_ = 0;
  Status status_;
};

Result<Outcome> measure(std::vector<Slot>& slots, Mode mode, double for_s) {
  const SteadyClock clock;
  Outcome outcome;
  const double cpu = process_cpu_s();
  const auto begin = clock.now();
  const auto end = begin + from_seconds(for_s);
  if (mode == Mode::sync) {
    NEPH_CHECK(run_sync(*slots.front().request, clock, end, outcome.inferences));
  } else {
    AsyncLoop loop(slots, clock, end);
    NEPH_CHECK(loop.run());
    outcome.inferences = loop.inferences();
  }
  outcome.wall_s = seconds(clock.now() - begin);
  outcome.cpu_s = process_cpu_s() - cpu;
  return outcome;
}

/// Of a model that stays open.
Result<InputShapes> shapes_of(const Spec& spec, const Model& model) {
  std::vector<std::string> names;
  for (const auto& input : model.inputs()) names.push_back(input.name);
  NEPH_TRY(auto read, parse_shapes(spec.shape));
  return named_shapes(std::move(read), names);
}

Result<Json> bench(const Spec& spec) {
  name_this_thread(engine_role);
  Registry registry;
  NEPH_TRY(auto* const engine, registry.open(spec.engine));
  NEPH_TRY(const auto model, engine->load(spec.model));
  auto options = spec.options;
  InputShapes shapes;
  if (!spec.shape.empty()) {
    options.batch = 0;
    NEPH_TRY(shapes, shapes_of(spec, *model));
  }
  NEPH_TRY(const auto session, model->compile(options));
  const std::int64_t wanted = spec.requests > 0 ? spec.requests : session->optimal_requests();
  std::vector<Slot> slots(spec.mode == Mode::sync ? 1 : static_cast<std::size_t>(wanted));
  for (auto& slot : slots) {
    NEPH_TRY(slot.request, session->make_request());
    NEPH_TRY(slot.buffers, Buffers::bind(*slot.request, *session, shapes));
  }
  NEPH_CHECK(measure(slots, spec.mode, spec.seconds / 5));  // warm-up
  NEPH_TRY(const auto outcome, measure(slots, spec.mode, spec.seconds));
  const auto rows = shapes.empty() ? spec.options.batch : shapes.begin()->second.front();
  const auto images = static_cast<double>(outcome.inferences * rows);
  return Json{{std::string(metric::images_per_s.name), images / outcome.wall_s},
              {"cpu_ms_per_image", 1e3 * outcome.cpu_s / images},
              {"inferences", outcome.inferences},
              {"wall_s", outcome.wall_s},
              {"requests", slots.size()},
              {"facts", session->facts()}};
}

Status run(std::span<char*> words) {
  NEPH_TRY(const auto spec, spec_of_words(program, words, Spec{}));
  NEPH_TRY(const auto result, bench(spec));
  std::puts(dump_json(result).c_str());
  return {};
}

}  // namespace
}  // namespace neph::engine

int main(int count, char** words) {
  using namespace neph::engine;
  return neph::exit_code_of(program, run(std::span(words, static_cast<std::size_t>(count)).subspan(1)));
}
