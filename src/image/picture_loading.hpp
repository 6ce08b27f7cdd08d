// One picture of a set into one tensor: what both batch sources do. Only for files of this module.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "image/batch_source.hpp"

namespace neph::image {

struct LoadedPicture {
  StageTimes times;
  std::int64_t bytes_read = 0;
  std::string fault;  ///< why it failed, naming the file; empty when it did not
};

/// Threads: one at a time.
class PictureLoading {
 public:
  PictureLoading(const Transform& transform, const Clock& clock, std::int64_t max_pixels)
      : clock_(clock), decoder_(transform, clock, max_pixels) {}

  /// Fills the tensor, with zeros when the picture fails.
  LoadedPicture load(const Picture& picture, std::span<float> tensor);

 private:
  const Clock& clock_;
  Decoder decoder_;
  std::vector<std::byte> file_;
};

/// What both sources refuse.
Status check_request(const PictureSet& set, const Transform& transform, std::int64_t count,
                     std::int64_t batch, std::int64_t threads);

}  // namespace neph::image
