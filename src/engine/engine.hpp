// Engines: a runtime that loads a model, compiles it for a device, and runs it on memory that the caller
// owns.
//
// Each runtime is a folder beside this file (openvino, identity, ...) and one shared library,
// `neph-engine-<name>.so`, that is loaded when it is first asked for and not before (OpenVINO: 5 to 10 ms).
//
// What it does not do: read pictures, make batches, measure.
//
// Threads: a Session may be used from any thread; a Request from one thread at a time. The threads that a
// runtime starts while it compiles are named "engine" (core/thread.hpp). infer() works on the calling thread
// as well, and may start more from it: call it from a thread of that name, so that its time counts as the
// engine's.
//
// Ownership: Registry owns engines; Model, Session and Request are owned by whoever asked for them, and must
// be gone before what made them.
//
// Cost: a Request allocates when it is made and bound, never when it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "record/facts.hpp"

namespace neph::engine {

/// text: strings of any length. Its memory is what the Open Inference Protocol calls BYTES: each string with
/// its length before it, four bytes, little-endian. A port of it is open, whatever its shape.
enum class Element { f32, f16, bf16, f64, u8, u16, u32, u64, i8, i16, i32, i64, boolean, text };
constexpr auto enum_names(Element) {
  return std::array{
      Named{Element::f32, "f32"},         Named{Element::f16, "f16"},  Named{Element::bf16, "bf16"},
      Named{Element::f64, "f64"},         Named{Element::u8, "u8"},    Named{Element::u16, "u16"},
      Named{Element::u32, "u32"},         Named{Element::u64, "u64"},  Named{Element::i8, "i8"},
      Named{Element::i16, "i16"},         Named{Element::i32, "i32"},  Named{Element::i64, "i64"},
      Named{Element::boolean, "boolean"}, Named{Element::text, "text"}};
}
/// 0 for text.
std::size_t element_bytes(Element element);
bool is_float(Element element);

/// The arithmetic an engine is asked to use; `automatic` leaves it to the engine.
enum class Precision { automatic, f32, bf16, f16, i8 };
constexpr auto enum_names(Precision) {
  return std::array{Named{Precision::automatic, "auto"}, Named{Precision::f32, "f32"},
                    Named{Precision::bf16, "bf16"}, Named{Precision::f16, "f16"}, Named{Precision::i8, "i8"}};
}
constexpr auto enum_aliases(Precision) {
  return std::array{Named{Precision::f32, "fp32"}, Named{Precision::f16, "fp16"},
                    Named{Precision::i8, "int8"}};
}

/// Whether the engine ties its threads to cores; `automatic` leaves it to the engine.
enum class Pinning { automatic, on, off };
constexpr auto enum_names(Pinning) {
  return std::array{Named{Pinning::automatic, "auto"}, Named{Pinning::on, "on"}, Named{Pinning::off, "off"}};
}

/// Whether threads of the engine that have nothing to do keep their cores for a while before they sleep: work
/// that comes soon begins at once, and whoever shares the cores has less of them. `automatic` leaves it to
/// the engine.
enum class Spinning { automatic, on, off };
constexpr auto enum_names(Spinning) {
  return std::array{Named{Spinning::automatic, "auto"}, Named{Spinning::on, "on"},
                    Named{Spinning::off, "off"}};
}

/// What a session is tuned for: the time of one inference, or many at once.
enum class Hint { latency, throughput };
constexpr auto enum_names(Hint) {
  return std::array{Named{Hint::latency, "latency"}, Named{Hint::throughput, "throughput"}};
}

/// An input or output of a model.
struct Port {
  std::string name;
  Element element = Element::f32;
  std::vector<std::int64_t> shape;  ///< -1: not fixed by the model
  bool open_rank = false;           ///< not even the number of dimensions is; `shape` is empty

