// One call of gRPC: a stream of HTTP/2 with the messages that came and their answers (gRPC's PROTOCOL-HTTP2).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/http/body_memory.hpp"
#include "wire/http/gzip.hpp"
#include "wire/http2/methods.hpp"
#include "wire/protobuf/infer_message.hpp"
#include "wire/service.hpp"

namespace neph::wire {

class GrpcConnection;
class GrpcCall;

/// gRPC's status codes that a server gives.
enum class GrpcStatus {
  ok = 0,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  resource_exhausted = 8,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  unauthenticated = 16
};

/// One message and its answer. Used again from call to call, with its memory.
class GrpcTurn final : public Exchange {
 public:
  explicit GrpcTurn(GrpcCall& call) : call_(&call) {}
  ~GrpcTurn() override;
  void finish(Status status) override;
  void abandon() { abandoned_.store(true, std::memory_order_relaxed); }
  /// For another call.
  void reset(GrpcCall& call);
  GrpcCall& call() const { return *call_; }
  /// Returns what it holds to the service, once written or given up.
  void release_lease();

  BodyMemory message;              ///< as it came
  bool is_packed = false;          ///< the message is, by the call's coding
  std::size_t received_bytes = 0;  ///< of the message, so far
  OutgoingMessage out;
  bool is_done = false;                    ///< `out` is to be written
  std::uint64_t unsent = 0;                ///< bytes of `out`
  std::size_t piece = 0, piece_begin = 0;  ///< of `out`, what is to be written next
  Status outcome;
  /// While the service, or another thread, has it.
  std::pair<std::shared_ptr<GrpcConnection>, std::shared_ptr<GrpcCall>> owners;

 private:
  GrpcCall* call_;
};

/// All of it is used on its connection's thread.
class GrpcCall final {
 public:
  GrpcCall(GrpcConnection& connection_, std::int32_t stream_) : connection(connection_), stream(stream_) {}

  GrpcConnection& connection;
  const std::int32_t stream;

  // The request's header, as far as it matters.
  std::size_t header_bytes = 0;
  std::string path, content_type, coding_name, authorization, timeout;
  bool is_post = false;
  const GrpcMethod* method = nullptr;
  Coding coding = Coding::identity;
  std::optional<Moment> deadline;

  // What has come.
  std::string prefix;                  ///< of the next message: up to five bytes
  std::unique_ptr<GrpcTurn> incoming;  ///< whose message is not whole yet
  std::string waiting_bytes;           ///< that are not looked at, as too many turns are under way,
  std::size_t waiting_begin = 0;       ///< from here on; those before have been
  std::size_t messages = 0;
  bool is_refused = false;  ///< what else comes is passed over
  bool has_ended = false;   ///< the client sends nothing more

  std::string_view waiting() const { return std::string_view(waiting_bytes).substr(waiting_begin); }
  bool is_inference() const;
  /// More than one message may come.
  bool is_stream() const;

  // What is answered, in the order in which it came.
  std::deque<std::unique_ptr<GrpcTurn>> turns;
  bool response_begun = false, deferred = false;
  std::optional<std::pair<GrpcStatus, std::string>> status;  ///< what it ends with, behind the turns
  std::string timing;
  std::optional<Nanoseconds> retry_after;
  Moment due = Moment::max();        ///< by then the message must have come
  Moment reply_due = Moment::max();  ///< by then what is to be written must have been taken
  bool is_closed = false;

  // grpc.health.v1.Health/Watch
  std::string watched;      ///< the request
  std::string last_status;  ///< its last reply; empty: there is none
};

/// Its text is printable, and cut after a kilobyte.
std::pair<GrpcStatus, std::string> grpc_status(const Error& error);
/// The header grpc-timeout: at most eight digits and a unit. Empty: it is none, or above a year.
std::optional<Nanoseconds> parse_timeout(std::string_view text);
/// A text as grpc-message carries it: percent-encoded but for printable ASCII.
std::string percent_encoded(std::string_view text);

}  // namespace neph::wire
