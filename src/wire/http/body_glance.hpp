// What can be seen of an inference's reply for next to nothing, where its body is neither kept nor decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

class BodyGlance {
 public:
  /// The next bytes of the body.
  void take(std::string_view piece) {
    if (piece.empty()) return;
    if (bytes_ == 0) first_ = piece.front();
    last_ = piece.back();
    bytes_ += piece.size();
  }

  /// Whether all of it may be a reply: JSON that begins as an object and, where no tensors follow it, ends as
  /// one; `json_bytes`, if the head told them, are no more than came. Errors: corrupt.
  Status check(std::optional<std::uint64_t> json_bytes) const {
    if (json_bytes && *json_bytes > bytes_)
      return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes, of which {} are to be JSON",
                  bytes_, *json_bytes);
    const bool is_all_json = !json_bytes || *json_bytes == bytes_;
    if (bytes_ < 2 || !may_be(first_, '{') || (is_all_json && !may_be(last_, '}')))
      return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes that are no JSON object", bytes_);
    return {};
  }

 private:
  /// White space may stand around an object.
  static bool may_be(char byte, char wanted) {
    return byte == wanted || byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
  }

  std::uint64_t bytes_ = 0;
  char first_ = 0, last_ = 0;
};

}  // namespace neph::wire
