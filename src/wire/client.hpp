// The client's side: requests are encoded once, before any clock runs, and sent as often as wanted, many at
// once.
//
// What it does not do: decide when to send, or count. Threads: a Client belongs to one thread, which calls
// send() and run_until(), and on which every call ends. Ownership: an Outgoing outlives the calls that send
// it; a Call must stay where it is from send() until it has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "wire/endpoint.hpp"
#include "wire/message.hpp"
#include "wire/service.hpp"
#include "wire/tls.hpp"

namespace neph::wire {

/// A request in the bytes of its protocol.
class Outgoing {
 public:
  virtual ~Outgoing() = default;
};

/// One request on its way, and what became of it.
struct Call {
  const Outgoing* request = nullptr;
  std::optional<Moment> deadline;  ///< given up at; empty: never
  bool keeps_reply = false;        ///< the reply's bytes are kept for Client::decode()

  Moment sent;                       ///< handed to the kernel, or to the gRPC library
  std::optional<Moment> first_byte;  ///< of the reply; empty where the library does not tell
  Moment done;
  Status outcome;                           ///< refused, failed, given up: data, not an error of the program
  StageTimes server;                        ///< what the server says of its own stages
  std::string reply;                        ///< if kept: the body over HTTP, the message over gRPC
  std::optional<std::uint64_t> json_bytes;  ///< of an HTTP body
};

struct ClientOptions {
  std::string bearer_token;
  double connect_s = 5;       ///< longest wait for a connection
  TlsClient tls;              ///< for https:// and grpcs://
  std::int64_t channels = 1;  ///< connections of a gRPC client, which its calls share
  std::stop_token stop;       ///< gives up connecting, and the client's own questions
};

class Client {
 public:
  using Ended = std::function<void(Call&)>;

  /// Connects to see that somebody is there. `ended` is called for each call, in the thread of run_until();
  /// it may send again. Errors: unavailable (nobody listens, no such host, the two do not believe
  /// each other's certificates), timeout, invalid_argument (the port speaks another protocol: names the
  /// address that would do), those of read_tls.
  static Result<std::unique_ptr<Client>> connect(const Endpoint& endpoint, const ClientOptions& options,
                                                 const Clock& clock, Ended ended);
  virtual ~Client() = default;

  /// Errors: unsupported (what the protocol has no words for).
  virtual Result<std::unique_ptr<Outgoing>> encode(const InferRequest& request) const = 0;
  virtual void send(Call& call) = 0;
  /// Has calls end until `moment`, or until `enough` says so (it is asked after each event).
  virtual void run_until(Moment moment, const std::function<bool()>& enough) = 0;
  /// Has run_until() ask `enough` again. The only function that any thread may call.
  virtual void wake() = 0;
  /// The reply that a call has kept. Its tensors point into the call or into the reply.
  virtual Status decode(const Call& call, InferReply& reply) const = 0;
  /// Replies that came though no request was out, within `wait` from now or before: requests may have been
  /// taken for answered by them. None over gRPC, whose replies name their calls.
  virtual std::int64_t stray_replies(Nanoseconds /*wait*/) { return 0; }
  /// Gives up every call that has not ended; each ends as unavailable.
  virtual void abort() = 0;

  virtual Result<ModelMetadata> model_metadata(const std::string& model) = 0;
  /// What the model's configuration calls max_batch_size; 0: nothing. Errors: those of a server that knows of
  /// no configurations.
  virtual Result<std::int64_t> max_batch_size(const std::string& model) = 0;
  /// A page of an HTTP server, as /metrics. Errors: unsupported over gRPC.
  virtual Result<std::string> get(const std::string& target) = 0;
  /// Names of the models that are ready. Errors: those of a server that has no list of them.
  virtual Result<std::vector<std::string>> models() { return fail(ErrorCode::unsupported, "no list"); }
  /// Well if the server is ready, or of it that model. Errors: unavailable and others, with the reason.
  virtual Status ready(const std::string& /*model, or empty*/) { return {}; }
};

}  // namespace neph::wire
