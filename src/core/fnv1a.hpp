// FNV-1a, 64 bit (Fowler, Noll, Vo; IETF draft-eastlake-fnv, section 2): tells contents apart that nobody
// made alike on purpose. Not for secrets.
#pragma once

#include <cstdint>
#include <string_view>

namespace neph {

/// Of `bytes`, or of what `hash` is of with `bytes` behind it.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

// Published values (the authors' test vectors).
static_assert(fnv1a("") == 0xcbf29ce484222325);
static_assert(fnv1a("a") == 0xaf63dc4c8601ec8c);
static_assert(fnv1a("bar", fnv1a("foo")) == 0x85944171f73967e8);

}  // namespace neph
