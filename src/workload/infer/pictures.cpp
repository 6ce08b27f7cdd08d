#include "workload/infer/pictures.hpp"

#include "core/fnv1a.hpp"
#include "core/units.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"

namespace neph::workload {
namespace {

Result<image::PictureSet> scan_usable(const std::string& folder, std::int64_t min_file_bytes) {
  if (folder.empty())
    return fail(ErrorCode::invalid_argument,
                "no images given: --images FOLDER (neph images synth makes some)");
  NEPH_TRY(auto set, image::scan(folder, {.min_file_bytes = min_file_bytes}));
  if (!set.usable.empty()) return set;
  if (set.rejected.empty()) return fail(ErrorCode::invalid_argument, "{} has no usable image", folder);
  const auto& [path, reason] = set.rejected.front();
  return fail(ErrorCode::invalid_argument,
              "{} has no usable image among {}; {}: {} (--min-file-bytes takes smaller files; neph images "
              "check {} tells of all)",
              folder, counted(std::ssize(set.rejected), "file"), path, reason, folder);
}

/// What decides the content of a prepared set: the files by path, size and last change, and the transform's
/// sides.
std::uint64_t content_key(const image::PictureSet& set, const image::Transform& transform) {
  auto hash = fnv1a(fmt::format("{}:{};", transform.resize_side, transform.crop_side));
  for (const auto& picture : set.usable) {
    std::error_code ignored;  // a path that is relative, or a file that has vanished: then without
    const auto path = std::filesystem::absolute(picture.path, ignored).string();
    const auto changed = std::filesystem::last_write_time(picture.path, ignored).time_since_epoch().count();
    hash = fnv1a(fmt::format("{}:{}:{};", path, picture.bytes, changed), hash);
  }
  return hash;
}

/// The prepared set's folder, filled if it was not.
Result<std::filesystem::path> prepared_folder(const image::PictureSet& set, const image::Transform& transform,
                                              EventSink& events) {
  const auto folder = cache_folder() / "prepared" / fmt::format("{:016x}", content_key(set, transform));
  NEPH_TRY(const auto manifest, image::read_prepared(folder));
  if (manifest) return folder;
  NEPH_CHECK(make_cache_folder(folder.parent_path()));
  const auto threads = usable_cores();
  NEPH_CHECK(image::prepare(set, transform, folder, {.threads = threads},
                            [&](std::int64_t done, std::int64_t total) {
                              events.emit(Progress{"prepare images", done, total});
                            }));
  return folder;
}

}  // namespace

Result<Pictures> pictures_for(const InferSpec& spec, const image::Transform& transform, EventSink& events) {
  std::filesystem::path folder = spec.images;
  if (spec.prepared == Prepared::on && transform.crop_width > 0)
    return fail(ErrorCode::unsupported, "--prepared on makes square images, and the model takes {} x {}",
                transform.crop_width, transform.crop_side);
  const auto given = image::read_prepared(folder);
  const bool is_prepared = given && *given && (*given)->crop_side == transform.crop_side;
  if (spec.prepared == Prepared::off || !is_prepared) {
    NEPH_TRY(auto set, scan_usable(spec.images, spec.min_file_bytes));
    if (spec.prepared == Prepared::off) return Pictures{folder, std::move(set), transform};
    NEPH_TRY(folder, prepared_folder(set, transform, events));
  }
  NEPH_TRY(const auto manifest, image::read_prepared(folder));
  if (!manifest) return fail(ErrorCode::corrupt, "{} is not a prepared set; remove it", folder.string());
  NEPH_TRY(auto prepared_transform, image::transform_for_prepared(*manifest, transform));
  NEPH_TRY(auto prepared_set, scan_usable(folder.string(), 0));
  return Pictures{folder, std::move(prepared_set), std::move(prepared_transform)};
}

Status set_cache(const image::PictureSet& set, Cache cache) {
  for (const auto& picture : set.usable) {
    // A file that has vanished is a failed picture of the run, which the loader reports.
    auto status =
        cache == Cache::cold ? image::drop_from_cache(picture.path) : image::load_into_cache(picture.path);
    if (!status && status.error().code != ErrorCode::not_found) return status;
  }
  return {};
}

}  // namespace neph::workload
