// Independent pieces of work on a few threads. Only for files of this module.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>

#include "image/picture_set.hpp"

namespace neph::image {

/// Calls work(i) once for each i below `count`, on `threads` threads named as loaders (0: on the calling
/// one), in rising order of start. `make_worker` is called once on each thread. Returns early when `stop` is
/// requested; pieces that were begun are finished. Errors: a thread cannot be started, memory cannot be had;
/// the others do what is left before that is returned.
Status for_each_piece(std::int64_t count, std::int64_t threads,
                      const std::function<std::function<void(std::int64_t)>()>& make_worker,
                      const PictureProgress& progress, const std::stop_token& stop);

}  // namespace neph::image
