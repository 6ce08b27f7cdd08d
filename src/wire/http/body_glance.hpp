// What is looked at in each reply of an inference whose body is neither kept nor decoded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

/// That it is one whole JSON object with outputs, and where they come as bytes behind it, that these fit
/// their shapes. Numbers in the JSON are not read. Cost: its brackets are followed, about 1 ns a byte; in
/// front of binary tensors, a comparison with the JSON of the last right reply, and where it differs it is
/// parsed.
class BodyGlance {
 public:
  BodyGlance() = default;
  /// `json_bytes`: length of the JSON in front of binary tensors, if the head has it.
  explicit BodyGlance(std::optional<std::uint64_t> json_bytes) : json_bytes_(json_bytes) {}

  /// The next bytes of the body.
  void take(std::string_view piece);

  /// `right`: the JSON and the size of the last right reply with binary tensors, for the next call. Errors:
  /// corrupt, invalid_argument (no JSON object, no outputs, sizes that do not fit).
  Status check(std::string& right) const;

 private:
  Status check_json(std::uint64_t binary_bytes) const;
  void follow(std::string_view piece);

  std::optional<std::uint64_t> json_bytes_;
  std::uint64_t bytes_ = 0;
  std::int64_t depth_ = 0;        ///< brackets that are open
  std::size_t seen_of_list_ = 0;  ///< bytes of the beginning of a list of outputs
  bool is_quoted_ = false, is_escaped_ = false;
  bool is_closed_ = false, has_more_ = false;  ///< the object; it is not alone
  std::string text_;  ///< the JSON in front of binary tensors; the beginning of another body without outputs
};

}  // namespace neph::wire
