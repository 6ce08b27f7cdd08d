// What one inference run is told: every field is an option of `neph infer`, a key of a TOML file's [infer]
// table, and, given a list of values, a factor. A new factor is one member and one line here, and the code
// that heeds it; answer_fields and prepared_fields in infer.cpp list those that touch answers or preparation.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "engine/engine.hpp"
#include "wire/wire.hpp"

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

/// Where a server that the run starts runs.
enum class ServerIn { process, docker };
constexpr auto enum_names(ServerIn) {
  return std::array{Named{ServerIn::process, "process"}, Named{ServerIn::docker, "docker"}};
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
  std::int64_t count = 0;
  Architecture architecture = Architecture::in_process;
  wire::Protocol protocol = wire::Protocol::http;
  ServerIn server_in = ServerIn::process;
  std::string image = "neph:latest";
  double server_cpus = 0;
  std::int64_t server_memory_bytes = 0;
  std::string server;
  std::string metrics;
  std::string ca;
  std::string certificate;
  std::string key;
  std::string token_file;
  Client client = Client::application;
  Payload payload = Payload::tensor;
  std::int64_t batch = 1;
  Mode mode = Mode::sync;
  std::int64_t depth = 0;
  engine::Precision precision = engine::Precision::f32;
  Files files = Files::on;
  Prepared prepared = Prepared::off;
  Cache cache = Cache::warm;
  std::int64_t loaders = -1;
  std::int64_t threads = 0;
  std::int64_t streams = 0;
  engine::Pinning pinning = engine::Pinning::automatic;
  std::string engine = "openvino";
  std::string device = "CPU";
  std::int64_t warmup = 3;
  double warmup_max_s = 10;
  double telemetry_hz = 10;
  std::int64_t classes = 0;
  std::int64_t side = 0;
  std::int64_t weights_seed = 1;
  std::int64_t min_file_bytes = 2052;
  std::int64_t tensor_memory_bytes = std::int64_t{2} << 30;
  std::int64_t instances = -1;
  std::int64_t channels = 1;
  Seconds patience{60};
  std::string answers;
};

template <class Visit, Describes<InferSpec> Self>
void describe(Visit&& v, Self& s) {
  v("model", s.model, "model file (.onnx, .xml, .pb, .tflite) or a network's name (see neph net)");
  v("images", s.images, "folder of pictures, read recursively");
  v("count", s.count, "pictures per run; a smaller set is repeated; 0: every picture once", between(0, 1e9));
  v("architecture", s.architecture, "where the network runs: here, or behind a server here or elsewhere");
  v("protocol", s.protocol, "to a server that the run starts");
  v("server_in", s.server_in, "a server that the run starts: a process, or a Docker container");
  v("image", s.image, "Docker image of the container (./dev image makes neph:latest)");
  v("server_cpus", s.server_cpus, "processors that the container may use; 0: all", between(0, 4096));
  v("server_memory_bytes", s.server_memory_bytes, "memory that the container may use; 0: all", at_least(0));
  v("server", s.server, "address of a server that is there: grpc://node2:8001, http://node2:8000");
  v("metrics", s.metrics, "address of that server's figures; empty: its host, port 8002");
  v("ca", s.ca, "file (PEM) of the CA that a server's certificate must come from; empty: the system's");
  v("certificate", s.certificate, "file (PEM) of a certificate for a server that demands one");
  v("key", s.key, "file (PEM) of that certificate's private key");
  v("token_file", s.token_file, "file with the bearer token that a server demands");
  v("client", s.client,
    "who asks a server: the application, which reads pictures and judges answers, or a client that only "
    "asks");
  v("payload", s.payload, "what a request carries: the tensor, or the picture's file, decoded by the server");
  v("batch", s.batch, "pictures per inference", between(1, 65536));
  v("mode", s.mode, "one inference after the other, or several in flight");
  v("depth", s.depth, "batches in flight when async; 0: what keeps the recogniser busy; -1: no bound",
    between(-1, 4096));
  v("precision", s.precision, "arithmetic of the engine");
  v("files", s.files, "on: read and decode files; off: tensors ready in memory");
  v("prepared", s.prepared, "on: pictures brought to the network's size before the run");
  v("cache", s.cache, "page cache for the files: warm, or dropped before the measurement");
  v("loaders", s.loaders, "loader threads; 0: load on the inference thread; -1: one per core",
    between(-1, 1024));
  v("threads", s.threads, "engine threads; 0: the engine's choice", between(0, 4096));
  v("streams", s.streams,
    "inferences that run side by side; 0: one an instance of a server, of one the engine's choice",
    between(0, 4096));
  v("pinning", s.pinning, "tie engine threads to cores");
  v("engine", s.engine, "runtime (see neph engines)");
  v("device", s.device, "device of the engine (see neph engines)");
  v("warmup", s.warmup, "batches before the measurement, at the least", between(1, 1e6));
  v("warmup_max_s", s.warmup_max_s, "longest warm-up while batch times still fall", between(0, 3600));
  v("telemetry_hz", s.telemetry_hz, "readings of the machine's counters per second", between(0.1, 100));
  v("classes", s.classes, "classes of a network given by name; 0: the network's own", between(0, 1e6));
  v("side", s.side, "picture side of a network given by name; 0: the network's own", between(0, 8192));
  v("weights_seed", s.weights_seed, "seed of the weights of a network given by name", at_least(0));
  v("min_file_bytes", s.min_file_bytes, "smaller picture files are rejected", at_least(0));
  v("tensor_memory_bytes", s.tensor_memory_bytes, "most memory for ready tensors (files off)",
    at_least(1 << 20));
  v("instances", s.instances,
    "executions side by side in a server that the run starts; 0: the engine's choice; -1: 1 when sync, else "
    "0",
    between(-1, 1024));
  v("channels", s.channels, "gRPC connections that the requests share", between(1, 256));
  v("patience", s.patience, "a request without an answer for so long has failed");
  v("answers", s.answers, "file for the answers, one line a picture; empty: written and thrown away");
}

}  // namespace neph::workload
