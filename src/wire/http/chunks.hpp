// A body in chunks (RFC 9112, 7.1), read as it comes, in whatever pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

class Chunks {
 public:
  /// `most`: bytes of data in all chunks together.
  explicit Chunks(std::uint64_t most) : most_(most) {}

  /// Takes from the front of `bytes` what is of the body, and appends its data to `data`, if not null.
  /// Extensions and trailers are skipped. Errors: corrupt (no chunks; more than `most`; more than 64 KiB
  /// beside the data of one); nothing more is to be taken then.
  Status take(std::string_view& bytes, std::string* data);
  /// The body has ended; what is left of the bytes is not of it.
  bool done() const { return part_ == Part::done; }

 private:
  /// What comes next.
  enum class Part { size, extension, size_end, data, data_cr, data_end, line, trailer, line_end, end, done };

  void take_data(std::string_view& bytes, std::string* data);
  Status take_beside(char byte);
  Status take_size(char byte);
  Status take_digit(std::uint64_t digit);
  Status take_line(char byte, Part rest, Part end);
  Status take_end_of_line(char byte, Part next);

  std::uint64_t most_;
  std::uint64_t sum_ = 0;     ///< of the sizes
  std::uint64_t left_ = 0;    ///< of the chunk
  std::uint64_t beside_ = 0;  ///< bytes since the last data
  bool has_digit_ = false;
  Part part_ = Part::size;
};

}  // namespace neph::wire
