// Examples that are made up, and that can be learnt: each class has a coarse pattern, and an example is its
// class's pattern with noise.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/random.hpp"
#include "data/forms.hpp"

namespace neph::data {
namespace {

constexpr std::int64_t grid = 8;       ///< cells of a pattern along height and width
constexpr float pattern_share = 0.5F;  ///< of a value; the rest is noise
enum Stream : std::uint64_t { patterns = 1, train_rows = 2, test_rows = 3 };

/// [channels, height, width] of any shape: dimensions that are not there are 1, those in excess are channels.
struct Box {
  std::int64_t channels = 1, height = 1, width = 1;
};

Box box_of(std::vector<std::int64_t> shape) {
  Box box;
  if (!shape.empty()) box.width = shape.back(), shape.pop_back();
  if (!shape.empty()) box.height = shape.back(), shape.pop_back();
  box.channels = values_in(shape);
  return box;
}

Random random_of(std::uint64_t seed, Stream stream, std::uint64_t number) {
  std::uint64_t state = seed;
  state = split_mix(state) ^ stream;
  state = split_mix(state) ^ number;
  return Random(split_mix(state));
}

/// Memory for an array's elements.
template <class T>
std::span<T> elements_of(Array& array) {
  const auto count = static_cast<std::size_t>(values_in(array.shape));
  array.bytes.resize(count * sizeof(T));
  return {reinterpret_cast<T*>(array.bytes.data()), count};
}

/// Patterns of all classes: [class, channel, grid, grid], each 0 or 1, so that classes differ in half of it.
/// For sequences time has one cell a label, and the pattern is spread over the other dimension alone.
class Synth {
 public:
  explicit Synth(const Options& options)
      : options_(options),
        box_(box_of(options.example_shape)),
        classes_(options.classes),
        labels_(options.synth_labels),
        time_is_width_(box_.width >= box_.height) {
    auto random = random_of(options.seed, patterns, 0);
    cells_.resize(static_cast<std::size_t>(classes_ * pattern_channels() * grid * grid));
    for (auto& cell : cells_) cell = (random.bits() >> 63) != 0 ? 1.0F : 0.0F;
  }

  /// Adds x_HALF and y_HALF.
  void add_half(std::string_view half, Stream stream, std::int64_t count, std::vector<Array>& arrays) const {
    Array examples{.name = fmt::format("x_{}", half), .shape = options_.example_shape};
    examples.shape.insert(examples.shape.begin(), count);
    Array labels{.name = fmt::format("y_{}", half), .kind = 'i', .width = sizeof(std::int64_t)};
    labels.shape = labels_ == 1 ? Shape{count} : Shape{count, labels_};
    const auto inputs = elements_of<float>(examples);
    const auto classes = elements_of<std::int64_t>(labels);
    const auto each = inputs.size() / static_cast<std::size_t>(count);
    const auto labels_each = static_cast<std::size_t>(labels_);
    for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
      auto random = random_of(options_.seed, stream, row);
      const auto own = classes.subspan(row * labels_each, labels_each);
      draw_labels(static_cast<std::int64_t>(row), random, own);
      const auto out = inputs.subspan(row * each, each);
      draw_noise(random, out);
      add_patterns(own, out);
    }
    arrays.push_back(std::move(examples));
    arrays.push_back(std::move(labels));
  }

 private:
  /// So many channels have patterns of their own; the next ones have the first's again.
  std::int64_t pattern_channels() const { return std::min<std::int64_t>(box_.channels, 3); }

  /// One label: as many examples of each class, in turn. Sequences: any class but 0, which is ctc's blank,
  /// and none twice in a row, which ctc could tell only by a blank between.
  void draw_labels(std::int64_t row, Random& random, std::span<std::int64_t> labels) const {
    if (labels_ == 1) {
      labels[0] = row % classes_;
      return;
    }
    const auto letters = static_cast<std::uint64_t>(classes_ - 1);
    labels[0] = 1 + static_cast<std::int64_t>(random.below(letters));
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const auto step = 1 + static_cast<std::int64_t>(random.below(letters - 1));
      labels[i] = 1 + (labels[i - 1] - 1 + step) % (classes_ - 1);
    }
  }

