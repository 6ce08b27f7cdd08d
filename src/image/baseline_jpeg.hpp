// The JPEG of nearly all photographs, decoded here: baseline, Huffman-coded, one scan, grey or luma and
// colour differences. What it is for: of libjpeg-turbo's time more than half goes into the entropy code,
// which cannot be skipped. Here a look into the table yields two coefficients with their runs, nothing is
// stored for blocks that the crop does not touch, and levels stay planes of floats that go straight into the
// resize. What it does not do: decide that a file is damaged. Whatever it does not know or like it leaves to
// libjpeg. Only for files of this room.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "image/huffman.hpp"
#include "image/jpeg_part.hpp"
#include "image/resize.hpp"

namespace neph::image {

class BaselineJpeg {
 public:
  /// Luma of the part and the colour that belongs to it, in memory that is kept until the next call. Empty:
  /// leave it to libjpeg, as every reduced part is.
  std::optional<LumaColour> read(std::span<const std::byte> file, const JpegPart& part);

 private:
  struct Component {
    int across = 1, down = 1;  ///< blocks per MCU
    int id = 0, quantisation = 0, dc = 0, ac = 0;
    std::int16_t predicted = 0;  ///< the last DC coefficient, from which the next one differs
    int width = 8, height = 8;   ///< values of a block that are kept: means of 8 / width x 8 / height levels
    std::vector<float> plane;
    std::size_t origin = 0;  ///< of the plane's first value, behind what may be read before it
    std::ptrdiff_t stride = 0;
  };
  /// Which MCUs are decoded, and which of them are kept.
  struct Grid {
    int across = 0;                     ///< MCUs in a row
    int mcu_width = 8, mcu_height = 8;  ///< in luma values that are kept
    Stretch columns, rows;
  };

  bool read_segments(std::span<const std::uint8_t> file, int width, int height);
  bool read_segment(int marker, std::span<const std::uint8_t> content, int width, int height);
  bool read_quantisation(std::span<const std::uint8_t> content);
  bool read_huffman(std::span<const std::uint8_t> content);
  bool read_frame(std::span<const std::uint8_t> content, int width, int height);
  bool read_scan_header(std::span<const std::uint8_t> content);
  bool is_luma_and_colour() const;
  void unstuff(std::span<const std::uint8_t> data);
  Grid lay_out(const JpegPart& part);
  bool decode_scan(const Grid& grid);
  static Plane plane_of(const Component& component, const Grid& grid, int width, int height);

  friend struct BlockKernel;

  std::array<HuffmanTable, 4> dc_tables_, ac_tables_;
  std::array<std::array<float, 64>, 4> quantisation_{};         ///< with AAN's scale, turned
  unsigned quantisation_seen_ = 0, dc_seen_ = 0, ac_seen_ = 0;  ///< bit per table, of this picture
  std::vector<Component> components_;
  std::size_t scan_begin_ = 0;
  bool frame_seen_ = false, jfif_ = false;
  int adobe_transform_ = -1;
  std::vector<std::uint8_t> code_;  ///< the scan without stuffing
  std::size_t code_bytes_ = 0;
};

}  // namespace neph::image
