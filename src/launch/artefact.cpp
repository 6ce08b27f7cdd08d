#include "launch/answer.hpp"
#include "launch/launch.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;

/// A host that files are copied to can be asked by the same words; so no option is GNU's alone.
constexpr const char* hash_of_path = R"(
  if [ -d "$1" ]; then
    cd "$1" && find -L . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum | sha256sum
  else
    sha256sum <"$1"
  fi)";
constexpr std::size_t sha256_digits = 64;
constexpr double longest_s = 3600;

/// Of all regular files below, as find(1) finds them: links that lead nowhere are none.
Result<std::int64_t> bytes_below(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error, none;
  constexpr auto options = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file(none)) continue;
    bytes += static_cast<std::int64_t>(entry->file_size(error));
    if (error) break;
  }
  if (error) return tl::unexpected(system_error(folder.string(), error.value()));
  return bytes;
}

Result<std::int64_t> bytes_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return bytes_below(path);
  const auto bytes = fs::file_size(path, error);
  if (error) return tl::unexpected(system_error(path.string(), error.value()));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

Result<Artefact> artefact(const fs::path& path) {
  Artefact seen;
  NEPH_TRY(seen.bytes, bytes_of(path));
  std::error_code error;
  const auto whole = fs::absolute(path, error);  // no name of a file is an option then
  if (error) return tl::unexpected(system_error(path.string(), error.value()));
  auto line = answer_of({"sh", "-c", hash_of_path, "sh", whole.string()}, longest_s, Complaints::believed);
  if (!line) return fail_in(path.string(), std::move(line).error());
  seen.sha256 = line->substr(0, sha256_digits);
  if (seen.sha256.find_first_not_of("0123456789abcdef") != std::string::npos ||
      seen.sha256.size() != sha256_digits)
    return fail(ErrorCode::unavailable, "{}: sha256sum gave no hash but '{}'", path.string(), *line);
  return seen;
}

}  // namespace neph::launch
