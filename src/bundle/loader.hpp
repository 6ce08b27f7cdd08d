// A dynamic loader (ld.so) of this machine or of the bundle: how new it is, and putting it into memory.
//
// What it does not do: run it (launcher.cpp), or find what the program needs, which is the loader's own work.
#pragma once

#include <cstdint>

#include "bundle/kernel.hpp"

namespace neph::bundle {

/// N of the glibc 2.N that the loader in this file belongs to; 0: there is no such file, or it is none, or
/// older than 2.33, which does not tell. Cost: reads the file once, 0.2 MB.
int glibc_minor_of(const char* path);

/// Where a loader was put.
struct Loader {
  std::uint64_t entry = 0;    ///< where it starts
  std::uint64_t headers = 0;  ///< its program headers
  std::uint64_t count = 0;    ///< of these
};
/// As the kernel does for a program, in pages of so many bytes. Gives up where the file is no loader for this
/// processor.
Loader load(const char* path, std::uint64_t page_bytes = 4096);

}  // namespace neph::bundle
