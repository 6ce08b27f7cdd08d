// What becomes of one request, and where a worker keeps it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "record/metrics.hpp"
#include "record/stages.hpp"
#include "wire/wire.hpp"

namespace neph::load {

using Outcome = RequestOutcome;

/// Whether what goes over the wire is what results are about: "queue" there, "server_queue" here.
constexpr bool names_the_servers_stages(std::span<const wire::TimedStage> timed) {
  return std::ranges::equal(server_stages, timed, [](const StageKind& kind, const wire::TimedStage& one) {
    constexpr std::string_view prefix = "server_";
    return kind.name.starts_with(prefix) && kind.name.substr(prefix.size()) == one.name;
  });
}
static_assert(names_the_servers_stages(wire::timed_stages));

using ServerSeconds = std::array<float, server_stages.size()>;  ///< small: there are millions of them

inline ServerSeconds seconds_of(const wire::StageTimes& times) {
  ServerSeconds all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<float>(seconds(times.*wire::timed_stages[i].time));
  return all;
}

inline wire::StageTimes times_of(const ServerSeconds& all) {
  wire::StageTimes times;
  for (std::size_t i = 0; i < all.size(); ++i) times.*wire::timed_stages[i].time = from_seconds(all[i]);
  return times;
}

/// Times in nanoseconds from the first moment of the schedule.
struct Sample {
  std::int64_t scheduled = 0;    ///< closed loop: when the client was free to send
  std::int64_t issued = 0;       ///< handed to the client
  std::int64_t sent = 0;         ///< handed to the kernel, or to the gRPC library: a connection was there
  std::int64_t first_byte = -1;  ///< of the reply; below 0: not known
  std::int64_t done = 0;
  ServerSeconds server{};  ///< what it says of itself
  Outcome outcome = Outcome::answered;

  double response_s() const { return static_cast<double>(done - scheduled) * 1e-9; }
  double service_s() const { return static_cast<double>(done - sent) * 1e-9; }
  double issue_delay_s() const { return static_cast<double>(issued - scheduled) * 1e-9; }
  /// From when the kernel had the reply's beginning to when all of it was read; 0 where that is not known.
  double receive_s() const { return first_byte < 0 ? 0 : static_cast<double>(done - first_byte) * 1e-9; }
  /// They add up to response_s().
  RequestTimes times() const {
    RequestTimes all{.issue_s = issue_delay_s(),
                     .connect_s = static_cast<double>(sent - issued) * 1e-9,
                     .outside_s = service_s() - receive_s(),
                     .receive_s = receive_s()};
    for (std::size_t i = 0; i < server.size(); ++i) {
      all.server_s[i] = server[i];
      all.outside_s -= server[i];
    }
    return all;
  }
};

/// Samples in the order in which they ended. Threads: one adds, any others may read what size() says is
/// there. Cost: add() copies 72 bytes; one piece of memory is taken for every 8,192.
class SampleLog {
 public:
  SampleLog() : pieces_(most_pieces) {}

  /// False, and dropped: it is full (2^29 samples).
  bool add(const Sample& sample) {
    const auto size = size_.load(std::memory_order_relaxed);
    const auto piece = size / piece_size;
    if (piece == most_pieces) return false;
    if (!pieces_[piece]) pieces_[piece] = std::make_unique<Sample[]>(piece_size);
    pieces_[piece][size % piece_size] = sample;
    size_.store(size + 1, std::memory_order_release);
    return true;
  }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  const Sample& operator[](std::size_t i) const { return pieces_[i / piece_size][i % piece_size]; }

 private:
  static constexpr std::size_t piece_size = 8192;
  static constexpr std::size_t most_pieces = std::size_t{1} << 16;
  std::vector<std::unique_ptr<Sample[]>> pieces_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace neph::load
