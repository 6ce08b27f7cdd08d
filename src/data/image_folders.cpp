// Folders of images, one per class.
#include "data/album.hpp"
#include "image/image.hpp"

namespace neph::data {
namespace {

constexpr int deepest = 8;  ///< folders; a link to a folder above would go on for ever

/// Every file below the folder with an image's ending.
Result<Album> list(const std::filesystem::path& folder, Set& set) {
  namespace fs = std::filesystem;
  Album album;
  album.folder = folder;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, error), end;
  for (; !error && at != end; at.increment(error)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    if (!is_image_name(at->path().native()) || at->is_directory(error)) continue;
    album.images.push_back({.name = at->path().lexically_relative(folder).string()});
    set.bytes += static_cast<std::int64_t>(at->file_size(error));
    if (error) return fail_in(at->path().string(), system_error("cannot be read", error.value()));
  }
  if (error) return tl::unexpected(system_error(folder.string(), error.value()));
  return album;
}

/// That each file begins as an image does, and ends as one: what is not decoded now is not a surprise later.
Status check_files(const std::filesystem::path& folder) {
  NEPH_TRY(const auto pictures, image::scan(folder, {.min_file_bytes = 1, .min_side = 1}));
  for (const auto& rejected : pictures.rejected)
    if (is_image_name(rejected.path))
      return fail(ErrorCode::corrupt, "{}: {}", rejected.path, rejected.reason);
  return {};
}

}  // namespace

Result<Set> open_image_folders(const Request& request) {
  Set set;
  set.name = request.name;
  NEPH_TRY(auto album, list(request.path, set));
  if (request.depth == Depth::whole && request.options.keep == Keep::files)
    NEPH_CHECK(check_files(request.path));
  return album_set(std::move(set), std::move(album), request);
}

}  // namespace neph::data
