// Pictures with natural statistics, for machines without any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/result.hpp"
#include "image/picture_set.hpp"

namespace neph::image {

struct SynthOptions {
  std::int64_t count = 500;
  std::uint64_t seed = 1;
  std::int64_t threads = 2;
};

template <class Visit, Describes<SynthOptions> Self>
void describe(Visit&& v, Self& s) {
  v("count", s.count, "images to make", between(1, 10'000'000));
  v("seed", s.seed, "seed of the images: the same seed gives the same bytes");
  v("threads", s.threads, "threads that draw and encode", at_least(0));
}

struct SynthResult {
  std::int64_t pictures = 0;
  std::int64_t bytes = 0;
};

/// Writes synth-000000.jpg, ... to `folder`, which is made if need be; files of those names are replaced,
/// each whole or not at all. The bytes depend on the seed and the picture's number alone (and on libjpeg's
/// version), not on the number of pictures or threads. Dead leaves (Lee, Mumford, Huang: Occlusion models for
/// natural images, IJCV 41, 2001): discs with radii of density r^-3 cover each other in random order, which
/// gives the edges, the scale invariance and the power spectrum near f^-2 of photographs. Each disc has a
/// colour, a shading and a fine texture of its own. Sizes and JPEG settings are drawn as they are found in
/// ImageNet: mostly 500 x 375, about 110 KB on average. Errors: invalid_argument, io, unavailable (stopped).
Result<SynthResult> synth(const std::filesystem::path& folder, const SynthOptions& options,
                          const PictureProgress& progress = {}, std::stop_token stop = {});

}  // namespace neph::image
