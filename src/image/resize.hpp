// The antialiased resize: which source pixels each result pixel is made of, and the two passes that sum them
// up. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neph::image {

/// A half-open stretch of pixels along one axis.
struct Stretch {
  int begin = 0;
  int end = 0;
  int length() const { return end - begin; }
};

/// Along one axis: result pixel i is the sum over k < count of weight[i * count + k] * source[first[i] + k].
/// All result pixels have the same count (short ones are filled with weights of 0), so that inner loops have
/// a fixed length.
struct Taps {
  int count = 0;
  std::vector<int> first;
  std::vector<float> weight;

  int results() const { return static_cast<int>(first.size()); }
  Stretch source() const;
};

/// Result pixels `part` of the resize of `source` pixels to `target`, as Pillow's precompute_coeffs
/// (libImaging/Resample.c) with the triangle filter has them: support grows with the reduction, which is what
/// antialiases. `reduced` > 1: the source is there only as means over cells of that many pixels. The weights
/// of a cell's pixels are summed, which is the nearest to the full filter that can be had from means; the
/// grid stays that of the full picture.
void triangle_taps(int source, int target, Stretch part, int reduced, Taps& out);

/// Pixels of a part of a picture, `channels` bytes each, interleaved.
struct Pixels {
  const std::uint8_t* data = nullptr;  ///< readable for `slack` bytes behind the last row
  std::size_t stride = 0;              ///< bytes from row to row
  int x = 0;                           ///< of the first pixel, in the picture
  int y = 0;
  int channels = 3;

  static constexpr std::size_t slack = 64;
};

/// What becomes of the resized values, rounded to levels 0..255: plane p = level * scale[p] + offset[p].
struct Planes {
  int count = 3;  ///< 3: R, G, B (of grey pixels three times the same); 1: luma
  float scale[3] = {1, 1, 1};
  float offset[3] = {0, 0, 0};
};

/// Reused from picture to picture.
struct ResizeBuffers {
  std::vector<float> window;  ///< source rows as floats
  std::vector<float> turned;  ///< eight result rows, columns first
};

/// Writes planes.count planes of vertical.results() rows of horizontal.results() values to `out`.
void resize(const Pixels& pixels, const Taps& horizontal, const Taps& vertical, const Planes& planes,
            std::span<float> out, ResizeBuffers& buffers);

}  // namespace neph::image
