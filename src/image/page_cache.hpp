// The kernel's page cache, file by file: what makes "cache cold" and "cache warm" true.
#pragma once

#include <filesystem>

#include "core/result.hpp"

namespace neph::image {

/// Asks the kernel to forget the file's pages (posix_fadvise DONTNEED), after what is not yet written has
/// been written (fdatasync), since dirty pages cannot be dropped. Pages that another process has mapped or
/// locked stay; on tmpfs all do. cached_fraction() tells. Errors: those of opening the file.
Status drop_from_cache(const std::filesystem::path& path);

/// Reads the file to its end. Errors: those of reading it.
Status load_into_cache(const std::filesystem::path& path);

/// Share of the file's pages that are in memory, 0 to 1 (mincore); 1 for an empty file. Errors: those of
/// opening and mapping it.
Result<double> cached_fraction(const std::filesystem::path& path);

}  // namespace neph::image
