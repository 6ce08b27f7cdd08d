// Compressed bodies: Content-Encoding gzip and deflate (RFC 9110, 8.4.1; deflate is the zlib format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "wire/http/body_memory.hpp"

namespace neph::wire {

enum class Coding { identity, gzip, deflate };

/// Of a Content-Encoding header. Errors: unsupported, naming those that are known.
Result<Coding> parse_coding(std::string_view header);
/// The one to answer with, of an Accept-Encoding header: the first known one that is not refused by q=0.
Coding accepted_coding(std::string_view header);

/// `limit` is of what has been unpacked and what is still packed, together: pages of `packed` are given back
/// as they are unpacked, and what they held is lost. Errors: invalid_argument (not of that format, cut short,
/// larger than `limit`), unavailable (memory).
Status unpack(std::span<std::byte> packed, std::uint64_t limit, BodyMemory& out);

/// Replaces `out` by `parts`, one after the other, packed at the fastest level: tensors hardly shrink.
void pack(std::span<const std::span<const std::byte>> parts, Coding coding, std::string& out);

}  // namespace neph::wire
