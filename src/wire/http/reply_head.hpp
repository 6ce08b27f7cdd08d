// The head of an HTTP/1 reply, read as far as a client of inference needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.hpp"

namespace neph::wire {

/// What a body ends with.
enum class BodyEnd { length, last_chunk, end_of_connection };

struct HttpReplyHead {
  int status = 0;
  BodyEnd body_end = BodyEnd::length;
  std::uint64_t content_length = 0;         ///< of a body that ends with its length; 0: there is none
  std::optional<std::uint64_t> json_bytes;  ///< Inference-Header-Content-Length
  bool keep_alive = true;
  std::string_view timing;  ///< Server-Timing, a view of the head
};

/// `head` ends with its empty line. Errors: corrupt (no reply of HTTP/1.1 or 1.0), unsupported (another
/// Transfer-Encoding than chunked).
Result<HttpReplyHead> parse_reply_head(std::string_view head);

/// The error (corrupt) of what is none, in its head or behind it.
tl::unexpected<Error> no_reply(std::string_view why);

/// Of a reply whose status is not 200: the words of its {"error": ...}, or else the beginning of its body.
Error error_of_reply(int status, std::string_view body);

}  // namespace neph::wire
