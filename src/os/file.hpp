// Files, whole: read at once, written so that a reader sees the old content or the new and never half of
// either.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace neph {

/// The whole file. Errors: not_found, unavailable (permission), invalid_argument (a directory, or more than 1
/// GiB of a pipe or device), io.
Result<std::string> read_file(const std::filesystem::path& path);
/// For a file that no user has named. Errors: also invalid_argument of a pipe or a device, which may never
/// end, and of more than 2 GiB.
Result<std::string> read_regular_file(const std::filesystem::path& path);

/// Where a file is written until it is whole: beside `path`. Where `path` is a device or a pipe, as
/// /dev/null, it is `path` itself, which must not be replaced by a file.
std::filesystem::path part_path(const std::filesystem::path& path);

/// Writes part_path() and renames it to `path`; on any error the part that was written is removed.
Status write_file(const std::filesystem::path& path, std::string_view content);

/// Folder for what can be made again: $XDG_CACHE_HOME/neph, or ~/.cache/neph, or /tmp/neph-<uid>. Not
/// created.
std::filesystem::path cache_folder();
/// Makes a folder in it. The error says how to have the cache elsewhere: there may be no home folder, as in a
/// container.
Status make_cache_folder(const std::filesystem::path& folder);

}  // namespace neph