  /// Whether a dimension, or the rank, is not fixed, or it is text.
  bool is_open() const;
  /// Bytes of the whole tensor; 0 while it is open.
  std::size_t bytes() const;
  /// Whether it takes pictures as [n, height, width, channels], as TensorFlow's models do: rank 4 with 1 or 3
  /// in the last place and not in the second.
  bool channels_last() const;
};

/// A picture as a network takes it.
struct PictureShape {
  std::int64_t channels = 3;
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool channels_last = false;  ///< [n, height, width, channels]
};
/// That of the model's only input. Errors: unsupported: more than one input, not f32, not [n, channels,
/// height, width] or [n, height, width, channels] with all but n fixed.
Result<PictureShape> picture_input(const std::vector<Port>& inputs);

/// Which engine runs a model, on what, and with how many threads; part of what runs and servers are told.
struct Runtime {
  std::string engine;
  std::string device = "CPU";
  std::string provider;
  Precision precision = Precision::f32;
  std::int64_t threads = 0;
  std::int64_t streams = 0;
  Pinning pinning = Pinning::automatic;
  Spinning spinning = Spinning::automatic;
};
template <class Visit, Describes<Runtime> Self>
void describe(Visit&& v, Self& s) {
  v("engine", s.engine, "runtime (see neph engines); empty: the one that reads such a file",
    changes_answers() | prepared());
  v("device", s.device, "device of the engine (see neph engines)", changes_answers() | prepared());
  v("provider", s.provider,
    "ONNX Runtime's execution provider: cpu, openvino, cuda, tensorrt; empty: the device's usual one",
    changes_answers() | prepared());
  v("precision", s.precision, "arithmetic of the engine", changes_answers() | prepared());
  v("threads", s.threads, "engine threads; 0: the engine's choice", between(0, 4096));
  v("streams", s.streams,
    "inferences that run side by side in the engine; 0: one an instance of a server, of one the engine's "
    "choice",
    between(0, 4096));
  v("pinning", s.pinning, "whether engine threads are tied to cores");
  v("spinning", s.spinning,
    "whether idle engine threads keep their cores for a while before they sleep (onnxruntime)");
}

struct Options {
  std::string device = "CPU";
  /// Of an engine that has several for a device, the execution provider; empty: the usual one.
  std::string provider;
  Precision precision = Precision::f32;
  /// The first dimension of every input and output is set to it; 0: all shapes stay as the model has them.
  std::int64_t batch = 1;
  /// Whole shapes of inputs by name; those of other inputs are as `batch` says.
  std::map<std::string, std::vector<std::int64_t>> shapes;
  std::int64_t threads = 0;  ///< 0: as many as the engine thinks right
  std::int64_t streams = 0;  ///< inferences side by side; 0: as many as the engine thinks right for the hint
  Pinning pinning = Pinning::automatic;
  Spinning spinning = Spinning::automatic;
  Hint hint = Hint::latency;
  bool profiled = false;  ///< keeps the time of each layer, for Session::layers(); costs some speed
  bool shown = false;     ///< writes the model as it is run to a file, for Session::model_as_run()
};

/// What a runtime says of them; the rest, as it is by itself.
inline Options options_of(const Runtime& runtime) {
  Options options;
  options.device = runtime.device;
  options.provider = runtime.provider;
  options.precision = runtime.precision;
  options.threads = runtime.threads;
  options.streams = runtime.streams;
  options.pinning = runtime.pinning;
  options.spinning = runtime.spinning;
  return options;
}

/// The time that one layer of a compiled model took, on average of the inferences since it was compiled.
struct LayerTime {
  std::string name;    ///< as the model's file has it; of several that became one, the engine's
  std::string kind;    ///< "Convolution"
  std::string kernel;  ///< how the engine runs it: "jit_avx512_f32"; empty: not told
  double self_s = 0;   ///< without the layers inside it
  bool is_run = true;  ///< false: the engine put it into another, or took it away
};

/// An output whose shape was not known before. The memory is the request's.
struct OpenOutput {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::vector<std::int64_t> shape;
};

/// One inference at a time on bound memory.
class Request {
 public:
  virtual ~Request() = default;
  /// Uses `data` in place, without a copy, until bound anew. `bytes` must be the port's. The memory stays the
  /// caller's. Aligned to 64 bytes it is also used without a copy by engines that need alignment.
  virtual Status bind_input(std::size_t port, void* data, std::size_t bytes) = 0;
  virtual Status bind_output(std::size_t port, void* data, std::size_t bytes) = 0;
  /// As bind_input(), of an input that is open: memory of this shape. Errors: invalid_argument (a shape that
  /// the model does not take), unsupported (an engine without open shapes; the default).
  virtual Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape);
  /// After an inference, until the next: what an output that is open came to.
  virtual Result<OpenOutput> open_output(std::size_t port);
  /// Runs to the end on this thread (the engine may use more threads of its own). Every inference is as if it
  /// were the first: a model's state begins anew, a failure leaves no trace, and what the model does not
  /// write of its outputs is not another's answer.
  virtual Status infer() = 0;
  /// Starts, and calls `done` once, on a thread of the engine, when the outputs are filled or it failed.
  /// `done` must be short; it may start this request again, and must not destroy it. An error returned here
  /// (unavailable: it is still in flight) means that `done` is never called. The destructor waits for an
  /// inference in flight.
  virtual Status start(std::function<void(Status)> done) = 0;
};

