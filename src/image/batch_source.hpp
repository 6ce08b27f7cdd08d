// Batches in the order of the pictures, from files or from memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "image/decoder.hpp"
#include "image/picture_set.hpp"

namespace neph::image {

/// A picture that could not be used during the run. Its tensor is all zeros.
struct FailedPicture {
  std::int64_t index = 0;  ///< position in the run
  std::string reason;      ///< names the file
};

struct Batch {
  std::int64_t index = 0;   ///< 0, 1, 2, ... without gaps
  std::int64_t first = 0;   ///< position in the run of its first picture
  std::int64_t size = 0;    ///< pictures; only the last batch of a run may have fewer than the others
  std::span<float> tensor;  ///< of batch pictures, each in the transform's order; what lies behind `size`
                            ///< pictures is zero or another picture
  std::vector<std::span<const std::byte>> files;  ///< the pictures as they lie on disk, instead of a tensor
  StageTimes times;  ///< summed over its pictures, from whatever threads loaded them
  std::int64_t bytes_read = 0;
  std::vector<FailedPicture> failed;  ///< in ascending order
  std::size_t slot = 0;               ///< for release()
};

/// Threads: any; next() gives each batch once, in order. Destruction stops it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Waits for the next batch. Empty after the last one, or after stop(). Give batches back before asking
  /// when all slots are out: it would wait for ever.
  virtual std::optional<Batch> next() = 0;
  /// The next batch if it is loaded, without waiting; empty too where next() would be. Without loader threads
  /// it loads here, as next() does.
  virtual std::optional<Batch> try_next() = 0;
  /// `ready` is called, on any thread and under the source's lock, whenever try_next() may give more than it
  /// last did; it must be short and not call the source. Empty: nobody wants to know. For those who wait for
  /// batches and for something else at once.
  virtual void on_ready(std::function<void()> ready) = 0;
  /// The batch's tensor is no longer in use. Batches may be given back in any order.
  virtual void release(const Batch& batch) = 0;
  /// Wakes every waiting thread; no batch comes after it. Pictures being decoded are finished first (about 1
  /// ms).
  virtual void stop() = 0;
  /// From the first picture again, as a new source but with its threads, buffers and tensors kept: what a
  /// measurement after a warm-up wants. Every batch must have been released; what was loaded ahead is thrown
  /// away. `meanwhile` is called when nothing is being loaded any more and nothing is loaded again yet. Not
  /// after stop().
  virtual void restart(const std::function<void()>& meanwhile = {}) = 0;
  /// Distinct pictures that it goes through.
  virtual std::int64_t distinct_pictures() const = 0;
};

struct LoaderOptions {
  std::int64_t count = 0;    ///< pictures of the run: picture i is usable[i % usable.size()]; 0: each once
  std::int64_t batch = 1;    ///< pictures per batch
  std::int64_t threads = 2;  ///< 0: pictures are loaded by next(), on the thread that calls it
  std::int64_t max_pixels = default_max_pixels;
};

/// From files. `slots` are batches of memory, each of batch x transform.values() floats: as many batches are
/// in flight (being filled, waiting, or with the caller) as there are slots, and when all are taken the
/// loaders wait. All threads work on the oldest unfinished batch first, picture by picture. A file that
/// cannot be read or decoded is a failed picture. `clock` and the memory outlive the source. Errors:
/// invalid_argument (no usable picture, batch below 1, count or threads below 0, no slot, a slot of the wrong
/// size, transform not valid).
Result<std::unique_ptr<BatchSource>> load_batches(const PictureSet& set, const Transform& transform,
                                                  const LoaderOptions& options,
                                                  std::vector<std::span<float>> slots, const Clock& clock);

/// From files, which are read and not decoded: batches have `files` and no tensor. `slots` batches may be out
/// at once. A file is read by next(), on the thread that calls it; one that cannot be read is a failed
/// picture and empty. `clock` outlives the source. Errors: as above.
Result<std::unique_ptr<BatchSource>> file_batches(const PictureSet& set, std::int64_t count,
                                                  std::int64_t batch, std::int64_t slots, const Clock& clock);

struct ReadyOptions {
  std::int64_t count = 0;    ///< as above
  std::int64_t batch = 1;    ///< as above
  std::int64_t threads = 2;  ///< that decode before the first batch
  std::int64_t memory_bytes = std::int64_t{1}
                              << 30;  ///< for tensors; at least four batches are taken in any case
  std::int64_t max_pixels = default_max_pixels;
};

/// From memory: all distinct pictures are decoded before this returns (as many of them as fit; the run then
/// repeats those), and batches point into that memory without a copy, aligned to 64 bytes when a tensor's
/// size is a multiple of that. Their times and bytes are 0: the loading is in `loading`, if given. Batches
/// must not be written to. Errors as above, and unavailable (stopped, memory cannot be had).
Result<std::unique_ptr<BatchSource>> ready_batches(const PictureSet& set, const Transform& transform,
                                                   const ReadyOptions& options, const Clock& clock,
                                                   StageTimes* loading = nullptr,
                                                   const PictureProgress& progress = {},
                                                   std::stop_token stop = {});

}  // namespace neph::image
