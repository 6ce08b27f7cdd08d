// The stages of a run's work, and where the time of a request goes: one account for what asks a server, of
// `infer` and of `load`, when it is measured and when it is read from a store.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace neph {

/// What a stage is a piece of: the way of an item, or that of a request to a server.
enum class StageOf { item, request };

struct StageKind {
  std::string_view name;
  StageOf of;
};
constexpr bool operator==(const StageKind& a, const StageKind& b) { return a.name == b.name; }

namespace stage {

inline constexpr StageKind read{"read", StageOf::item};
inline constexpr StageKind decode{"decode", StageOf::item};
inline constexpr StageKind preprocess{"preprocess", StageOf::item};
inline constexpr StageKind infer{"infer", StageOf::item};  ///< in this process
inline constexpr StageKind postprocess{"postprocess", StageOf::item};
inline constexpr StageKind write{"write", StageOf::item};

// Of a training's sample.
inline constexpr StageKind fill{"fill", StageOf::item};          ///< into its batch, by loader threads
inline constexpr StageKind wait{"wait", StageOf::item};          ///< of the training for its next batch
inline constexpr StageKind step{"step", StageOf::item};          ///< forward pass, backward pass, update
inline constexpr StageKind exchange{"exchange", StageOf::item};  ///< of gradients, among processes

/// Until the client had it, of a request that has a schedule.
inline constexpr StageKind issue{"issue", StageOf::request};
/// The tensor made a message and handed over, of a client that makes its requests as it goes.
inline constexpr StageKind send{"send", StageOf::request};
/// Until there was a connection, of the load generator.
inline constexpr StageKind connect{"connect", StageOf::request};
/// The least that any request spent outside of both programs: what all pay.
inline constexpr StageKind network{"network", StageOf::request};
/// In place of network, unexplained and the server's own, of a server that does not tell of its stages.
inline constexpr StageKind network_and_server{"network_and_server", StageOf::request};
/// In place of network and unexplained in stores of earlier versions.
inline constexpr StageKind transport{"transport", StageOf::request};
/// Over HTTP in the clear only: until the server read what the kernel had received.
inline constexpr StageKind server_socket{"server_socket", StageOf::request};
inline constexpr StageKind server_decode{"server_decode", StageOf::request};
inline constexpr StageKind server_queue{"server_queue", StageOf::request};
inline constexpr StageKind server_batch{"server_batch", StageOf::request};
inline constexpr StageKind server_infer{"server_infer", StageOf::request};
inline constexpr StageKind server_encode{"server_encode", StageOf::request};
/// What requests spent outside of both programs beyond network: waiting in the kernel, for a core, in a part
/// of the server that it does not measure.
inline constexpr StageKind unexplained{"unexplained", StageOf::request};
/// The reply's first byte to its last (load); the reply made numbers, after the response (infer).
inline constexpr StageKind receive{"receive", StageOf::request};

}  // namespace stage

/// What a server says of itself, in the order in which a request goes through.
inline constexpr std::array server_stages{stage::server_socket, stage::server_decode, stage::server_queue,
                                          stage::server_batch,  stage::server_infer,  stage::server_encode};

/// All, in the order in which tables and charts show them.
inline constexpr std::array stage_kinds{stage::fill,
                                        stage::wait,
                                        stage::step,
                                        stage::exchange,
                                        stage::read,
                                        stage::decode,
                                        stage::preprocess,
                                        stage::infer,
                                        stage::issue,
                                        stage::send,
                                        stage::connect,
                                        stage::network,
                                        stage::network_and_server,
                                        stage::transport,
                                        stage::server_socket,
                                        stage::server_decode,
                                        stage::server_queue,
                                        stage::server_batch,
                                        stage::server_infer,
                                        stage::server_encode,
                                        stage::unexplained,
                                        stage::receive,
                                        stage::postprocess,
                                        stage::write};

/// nullptr: another version's.
constexpr const StageKind* find_stage(std::string_view name) {
  for (const auto& kind : stage_kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

// (Asks no pointer whether it is null: GCC 12 cannot know that under the sanitizers.)
static_assert(std::ranges::all_of(server_stages, [](const auto& one) {
  return std::ranges::any_of(stage_kinds, [&](const auto& kind) { return kind.name == one.name; });
}));

/// Its column in the raw samples: "server_queue_s". Behind a server `infer_s` is the whole response time.
inline std::string sample_column(const StageKind& kind) { return std::string(kind.name) + "_s"; }

/// Seconds of one request, as its client saw them. What there was none of, or nobody tells, is 0.
struct RequestTimes {
  double issue_s = 0;
  double send_s = 0;
  double connect_s = 0;
  std::array<double, server_stages.size()> server_s{};  ///< in the order of server_stages
  double outside_s = 0;  ///< between the hand-over and the reply, not in the server as far as it tells
  double receive_s = 0;
};

/// Where the time of requests goes: add all of them, then ask. What the server does not account for is split
/// where it tells of itself (network, unexplained), and else is one stage with the server.
class RequestStages {
 public:
  void add(const RequestTimes& request);

  /// Those that these requests have, in the order of stage_kinds: of the client's those that took time in
  /// some request; of a server that tells all but the socket's, which is there where it took time.
  std::vector<StageKind> kinds() const;
  bool server_tells() const;
  /// Seconds of all requests in one of kinds().
  double sum_s(const StageKind& kind) const { return part_s(kind, sums_, static_cast<double>(n_)); }
  /// Seconds of one of the requests.
  double of_s(const StageKind& kind, const RequestTimes& request) const { return part_s(kind, request, 1); }
  std::int64_t requests() const { return n_; }

 private:
  bool has(const StageKind& kind) const;
  double part_s(const StageKind& kind, const RequestTimes& times, double requests) const;

  RequestTimes sums_;
  std::int64_t n_ = 0;
  double least_outside_s_ = std::numeric_limits<double>::infinity();  ///< of one request, at least 0
};

}  // namespace neph
