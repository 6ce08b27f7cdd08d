// Whether something fits into memory, asked before it is made, and what becomes of memory that is freed.
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

/// Has malloc keep what is freed, for a process that carries large tensors. By itself glibc maps blocks of
/// 128 KiB and more (after a while: 32 MiB) one by one and gives them back when they are freed, so that each
/// request of a picture has the kernel map, clear and unmap its pages: more than half of the processor time
/// of a gRPC server at 602 KB a request (350 µs, and 134 µs with this). Cost: memory once used stays with the
/// process, and its heap grows in steps of 64 MiB of address space (touched only when used). Blocks above
/// 32 MiB are still given back.
///
/// Threads share one arena a processor instead of eight: each keeps the most that its threads ever held at
/// once, so that the whole comes to the sum of those peaks, and it takes hours until the last has had its
/// own. Call it once, before other threads start.
void keep_heap();

/// Gives the kernel back what is free. For when something large has gone: what it leaves behind in pieces
/// fits the next of its kind only by chance, and a heap that is kept would grow by each piece that does not.
/// Cost: some milliseconds in which allocating threads wait, and the faults of the pages that are used again.
void give_back_free_memory();

}  // namespace neph
