// CIFAR-10's archives, and others of images in class folders: tar, compressed with gzip or not.
#include "data/album.hpp"
#include "data/cifar.hpp"
#include "data/tar.hpp"
#include "os/memory.hpp"

namespace neph::data {
namespace {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}  // npos + 1 is 0

struct Found {
  CifarBatches batches;
  bool has_batches = false;
  Album album;
};

Status take_image(TarReader& tar, const TarEntry& entry, const std::string& name, Album& album) {
  const auto begin = album.bytes.size();
  const auto there = std::min(entry.size, tar.at_most());
  if (album.bytes.capacity() < begin + there) {
    NEPH_CHECK(enough_memory(2 * (begin + there), name));
    album.bytes.reserve(2 * (begin + there));
  }
  album.bytes.resize(begin + there);
  NEPH_CHECK(read_whole(tar, std::span(album.bytes).subspan(begin), name, 0, entry.size));
  album.images.push_back({.name = entry.name, .begin = begin, .size = there});
  return {};
}

/// Whether the entry says what the archive is.
Result<bool> take(TarReader& tar, const TarEntry& entry, const Request& request, Found& found) {
  const auto name = fmt::format("{} in {}", entry.name, request.path.string());
  const auto file = file_name(entry.name);
  if (file == "data_batch_1" || file == "test_batch")
    return tl::unexpected(Error{ErrorCode::unsupported,
                                fmt::format("{} is CIFAR-10's Python version", request.path.string()),
                                "the binary version is read: "
                                "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"});
  const int number = CifarBatches::number_of(file);
  const bool is_image = number < 0 && is_image_name(file);
  if (request.depth == Depth::headers || (number < 0 && !is_image)) {
    found.has_batches |= number >= 0;
    return number >= 0 || is_image;
  }
  found.has_batches |= number >= 0;
  if (number >= 0) NEPH_CHECK(found.batches.add(number, tar, name));
  if (is_image) NEPH_CHECK(take_image(tar, entry, name, found.album));
  return true;
}

}  // namespace

Result<Set> open_archive(const Request& request) {
  NEPH_TRY(auto source, open_bytes(request.path));
  TarReader tar(*source, request.path.string());
  Set set;
  set.name = request.name;
  set.bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.path));
  Found found;
  bool is_told = false;
  for (;;) {
    NEPH_TRY(const auto entry, tar.next());
    if (!entry) break;
    if (!entry->is_file) continue;
    NEPH_TRY(const bool told, take(tar, *entry, request, found));
    is_told |= told;
    if (told && request.depth == Depth::headers) return set;
  }
  if (!is_told)
    return fail(ErrorCode::invalid_argument, "{} has neither CIFAR-10's batches nor images",
                request.path.string());
  if (found.has_batches) return found.batches.set(std::move(set), request);
  return album_set(std::move(set), std::move(found.album), request);
}

}  // namespace neph::data
