#include "image/prepare.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>

#include "core/json.hpp"
#include "image/decoder.hpp"
#include "image/file_bytes.hpp"
#include "image/jpeg_writer.hpp"
#include "image/parallel.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

namespace fs = std::filesystem;

/// A folder that is new, empty, or prepared before. Of the latter the manifest goes first: from now on it is
/// not whole.
Status make_room(const fs::path& folder, const PictureSet& set) {
  std::error_code error;
  if (fs::equivalent(folder, set.folder, error))
    return fail(ErrorCode::invalid_argument, "cannot prepare {} into itself: give another folder",
                set.folder);
  fs::create_directories(folder, error);
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot make {}", folder.string()), error.value()));
  if (fs::remove(folder / prepared_manifest, error)) {
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".jpg") fs::remove(entry.path(), error);
  }
  if (!error && !fs::is_empty(folder, error) && !error)
    return fail(ErrorCode::invalid_argument, "{} holds other files: give a new or empty folder",
                folder.string());
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot use {}", folder.string()), error.value()));
  return {};
}

/// What became of one picture. An empty fault and no bytes: not reached before the stop.
struct Outcome {
  std::int64_t bytes = 0;
  std::string fault;
  Status written;
};

class Preparing {
 public:
  Preparing(const PictureSet& set, const fs::path& folder, const Transform& transform,
            const PrepareOptions& options, const Clock& clock)
      : set_(set),
        folder_(folder),
        options_(options),
        decoder_(transform, clock, options.max_pixels),
        rgb_(static_cast<std::size_t>(transform.crop_side * transform.crop_side * 3)) {}

  Outcome prepare(std::int64_t i) {
    const auto& path = set_.usable[static_cast<std::size_t>(i)].path;
    const auto bytes = read_into(path, file_);
    if (!bytes) return {.fault = bytes.error().message};
    if (const auto status = decoder_.decode_rgb(*bytes, rgb_); !status)
      return {.fault = status.error().message};
    const int side = static_cast<int>(decoder_.transform().crop_side);
    const auto jpeg = write_jpeg(rgb_, side, side, {.quality = static_cast<int>(options_.jpeg_quality)});
    if (!jpeg) return {.written = tl::unexpected(jpeg.error())};
    return {.bytes = static_cast<std::int64_t>(jpeg->size()),
            .written = write_file(folder_ / fmt::format("{:06}.jpg", i), *jpeg)};
  }

 private:
  const PictureSet& set_;
  const fs::path& folder_;
  const PrepareOptions& options_;
  Decoder decoder_;
  std::vector<std::byte> file_;
  std::vector<std::uint8_t> rgb_;
};

Result<PrepareResult> sum_up(const PictureSet& set, std::vector<Outcome> outcomes) {
  PrepareResult result;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto& outcome = outcomes[i];
    if (!outcome.written) return tl::unexpected(std::move(outcome.written).error());
    result.bytes += outcome.bytes;
    if (outcome.fault.empty())
      ++result.prepared.pictures;
    else
      result.rejected.push_back({set.usable[i].path, std::move(outcome.fault)});
  }
  return result;
}

}  // namespace

Result<PrepareResult> prepare(const PictureSet& set, const Transform& transform, const fs::path& folder,
                              const PrepareOptions& options, const PictureProgress& progress,
                              std::stop_token stop) {
  NEPH_CHECK(validate(transform));
  if (options.jpeg_quality < 1 || options.jpeg_quality > 100)
    return fail(ErrorCode::invalid_argument, "JPEG quality {}: 1 to 100", options.jpeg_quality);
  if (set.usable.empty()) return fail(ErrorCode::invalid_argument, "{} has no usable image", set.folder);
  NEPH_CHECK(make_room(folder, set));

  const SteadyClock clock;
  std::vector<Outcome> outcomes(set.usable.size());
  std::stop_source halt;  // the first file that cannot be written ends the work, as the caller's stop does
  const std::stop_callback pass_on(stop, [&] { halt.request_stop(); });
  const auto make_worker = [&] {
    auto worker = std::make_shared<Preparing>(set, folder, transform, options, clock);
    return [&, worker](std::int64_t i) {
      auto& outcome = outcomes[static_cast<std::size_t>(i)];
      outcome = worker->prepare(i);
      if (!outcome.written) halt.request_stop();
    };
  };
  NEPH_CHECK(for_each_piece(static_cast<std::int64_t>(set.usable.size()), options.threads, make_worker,
                            progress, halt.get_token()));
  NEPH_TRY(PrepareResult result, sum_up(set, std::move(outcomes)));
  if (stop.stop_requested())
    return fail(ErrorCode::unavailable,
                "stopped: {} is not complete and will not be taken for a prepared folder", folder.string());

  result.prepared.resize_side = transform.resize_side;
  result.prepared.crop_side = transform.crop_side;
  result.prepared.jpeg_quality = options.jpeg_quality;
  result.prepared.source = set.folder;
  NEPH_CHECK(write_file(folder / prepared_manifest, dump_json(to_json(result.prepared), true) + "\n"));
  return result;
}

Result<std::optional<Prepared>> read_prepared(const fs::path& folder) {
  const auto path = folder / prepared_manifest;
  const auto text = read_file(path);
  if (!text && text.error().code == ErrorCode::not_found) return std::optional<Prepared>{};
  if (!text) return tl::unexpected(text.error());
  NEPH_TRY(const Json json, parse_json(*text, path.string()));
  NEPH_TRY(Prepared prepared, from_json<Prepared>(json, path.string()));
  return prepared;
}

Result<Transform> transform_for_prepared(const Prepared& prepared, Transform transform) {
  if (prepared.crop_side != transform.crop_side)
    return fail(
        ErrorCode::invalid_argument,
        "the images were prepared for {0} x {0} pixels, the network wants {1} x {1}: prepare them anew",
        prepared.crop_side, transform.crop_side);
  transform.resize_side = transform.crop_side;
  return transform;
}

}  // namespace neph::image
