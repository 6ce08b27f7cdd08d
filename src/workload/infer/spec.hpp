// What one inference run is told: every field is an option of `neph infer`, a key of a TOML file's [infer]
// table, and, given a list of values, a factor. A new factor is one member and one line here, which says
// where it means something and what it touches, and the code that heeds it.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "engine/engine.hpp"
#include "wire/wire.hpp"
#include "workload/connection.hpp"
#include "workload/place.hpp"

namespace neph::workload {

/// Where the network runs.
enum class Architecture {
  in_process,  ///< in the program's own address space
  local,       ///< behind a server on this machine, which the run starts and ends
  remote       ///< behind a server that is there already, wherever
};
constexpr auto enum_names(Architecture) {
  return std::array{Named{Architecture::in_process, "in-process"}, Named{Architecture::local, "local"},
                    Named{Architecture::remote, "remote"}};
}

/// What a request to a server carries of a picture.
enum class Payload { tensor, jpeg };
constexpr auto enum_names(Payload) {
  return std::array{Named{Payload::tensor, "tensor"}, Named{Payload::jpeg, "jpeg"}};
}

/// Who asks a server. The independent client is the load generator: it reads no files and judges no answers,
/// and so shows what the application around a client costs.
enum class Client { application, independent };
constexpr auto enum_names(Client) {
  return std::array{Named{Client::application, "application"}, Named{Client::independent, "independent"}};
}

/// Where the network's inputs come from in a run.
enum class Files { on, off };
constexpr auto enum_names(Files) { return std::array{Named{Files::on, "on"}, Named{Files::off, "off"}}; }

/// Whether the pictures are brought to the network's size once, before the runs.
enum class Prepared { off, on };
constexpr auto enum_names(Prepared) {
  return std::array{Named{Prepared::off, "off"}, Named{Prepared::on, "on"}};
}

enum class Mode { sync, async };
constexpr auto enum_names(Mode) { return std::array{Named{Mode::sync, "sync"}, Named{Mode::async, "async"}}; }

/// State of the page cache for the picture files when the measurement begins.
enum class Cache { warm, cold };
constexpr auto enum_names(Cache) {
  return std::array{Named{Cache::warm, "warm"}, Named{Cache::cold, "cold"}};
}

struct InferSpec {
  std::string model;
  std::string images;
  std::string inputs;
  std::string shape;
  std::int64_t count = 0;
  Architecture architecture = Architecture::in_process;
  wire::Protocol protocol = wire::Protocol::http;
  In server_in = In::process;
  std::string image{own_image};
  double server_cpus = 0;
  std::int64_t server_memory_bytes = 0;
  std::string server;
  std::string metrics;
  Credentials credentials;
  Client client = Client::application;
  Payload payload = Payload::tensor;
  std::int64_t batch = 1;
  Mode mode = Mode::sync;
  std::int64_t depth = 0;
  engine::Runtime runtime{.engine = "openvino"};
  Files files = Files::on;
  Prepared prepared = Prepared::off;
  Cache cache = Cache::warm;
  std::int64_t loaders = -1;
  std::int64_t warmup = 3;
  double warmup_max_s = 10;
  double telemetry_hz = 10;
  std::int64_t classes = 0;
  std::int64_t side = 0;
  std::int64_t weights_seed = 1;
  std::int64_t min_file_bytes = 2052;
  std::int64_t tensor_memory_bytes = std::int64_t{2} << 30;
  std::int64_t instances = -1;
  Connection connection;
  std::string answers;
};

template <class Visit, Describes<InferSpec> Self>
void describe(Visit&& v, Self& s) {
  constexpr auto in_started = only_where("architecture", "local");
  constexpr auto in_container = in_started | only_where("server_in", "docker");
  constexpr auto of_external_servers = only_where("architecture", "remote");
  constexpr auto served = only_where("architecture", "local", "remote");
  constexpr auto in_our_engine = only_where("architecture", "in-process", "local");
  constexpr auto in_application = only_where("client", "application");  // the other reads no files
  constexpr auto in_tensors = in_application | only_where("payload", "tensor");

  v("model", s.model, "model file (.onnx, .xml, .pb, .tflite, .pt2) or a network's name (see neph net)",
    changes_answers() | prepared());
  v("images", s.images, "folder of images, read recursively; without it and --inputs: generated inputs",
    changes_answers() | prepared());
  v("inputs", s.inputs, "tensors for the model's inputs: .npz, or a folder of NAME.npy",
    changes_answers() | prepared() | once_called("input"));
  v("shape", s.shape,
    "shapes of inputs that the model leaves open: NAME:1x128, several as NAME:1x128+OTHER:1x64",
    changes_answers() | prepared());
  v("count", s.count,
    "images (or other inputs) per run; a smaller set is repeated; 0: every image once, of others what takes "
    "about two seconds, 20000 inferences at the most",
    between(0, 1e9) | changes_answers());
  v("architecture", s.architecture, "where the network runs: here, or behind a server here or elsewhere",
    prepared());
  v("protocol", s.protocol, "to a server that the run starts", in_started);
  v("server_in", s.server_in, "a server that the run starts: a process, or a Docker container", in_started);
  v("image", s.image, "Docker image of the container (./dev image makes neph:latest)", in_container);
  v("server_cpus", s.server_cpus, "processors that the container may use; 0: all",
    between(0, 4096) | in_container);
  v("server_memory_bytes", s.server_memory_bytes, "memory that the container may use; 0: all",
    at_least(0) | in_container);
  v("server", s.server, "address of a server that is there: grpc://node2:8001, http://node2:8000",
    of_external_servers | prepared());
  v("metrics", s.metrics, "address of that server's metrics endpoint; empty: its host, port 8002",
    of_external_servers);
  describe(with(v, of_external_servers | prepared()), s.credentials);
  v("client", s.client,
    "who asks a server: the application, which reads images and judges answers, or a client that only asks",
    served);
  v("payload", s.payload, "what a request carries: the tensor, or the image's file, decoded by the server",
    served | in_application);
  v("batch", s.batch, "images (or other inputs) per inference", between(1, 65536));
  v("mode", s.mode, "one inference after the other, or several in flight");
  v("depth", s.depth, "batches in flight when async; 0: what keeps the engine or server busy; -1: no bound",
    between(-1, 4096) | only_where("mode", "async"));
  v("files", s.files, "on: read and decode files; off: tensors ready in memory", in_tensors);
  v("prepared", s.prepared, "on: images brought to the network's size before the run",
    in_tensors | changes_answers() | prepared());
  v("cache", s.cache, "page cache for the files: warm, or dropped before the measurement", in_application);
  v("loaders", s.loaders, "loader threads; 0: load on the inference thread; -1: one per core",
    between(-1, 1024) | in_application);
  describe(with(v, in_our_engine), s.runtime);
  v("warmup", s.warmup, "batches before the measurement, at the least", between(1, 1e6) | in_application);
  v("warmup_max_s", s.warmup_max_s, "longest warm-up while batch times still fall", between(0, 3600));
  v("telemetry_hz", s.telemetry_hz, "readings of the machine's counters per second", between(0.1, 100));
  v("classes", s.classes, "classes of a network given by name; 0: the network's own",
    between(0, 1e6) | changes_answers() | prepared());
  v("side", s.side, "image side of a network given by name, or of a file that leaves it open; 0: its own",
    between(0, 8192) | changes_answers() | prepared());
  v("weights_seed", s.weights_seed, "seed of the weights of a network given by name",
    at_least(0) | changes_answers() | prepared());
  v("min_file_bytes", s.min_file_bytes, "smaller image files are rejected",
    at_least(0) | in_application | changes_answers() | prepared());
  v("tensor_memory_bytes", s.tensor_memory_bytes, "most memory for ready tensors (files off)",
    at_least(1 << 20) | in_application | changes_answers());
  v("instances", s.instances,
    "executions side by side in a server that the run starts; 0: the engine's choice; -1: 1 when sync, else "
    "0",
    between(-1, 1024) | in_started);
  describe(with(v, served), s.connection);
  v("answers", s.answers, "file for the answers: a line an image, or an output of an inference; empty: none",
    in_application);
}

}  // namespace neph::workload
