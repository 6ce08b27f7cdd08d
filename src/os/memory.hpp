// Whether something fits into memory, asked before it is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace neph {

/// Bytes that this process can still take: what the machine has, and what its control groups (v2 or v1) leave
/// of their limits. Page cache counts as free. Empty: not known. `root` has proc/ and sys/.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

/// Errors: unavailable, with both figures; `what` is what the memory is for.
Status enough_memory(std::uint64_t bytes, const std::string& what);

}  // namespace neph
