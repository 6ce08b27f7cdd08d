// What is looked at in each reply of an inference whose body is neither kept nor decoded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

/// That outputs are there, and where they come as bytes behind the JSON, that these fit their shapes. Numbers
/// in the JSON are not read. Cost: a search through the JSON to its outputs; in front of binary tensors, a
/// comparison with the JSON of the last right reply, and where it differs it is parsed.
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

  std::optional<std::uint64_t> json_bytes_;
  std::uint64_t bytes_ = 0;
  char first_ = 0, last_ = 0;
  bool has_outputs_ = false;
  std::string
      text_;  ///< the JSON in front of binary tensors; of other bodies what came before outputs were found
};

}  // namespace neph::wire
