#include "image/picture_loading.hpp"

#include <algorithm>

#include "image/file_bytes.hpp"
#include "os/thread.hpp"

namespace neph::image {

LoadedPicture PictureLoading::load(const Picture& picture, std::span<float> tensor) {
  LoadedPicture loaded;
  const Moment start = clock_.now();
  const auto bytes = guarded([&] { return read_into(picture.path, file_); });
  loaded.times.read = clock_.now() - start;
  if (!bytes) {
    loaded.fault = bytes.error().message;
  } else {
    loaded.bytes_read = static_cast<std::int64_t>(bytes->size());
    if (const auto times = guarded([&] { return decoder_.decode(*bytes, tensor); }))
      loaded.times += *times;
    else
      loaded.fault = fmt::format("{}: {}", picture.path, times.error().message);
  }
  if (!loaded.fault.empty()) std::fill(tensor.begin(), tensor.end(), 0.0F);
  return loaded;
}

Status check_request(const PictureSet& set, const Transform& transform, std::int64_t count,
                     std::int64_t batch, std::int64_t threads) {
  NEPH_CHECK(validate(transform));
  if (set.usable.empty())
    return fail(ErrorCode::invalid_argument,
                "{} has no usable image ({} files rejected): see `neph images check`", set.folder,
                set.rejected.size());
  if (count < 0) return fail(ErrorCode::invalid_argument, "count {}: 0 (each image once) or more", count);
  if (batch < 1) return fail(ErrorCode::invalid_argument, "batch {}: 1 or more", batch);
  if (threads < 0) return fail(ErrorCode::invalid_argument, "loader threads {}: 0 or more", threads);
  return {};
}

}  // namespace neph::image
