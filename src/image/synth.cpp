#include "image/synth.hpp"

#include <array>
#include <mutex>
#include <system_error>

#include "image/dead_leaves.hpp"
#include "image/jpeg_writer.hpp"
#include "image/parallel.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

struct SizeShare {
  int width;
  int height;
  float share;
};

/// As in ImageNet's validation set, rounded: most have a longer side of 500.
constexpr std::array sizes{
    SizeShare{500, 375, 0.37F},  SizeShare{500, 333, 0.22F},   SizeShare{375, 500, 0.14F},
    SizeShare{333, 500, 0.09F},  SizeShare{400, 300, 0.05F},   SizeShare{500, 500, 0.04F},
    SizeShare{640, 480, 0.04F},  SizeShare{300, 225, 0.02F},   SizeShare{800, 600, 0.01F},
    SizeShare{1024, 768, 0.01F}, SizeShare{1600, 1200, 0.01F},
};

SizeShare draw_size(Dice& dice) {
  float left = dice.unit();
  for (const auto& size : sizes)
    if ((left -= size.share) < 0) return size;
  return sizes.front();
}

/// Picture `index` of a seed, whatever was drawn before it.
Result<std::string> draw_picture(std::uint64_t seed, std::int64_t index) {
  Dice dice(Dice(seed).next() ^ Dice(~static_cast<std::uint64_t>(index)).next());
  const SizeShare size = draw_size(dice);
  const Leaves leaves{.width = size.width,
                      .height = size.height,
                      .texture = dice.between(2, 14),
                      .grain = dice.between(0.3F, 3)};
  const auto rgb = draw_leaves(leaves, dice);
  const JpegSettings settings{.quality = static_cast<int>(dice.between(80, 96)),
                              .full_colour = dice.unit() < 0.77F,
                              .grey = dice.unit() < 0.02F};
  return write_jpeg(rgb, size.width, size.height, settings);
}

Status check_options(const SynthOptions& options) {
  if (options.count < 1) return fail(ErrorCode::invalid_argument, "count {}: 1 or more", options.count);
  if (options.threads < 0) return fail(ErrorCode::invalid_argument, "threads {}: 0 or more", options.threads);
  return {};
}

}  // namespace

Result<SynthResult> synth(const std::filesystem::path& folder, const SynthOptions& options,
                          const PictureProgress& progress, std::stop_token stop) {
  NEPH_CHECK(check_options(options));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot make {}", folder.string()), error.value()));

  SynthResult result;
  Status status;
  std::mutex mutex;
  std::stop_source halt;  // the first file that cannot be written ends the work, as the caller's stop does
  const std::stop_callback pass_on(stop, [&] { halt.request_stop(); });
  const auto one = [&](std::int64_t i) {
    const auto jpeg = draw_picture(options.seed, i);
    const Status written =
        jpeg ? write_file(folder / fmt::format("synth-{:06}.jpg", i), *jpeg) : tl::unexpected(jpeg.error());
    const std::lock_guard lock(mutex);
    if (!written) {
      if (status) status = written;
      halt.request_stop();
      return;
    }
    ++result.pictures;
    result.bytes += static_cast<std::int64_t>(jpeg->size());
  };
  NEPH_CHECK(for_each_piece(
      options.count, options.threads, [&] { return one; }, progress, halt.get_token()));
  NEPH_CHECK(status);
  if (stop.stop_requested())
    return fail(ErrorCode::unavailable, "stopped after {} of {} images", result.pictures, options.count);
  return result;
}

}  // namespace neph::image
