// The pictures of a run: the folder that was named, or the same pictures brought to the network's size
// before.
#pragma once

#include "image/image.hpp"
#include "record/event.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

struct Pictures {
  std::filesystem::path folder;  ///< where they lie
  image::PictureSet set;
  image::Transform transform;
};

/// The usable pictures of spec.images, of which there is at least one, as `transform` wants them. With
/// spec.prepared it is the prepared set in the cache folder, made now if it is not there, or spec.images
/// itself where that is one. Errors: those of the scan and of prepare().
Result<Pictures> pictures_for(const InferSpec& spec, const image::Transform& transform, EventSink& events);

/// Brings the files of the set into the state of the page cache that the run asks for.
Status set_cache(const image::PictureSet& set, Cache cache);

}  // namespace neph::workload
