// What ONNX Runtime says while it works, which nobody sees: its errors, for reasons that its statuses leave
// out; and on which provider it placed the nodes of a graph, which it tells in no other way (its log,
// since 1.21).
//
// Threads: any may log.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnxruntime/api.hpp"

namespace neph::engine::onnxruntime_plugin {

/// The errors of an environment.
class ErrorLog {
 public:
  /// As ONNX Runtime calls it; `log` is an ErrorLog.
  static void hear(void* log, OrtLoggingLevel level, const char* category, const char* id, const char* place,
                   const char* message);
  void forget();
  std::string last_error() const;

 private:
  mutable std::mutex mutex_;
  std::string last_;
};

/// The nodes of a graph that one provider computes.
struct Placed {
  std::string provider;  ///< ONNX Runtime's name
  std::int64_t nodes = 0;
  std::vector<std::string> names;  ///< "NonZero (places)"; none where it computes all of them
};

/// Reads where a session's nodes were placed, from the log of its making.
class PlacementLog {
 public:
  /// The session of these options is heard, and is never to outlive this. Throws Ort::Exception.
  void listen(Ort::SessionOptions& options);
  /// What the session says from now on is not looked at.
  void close() { is_closed_ = true; }
  /// For tests.
  void hear(std::string_view message);
  const std::vector<Placed>& placed() const { return placed_; }

 private:
  std::atomic<bool> is_closed_ = false;
  std::vector<Placed> placed_;
};

/// "3 of 5 nodes on cpu: NonZero (places), ..." of those that are not on `wanted`, ONNX Runtime's name; the
/// first few are named. Empty: all are.
std::string fallback_text(const std::vector<Placed>& placed, std::string_view wanted);

}  // namespace neph::engine::onnxruntime_plugin