  static void draw_noise(Random& random, std::span<float> out) {
    constexpr float scale = (1 - pattern_share) / 255.0F;
    std::size_t i = 0;
    for (; i + 8 <= out.size(); i += 8) {
      const auto bytes = std::bit_cast<std::array<std::uint8_t, 8>>(random.bits());
      for (std::size_t k = 0; k < 8; ++k) out[i + k] = static_cast<float>(bytes[k]) * scale;
    }
    for (; i < out.size(); ++i) out[i] = static_cast<float>(random.bits() & 255) * scale;
  }

  const float* pattern(std::int64_t label, std::int64_t channel) const {
    const auto at = (label * pattern_channels() + channel % pattern_channels()) * grid * grid;
    return cells_.data() + at;
  }

  void add_patterns(std::span<const std::int64_t> labels, std::span<float> out) const {
    for (std::int64_t c = 0; c < box_.channels; ++c)
      for (std::int64_t y = 0; y < box_.height; ++y) {
        float* line = out.data() + (c * box_.height + y) * box_.width;
        if (labels_ == 1)
          add_line(pattern(labels[0], c), y, line);
        else
          add_sequence_line(labels, c, y, line);
      }
  }

  /// A single line has all 64 cells along its width.
  void add_line(const float* cells, std::int64_t y, float* line) const {
    const bool flat = box_.height == 1;
    const float* from = flat ? cells : cells + y * grid / box_.height * grid;
    const std::int64_t across = flat ? grid * grid : grid;
    for (std::int64_t k = 0; k < across; ++k) {
      const float more = from[k] * pattern_share;
      const auto end = (k + 1) * box_.width / across;
      for (auto x = k * box_.width / across; x < end; ++x) line[x] += more;
    }
  }

  void add_sequence_line(std::span<const std::int64_t> labels, std::int64_t c, std::int64_t y,
                         float* line) const {
    const auto time = time_is_width_ ? box_.width : box_.height;
    const auto across = time_is_width_ ? box_.height : box_.width;
    for (std::int64_t x = 0; x < box_.width; ++x) {
      const auto moment = time_is_width_ ? x : y, place = time_is_width_ ? y : x;
      const auto label = labels[static_cast<std::size_t>(moment * labels_ / time)];
      line[x] += pattern(label, c)[place * grid * grid / across] * pattern_share;
    }
  }

  const Options& options_;
  Box box_;
  std::int64_t classes_, labels_;
  bool time_is_width_;
  std::vector<float> cells_;
};

}  // namespace

Status check_synth(const Options& options) {
  const auto refuse = [](std::string_view what) {
    return fail(ErrorCode::invalid_argument, "synth: {}", what);
  };
  std::int64_t values = 1;
  for (const auto size : options.example_shape) {
    if (size < 1) return refuse("the network leaves a dimension of its input open; give its size");
    if (__builtin_mul_overflow(values, size, &values)) return refuse("the shape has too many values");
  }
  if (options.example_shape.empty()) return refuse("needs the shape of an example");
  if (options.synth_train < 1 || options.synth_test < 1) return refuse("needs at least one example a half");
  if (options.synth_labels < 1) return refuse("needs at least one label an example");
  if (options.synth_labels == 1)
    return options.classes >= 1 ? Status{} : Status(refuse("needs the number of classes"));
  if (options.classes < 3) return refuse("sequences need three classes: 0 is the blank, and two letters");
  const auto box = box_of(options.example_shape);
  if (const auto time = std::max(box.width, box.height); options.synth_labels > time)
    return fail(ErrorCode::invalid_argument, "synth: {} labels do not fit into {} moments",
                options.synth_labels, time);
  return {};
}

Result<std::vector<Array>> make_synth(const Options& options) {
  NEPH_CHECK(check_synth(options));
  const Synth synth(options);
  std::vector<Array> arrays;
  synth.add_half("train", train_rows, options.synth_train, arrays);
  synth.add_half("test", test_rows, options.synth_test, arrays);
  return arrays;
}

}  // namespace neph::data