/// A model compiled on a device. Its shapes are fixed, but for those of a model that leaves dimensions open
/// and was compiled with batch 0.
class Session {
 public:
  virtual ~Session() = default;
  virtual const std::vector<Port>& inputs() const = 0;
  virtual const std::vector<Port>& outputs() const = 0;
  virtual Result<std::unique_ptr<Request>> make_request() = 0;
  /// Requests in flight that keep the device busy.
  virtual std::int64_t optimal_requests() const = 0;
  /// What it really uses, as text, asked of the runtime afterwards: device, device_name, engine, hint,
  /// precision, kernel, threads, streams, requests, pinning. A fact that the runtime does not tell is left
  /// out.
  virtual const Facts& facts() const = 0;
  /// After inferences, when compiled with Options::profiled. Errors: unsupported (an engine that does not
  /// tell; the default).
  virtual Result<std::vector<LayerTime>> layers();
  /// The ONNX file of what the engine made of the model, whose nodes are called as its layers, when compiled
  /// with Options::shown. It lies there as long as the session lives. Empty: the engine does not tell.
  virtual std::filesystem::path model_as_run() const { return {}; }
};

/// What the graph of a model says of the rows of a batch. Empty: nothing.
struct RowFacts {
  std::string state;     ///< what it keeps from one step to the next, so that no two sequences may be in one
  std::string coupling;  ///< why a row's answer may depend on the other rows, also where no trial shows it
  /// Integers that are surely good as inputs are 0 up to less than this: others may be indices, sizes, or
  /// steps that end the process.
  std::int64_t integers_below = 2;
};

/// A model read from its file, not yet compiled.
class Model {
 public:
  virtual ~Model() = default;
  virtual const std::vector<Port>& inputs() const = 0;
  virtual const std::vector<Port>& outputs() const = 0;
  /// What people should know of how it is run: where that is not what its file says, a sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
  /// May be called again with other options. Errors: invalid_argument (batch below 0 or more than memory
  /// holds; counts), not_found (device), unsupported (precision that would be imitated; a batch that the
  /// layers do not take; an open dimension besides the batch), unavailable (memory). Threads: one at a time,
  /// beside inferences of other sessions and whatever other models do.
  virtual Result<std::unique_ptr<Session>> compile(const Options& options) = 0;
  /// Whether the engine knows, for all models it has, that no row of a batch has a part in another's answer.
  virtual bool rows_are_independent() const { return false; }
  virtual RowFacts row_facts() const { return {}; }
};

/// Whether a row of a batch gets the answer that it gets alone, whatever stands beside it, tried with random
/// numbers (integers: below `integers_below`, or 0 and 1 where the model refuses those): in `together`, whose
/// batch is `rows` >= 2, with other neighbours, loud ones and such as are no numbers, and in `alone`, whose
/// batch is 1. Costs about six inferences of `together` and three of `alone`; more, up to 50 ms, where
/// that is less. Empty: it does, within rounding; else a sentence that says what differs. Errors: the
/// engine's.
Result<std::string> rows_that_differ(Session& alone, Session& together, std::int64_t rows,
                                     std::int64_t integers_below = 2);

struct Device {
  std::string name;                    ///< as Options::device takes it
  std::string description;             ///< "Intel(R) Xeon(R) Processor"
  std::vector<Precision> precisions;   ///< that it computes in natively
  std::vector<std::string> providers;  ///< that Options::provider takes there; empty: it has no choice
};

/// How a model keeps the weights that lie in its files.
enum class Weights {
  mapped,  ///< as the runtime does by itself; a mapped file that changes changes answers, or ends the process
           ///< (SIGBUS)
  owned    ///< in memory of its own: files may change once load() and compile() have returned
};

/// The files that make up the model at `path`: itself; of ONNX also those with its external data, of .xml the
/// .bin, of a folder (SavedModel) all in it. They need not exist. Cost: an ONNX file is read.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& path);
/// Where an ONNX model's external data lies, as its file says it: relative to its folder.
std::set<std::string> external_data(const std::filesystem::path& model);

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  /// File name endings that it can load, with the dot; "saved_model.pb": the folder that holds such a file.
  virtual std::vector<std::string> formats() const = 0;
  virtual Result<std::vector<Device>> devices() = 0;
  /// One device as Options::device names it. Errors: not_found, with the nearest known name.
  virtual Result<Device> device(const std::string& name) = 0;
  /// Errors: not_found, unavailable (permission), corrupt (cut short, not a model), unsupported (operator,
  /// version).
  virtual Result<std::unique_ptr<Model>> load(const std::filesystem::path& path, Weights weights) = 0;
  Result<std::unique_ptr<Model>> load(const std::filesystem::path& path) {
    return load(path, Weights::mapped);
  }
};

