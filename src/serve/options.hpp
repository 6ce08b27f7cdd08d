// What a server is told: of each model it serves, and of itself. Fields are options of `neph serve`; those of
// a model are also keys of its config.toml in a repository folder.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "engine/engine.hpp"
#include "serve/declared.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// What clients send for a model whose input is a picture.
enum class Payload {
  tensor,  ///< the model's own input
  uint8,   ///< pixels R G B, [n, side, side, channels], normalised on the server
  jpeg     ///< BYTES, each element a picture file, decoded on the server
};
constexpr auto enum_names(Payload) {
  return std::array{Named{Payload::tensor, "tensor"}, Named{Payload::uint8, "uint8"},
                    Named{Payload::jpeg, "jpeg"}};
}

/// Whether requests may share executions.
enum class Batching {
  automatic,  ///< where the model is seen to have a batch
  on,         ///< wherever the file leaves the first dimension open
  off
};
constexpr auto enum_names(Batching) {
  return std::array{Named{Batching::automatic, "auto"}, Named{Batching::on, "on"},
                    Named{Batching::off, "off"}};
}

struct ModelOptions {
  engine::Runtime runtime;
  std::int64_t instances = 1;
  Payload payload = Payload::tensor;
  std::int64_t versions = 1;
  Batching batching = Batching::automatic;
  std::int64_t max_batch = 1;
  std::string batch_sizes;
  std::string shape;
  Seconds max_wait;
  std::int64_t queue_requests = 1024;
  std::int64_t queue_bytes = std::int64_t{1} << 30;
  std::int64_t reply_bytes = (std::int64_t{1} << 31) - (1 << 20);  // gRPC's messages end at 2 GiB
  Declared declared;  ///< by a repository's config.pbtxt, and `shape`; no option
};
template <class Visit, Describes<ModelOptions> Self>
void describe(Visit&& v, Self& s) {
  describe(v, s.runtime);
  v("instances", s.instances,
    "executions side by side; 0: what the engine advises for throughput (a model that takes "
    "microseconds always has one a core)",
    between(0, 1024));
  v("payload", s.payload, "what clients send: the input tensor, pixels, or image files");
  v("versions", s.versions, "newest versions of a repository's model that are served; requests can name one",
    between(1, 1000));
  v("batching", s.batching,
    "whether requests share executions; auto: where the file leaves the first dimension open and a trial "
    "gives "
    "rows the same answers together and apart; on: without the trial");
  v("max_batch", s.max_batch,
    "rows per execution; requests are joined up to it, larger ones take several executions",
    between(1, 65536));
  v("batch_sizes", s.batch_sizes, "sizes to compile (1,4,8); empty: powers of two up to max_batch");
  v("shape", s.shape,
    "shapes of inputs that the model leaves open: NAME:1x128, several as NAME:1x128+OTHER:1x64; without its "
    "first size (NAME:128) that stays open");
  v("max_wait", s.max_wait, "longest wait of a request for others to join it: 2ms");
  v("queue_requests", s.queue_requests, "most waiting requests; more are refused", between(1, 1e7));
  v("queue_bytes", s.queue_bytes, "most input bytes of waiting requests; more are refused", at_least(1));
  v("reply_bytes", s.reply_bytes,
    "most output bytes of a reply, and of batches whose replies are being written; more is refused",
    at_least(1));
}

struct ServerOptions {
  std::string listen = "127.0.0.1";
  std::int64_t http_port = 8000;
  std::int64_t grpc_port = 8001;
  std::int64_t metrics_port = 8002;
  std::int64_t http_threads = 2;
  std::int64_t max_body_bytes = std::int64_t{1} << 30;
  bool shared_memory = false;
  std::string token_file;
  wire::TlsServer tls;
  Seconds load_limit{600};
  Seconds stop_limit{30};
};
template <class Visit, Describes<ServerOptions> Self>
void describe(Visit&& v, Self& s) {
  v("listen", s.listen, "address to listen on; 0.0.0.0: all of this machine's");
  v("http_port", s.http_port, "port of the REST protocol; 0: any free one; -1: none", between(-1, 65535));
  v("grpc_port", s.grpc_port, "port of the gRPC protocol; 0: any free one; -1: none", between(-1, 65535));
  v("metrics_port", s.metrics_port, "port of /metrics; 0: any free one; -1: only on the HTTP port",
    between(-1, 65535));
  v("http_threads", s.http_threads, "threads that read and write HTTP", between(1, 1024));
  v("max_body_bytes", s.max_body_bytes,
    "largest request: its body, also when unpacked, with the tensors that its JSON holds", at_least(1));
  v("shared_memory", s.shared_memory, "whether clients of this machine may pass tensors in shared memory");
  v("token_file", s.token_file,
    "file with a bearer token that requests and /metrics need; without one anybody who gets here may load "
    "and unload");
  describe(v, s.tls);
  v("load_limit", s.load_limit,
    "longest time for trying a model in a process of its own before it joins others");
  v("stop_limit", s.stop_limit, "longest time for answering what was accepted, once stopped");
}

}  // namespace neph::serve
