// A package of AOTInductor (.pt2), as far as it is known without running it.
//
// What it does not do: open its library, or need libtorch.
//
// A package says in its metadata what device and processor it was compiled for. Its inputs are in what `neph`
// adds there when it exports a network (framework/export.hpp), else in the checks that torch writes into the
// source of the package's own wrapper.
// Threads: one. Ownership: the unpacked files are there as long as the Package.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "os/temporary_folder.hpp"

namespace neph::engine::torch_plugin {

struct Description {
  std::vector<Port> inputs;
  std::vector<Port> outputs;  ///< open in their rank and of f32, where the package does not say more
  std::string device;         ///< "cpu", "cuda"
  std::string instructions;   ///< of the processor that its code needs: "AVX2", "AVX512 AMX_TILE"
  std::string precision;      ///< "f32"; empty: it does not say
  std::string torch;          ///< version that compiled it; empty: it does not say
};

/// Of metadata (JSON) and the source of the wrapper. Errors: corrupt (no such JSON), unsupported (the inputs
/// are in neither; element types that a Port has not).
Result<Description> describe_package(std::string_view metadata, std::string_view wrapper);

struct Package {
  TemporaryFolder folder;  ///< the unpacked files
  std::filesystem::path library;
  Description description;
};

/// Unpacks it. Of several models that it has, the one called "model". Errors: those of Archive and of
/// describe_package(); unsupported (no compiled model in it, weights or operators that are kept apart),
/// corrupt (names of files that lead elsewhere).
Result<Package> open_package(const std::filesystem::path& path);

/// What of those instructions the processor's `flags` (of /proc/cpuinfo) lack; empty: nothing.
std::string lacking_instructions(std::string_view instructions, std::string_view flags);

}  // namespace neph::engine::torch_plugin
