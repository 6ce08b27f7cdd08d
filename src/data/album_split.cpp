#include "data/album_split.hpp"

#include <atomic>
#include <cmath>
#include <mutex>

#include "core/clock.hpp"
#include "data/packed.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"

namespace neph::data {
namespace {

/// The decoder rounds to levels, so that nothing is lost here.
std::uint8_t level(float value) { return static_cast<std::uint8_t>(value * 255.0F + 0.5F); }

/// Decodes on one thread at a time.
class Reader {
 public:
  Reader(const Place& place, const image::Transform& transform)
      : place_(place), decoder_(transform, clock()) {}

  Status read(const Stored& stored, std::span<float> out) {
    if (place_.folder.empty())
      return decode(stored, std::as_bytes(std::span(place_.bytes)).subspan(stored.begin, stored.size), out);
    NEPH_TRY(const auto file, read_file(place_.folder / stored.name));
    return decode(stored, std::as_bytes(std::span(file)), out);
  }

 private:
  static const Clock& clock() {
    static const SteadyClock steady;
    return steady;
  }
  Status decode(const Stored& stored, std::span<const std::byte> file, std::span<float> out) {
    if (auto decoded = decoder_.decode(file, out); !decoded)
      return fail_in((place_.folder / stored.name).string(), std::move(decoded).error());
    return {};
  }

  const Place& place_;
  image::Decoder decoder_;
};

/// Decodes what is asked for, when it is asked for.
class StoredSplit final : public Split {
 public:
  StoredSplit(std::vector<Stored> images, std::shared_ptr<const Place> place, image::Transform transform)
      : images_(std::move(images)), place_(std::move(place)), transform_(std::move(transform)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(images_.size()); }
  std::int64_t labels_per_example() const override { return 1; }
  Status fill(std::span<const std::int64_t> rows, std::span<float> inputs,
              std::span<std::int64_t> labels) const override {
    const auto each = transform_.values();
    NEPH_CHECK(check_fill(*this, static_cast<std::int64_t>(each), rows, inputs.size(), labels.size()));
    auto reader = take();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& stored = images_[static_cast<std::size_t>(rows[i])];
      const auto out = inputs.subspan(i * each, each);
      NEPH_CHECK(reader->read(stored, out));
      for (auto& value : out)
        value = static_cast<float>(level(value)) / 255.0F;  // the same bits as in memory
      labels[i] = stored.label;
    }
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
    return {};
  }

 private:
  /// One that no other thread has: they keep buffers from image to image.
  std::unique_ptr<Reader> take() const {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Reader>(*place_, transform_);
    auto reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }

  std::vector<Stored> images_;
  std::shared_ptr<const Place> place_;
  image::Transform transform_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Reader>> idle_;
};

/// The first error is that of the lowest number among those seen, so that it seldom differs from run to run.
struct FirstError {
  std::mutex mutex;
  std::size_t at = SIZE_MAX;
  Error error{};
  void note(std::size_t number, Error seen) {
    const std::lock_guard lock(mutex);
    if (number >= at) return;
    at = number;
    error = std::move(seen);
  }
};

Result<std::vector<std::uint8_t>> decode_all(const std::vector<Stored>& images, const Place& place,
                                             const image::Transform& transform) {
  const auto each = transform.values();
  std::vector<std::uint8_t> values(images.size() * each);
  std::atomic<std::size_t> next = 0;
  FirstError first;
  const auto work = [&](std::int64_t) {
    Reader reader(place, transform);
    std::vector<float> tensor(each);
    for (auto i = next++; i < images.size(); i = next++) {
      if (auto read = reader.read(images[i], tensor); !read) {
        first.note(i, std::move(read).error());
        next = images.size();
        return;
      }
      auto* out = values.data() + i * each;
      for (std::size_t k = 0; k < each; ++k) out[k] = level(tensor[k]);
    }
  };
  const auto threads = std::min(usable_cores(), std::ssize(images) / 16 + 1);
  NEPH_CHECK(on_threads(loader_role, threads, work));
  if (first.at != SIZE_MAX) return tl::unexpected(std::move(first.error));
  return values;
}

}  // namespace

Result<image::Transform> album_transform(const Options& options) {
  const auto& shape = options.example_shape;
  if (shape.size() != 3)
    return fail(ErrorCode::invalid_argument,
                "images are scaled to [channels, height, width]; the network takes {}", shape_text(shape));
  if (shape[1] != shape[2] || (shape[0] != 1 && shape[0] != 3))
    return fail(ErrorCode::unsupported,
                "images are scaled to squares of 1 or 3 channels; the network takes {}", shape_text(shape));
  const auto channels = static_cast<std::size_t>(shape[0]);
  image::Transform transform{.resize_side = shape[1],
                             .crop_side = shape[1],
                             .channels = shape[0],
                             .mean = std::vector<double>(channels, 0.0),
                             .deviation = std::vector<double>(channels, 1.0)};
  NEPH_CHECK(image::validate(transform));
  return transform;
}

Status enough_for_album(std::size_t images, const image::Transform& transform, bool decoded,
                        const std::string& name) {
  if (!decoded) return {};
  auto enough = enough_memory(images * transform.values(), name);
  if (!enough) enough.error().add_hint("they can be left in their files (files instead of memory)");
  return enough;
}

Result<std::unique_ptr<Split>> album_split(std::vector<Stored> images, std::shared_ptr<const Place> place,
                                           const image::Transform& transform, bool decoded) {
  if (!decoded) return std::make_unique<StoredSplit>(std::move(images), std::move(place), transform);
  NEPH_TRY(auto values, decode_all(images, *place, transform));
  Half half;
  half.count = static_cast<std::int64_t>(images.size());
  half.shape = {transform.channels, transform.crop_side, transform.crop_side};
  half.values = std::move(values);
  for (const auto& image : images) half.labels.push_back(image.label);
  return packed_split(std::move(half));
}

}  // namespace neph::data
