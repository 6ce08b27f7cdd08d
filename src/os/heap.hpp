// Memory that a server asks for again and again.
#pragma once

#include <algorithm>

#include <malloc.h>

#include "os/cores.hpp"

namespace neph {

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
inline void keep_heap() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's largest
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, std::max(2, static_cast<int>(usable_cores())));
}

/// Gives the kernel back what is free. For when something large has gone: what it leaves behind in pieces
/// fits the next of its kind only by chance, and a heap that is kept would grow by each piece that does not.
/// Cost: some milliseconds in which allocating threads wait, and the faults of the pages that are used again.
inline void give_back_free_memory() { ::malloc_trim(0); }

}  // namespace neph
