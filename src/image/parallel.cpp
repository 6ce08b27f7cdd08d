#include "image/parallel.hpp"

#include <atomic>

#include "os/thread.hpp"

namespace neph::image {

Status for_each_piece(std::int64_t count, std::int64_t threads,
                      const std::function<std::function<void(std::int64_t)>()>& make_worker,
                      const PictureProgress& progress, const std::stop_token& stop) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::int64_t done = 0;
  const auto work_off = [&](std::int64_t) {
    const auto worker = make_worker();
    for (std::int64_t i; !stop.stop_requested() && (i = next.fetch_add(1)) < count;) {
      worker(i);
      const std::lock_guard lock(mutex);
      ++done;
      if (progress) progress(done, count);
    }
  };
  if (threads == 0) return guarded([&] { work_off(0); });
  return on_threads(loader_role, std::min(threads, count), work_off);
}

}  // namespace neph::image
