// Examples in turn, as batches: they carry no pixels, but the number of the example in their slot.
#pragma once

#include <memory>

#include "image/image.hpp"
#include "workload/infer/examples.hpp"

namespace neph::workload {

/// `count` items in inferences of `rows`, the last one whole too. `examples` outlive it.
std::unique_ptr<image::BatchSource> example_source(const Examples& examples, std::int64_t count,
                                                   std::int64_t rows);

/// The example that inference `index` of a run is of: each once, so that a run of any length has the answers
/// to all of them, then in turns.
inline std::size_t example_of(const Examples& examples, std::int64_t index) {
  const auto count = std::ssize(examples.all);
  return static_cast<std::size_t>(index < count ? index : index / examples.turns % count);
}

}  // namespace neph::workload
