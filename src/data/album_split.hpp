// Image files as a half of a data set: decoded at once, or when they are asked for. Only for files of this
// module.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/album.hpp"
#include "image/image.hpp"

namespace neph::data {

/// Where the stored bytes are: in files of a folder, or in memory.
struct Place {
  std::filesystem::path folder;
  std::vector<std::uint8_t> bytes;
};

/// The centre square brought to the network's side, values from 0 to 1. Errors: invalid_argument (no shape),
/// unsupported (not square, channels other than 1 or 3).
Result<image::Transform> album_transform(const Options& options);
/// Errors: unavailable.
Status enough_for_album(std::size_t images, const image::Transform& transform, bool decoded,
                        const std::string& name);
/// With `decoded` it decodes all of them now, on all cores of the process. Errors: corrupt, by the image's
/// name.
Result<std::unique_ptr<Split>> album_split(std::vector<Stored> images, std::shared_ptr<const Place> place,
                                           const image::Transform& transform, bool decoded);

}  // namespace neph::data