/// Whether Options::device names one of NVIDIA's: "cuda", "CUDA:1".
bool is_cuda(std::string_view device);

// What every plugin checks alike. Errors: invalid_argument, in the words that the user gave.

/// threads and streams.
Status check_counts(const Options& options);
/// Of an engine whose devices have one provider each: that none is asked for.
Status check_no_provider(const Options& options);
/// Of an engine whose threads cannot be told how to wait: that nobody asks for it. `instead`: what helps; may
/// be empty.
Status check_no_spinning(const Options& options, std::string_view instead = {});
/// `needed` bytes for a batch (0: for the shapes that were given) against the memory of this machine; in
/// floating point, as a product may pass 64 bits.
Status check_memory(double needed, std::int64_t batch);
/// A Request's binding of `kind` ("input", "output") number `port` to memory.
Status check_binding(const char* kind, const std::vector<Port>& ports, std::size_t port, const void* data,
                     std::size_t bytes);
/// Of an input that is open: whether a tensor of that shape is one.
Status check_open_shape(const std::vector<Port>& inputs, std::size_t port,
                        std::span<const std::int64_t> shape);
/// Of a Request that is used while an inference is in flight: unavailable.
tl::unexpected<Error> still_in_flight();
/// "[8, 3, 224, 224]", with "?" where the model leaves a dimension open.
std::string shape_text(const std::vector<std::int64_t>& shape);

/// What `neph engines` shows of one engine.
struct EngineInfo {
  std::string name;
  std::string path;  ///< of its plugin
  bool usable = false;
  std::string reason;  ///< why it cannot run here; empty when usable
  std::string version;
  std::string runtime;  ///< the folder that the runtime is found in; empty: the system's loader knows it
  std::vector<std::string> formats;
  std::vector<Device> devices;
};

/// What --engine-path says: a Python environment, or a folder of `pip install --target`, in which the
/// runtimes of engines are looked for first where the loader knows of none, by this process and by those that
/// it starts. Empty: none. Call it before there are threads.
void look_also_in(const std::string& environment);
/// Of that option, in every verb that opens engines.
inline constexpr std::string_view engine_path_help =
    "Python environment with an engine's runtime (openvino, onnxruntime, torch); also looked for in "
    "$VIRTUAL_ENV and beside the program";

/// Finds plugins in folders and opens them on demand. Threads: one.
class Registry {
 public:
  /// Where plugins lie: $NEPH_ENGINES if set, else `engines` beside the program, else `../lib/neph` of it.
  static std::vector<std::filesystem::path> default_folders();

  /// Looks for plugins and opens none. Of two with one name the first folder's is taken; a folder may be
  /// absent.
  explicit Registry(const std::vector<std::filesystem::path>& folders = default_folders());
  ~Registry();
  Registry(Registry&&) noexcept;
  Registry& operator=(Registry&&) noexcept;

  /// The engine of that name, loaded now if it was not. Errors: not_found (names those there are),
  /// unsupported (its plugin cannot be loaded here, with the loader's reason).
  Result<Engine*> open(const std::string& name);
  /// The engine that reads files with this one's ending and can be loaded here: OpenVINO, or the first by
  /// name. Errors: unsupported (no engine does; names the endings that there are).
  Result<Engine*> open_for(const std::filesystem::path& model);
  /// All plugins found, each tried.
  std::vector<EngineInfo> list();

 private:
  struct Plugin;
  Result<Plugin*> find(const std::string& name);

  std::vector<std::string> folders_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  ///< by name
};

}  // namespace neph::engine

/// The one symbol a plugin exports, made with this macro: a function that makes the engine. The number in its
/// name changes whenever this header does, so that a stale plugin is refused by name instead of crashing.
#define NEPH_ENGINE_SYMBOL "neph_make_engine_9"
#define NEPH_EXPORT_ENGINE(Type)                                                                   \
  extern "C" __attribute__((visibility("default"))) ::neph::engine::Engine* neph_make_engine_9() { \
    return new Type();                                                                             \
  }
