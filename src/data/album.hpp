// Image files with classes, in a folder or in an archive: which belongs to which half and class, and the
// halves that decode them. Only for files of this module.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/forms.hpp"

namespace neph::data {

/// An image as it is stored: a file, or a stretch of the album's bytes.
struct Stored {
  std::string name;  ///< below the folder or in the archive: "train/cat/1.jpg"
  std::size_t begin = 0, size = 0;
  std::int32_t label = 0;
};

struct Album {
  std::vector<Stored> images;
  std::filesystem::path folder;     ///< where the names lie; empty: in `bytes`
  std::vector<std::uint8_t> bytes;  ///< of an archive's images
};

bool is_image_name(std::string_view name);

/// Sorts the images into halves and classes by their names (HALF/CLASS/..., or CLASS/...), decodes them where
/// the options keep them in memory, and joins the halves to a set. Errors: corrupt (an image, by name; a
/// class that only the test half has), invalid_argument (no class folders, a shape), unavailable (memory).
Result<Set> album_set(Set set, Album album, const Request& request);

}  // namespace neph::data
