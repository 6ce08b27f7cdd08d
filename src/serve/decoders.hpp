// Threads that turn the pictures of requests into tensors. Only for files of this module.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "image/image.hpp"
#include "serve/job.hpp"
#include "serve/signature.hpp"

namespace neph::serve {

/// Threads "loader-0", ...: pictures of one request are shared among them. Destruction waits for those in
/// work; nothing may be waiting then.
class Decoders {
 public:
  /// `ready` is called, on one of the threads, when a job's pictures are tensors, or one of them is broken,
  /// or nobody waits for them any more.
  Decoders(const Signature& signature, const Clock& clock, std::function<void(Job&)> ready);
  ~Decoders();
  /// Starts the threads; before the first job. Errors: unavailable.
  Status begin(std::int64_t threads);

  void add(Job& job);

 private:
  struct Task {
    Job* job;
    std::size_t picture;
  };

  void work();
  bool is_late(const Job& job) const;
  Status decode(image::Decoder& decoder, const Task& task) const;

  const Signature& signature_;
  const Clock& clock_;
  const std::function<void(Job&)> ready_;
  std::mutex mutex_;
  std::condition_variable awake_;
  Job *first_ = nullptr, *last_ = nullptr;  ///< with pictures that no thread has begun; under mutex_
  std::size_t begun_ = 0;                   ///< pictures of the first; under mutex_
  bool ending_ = false;                     ///< under mutex_
  std::vector<std::jthread> threads_;
};

/// `pixels` is one picture, [height, width, channels] of levels 0..255; `tensor` gets (level / 255 - mean) /
/// deviation in the order of image::Transform.
void normalise_pixels(std::span<const std::byte> pixels, const image::Transform& transform,
                      std::span<float> tensor);

}  // namespace neph::serve
