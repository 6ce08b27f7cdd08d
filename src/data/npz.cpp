// Keras' .npz: x_train, y_train, x_test and y_test in a zip file of .npy.
#include <algorithm>
#include <cstring>

#include <fmt/ranges.h>

#include "data/forms.hpp"
#include "data/npy.hpp"
#include "data/packed.hpp"
#include "data/zip.hpp"

namespace neph::data {
namespace {

struct Array {
  NpyHeader header;
  std::vector<std::uint8_t> bytes;
  std::string name;
};

struct Archive {
  const RandomBytes& file;
  std::vector<ZipMember> members;
  std::string name;

  Result<Array> read(const std::string& key, Depth depth) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const ZipMember& member) { return member.name == key + ".npy"; });
    if (found == members.end()) {
      std::vector<std::string> names;
      for (const auto& member : members) names.push_back(member.name);
      return fail(ErrorCode::corrupt, "{} has no {}.npy, only: {}", name, key, fmt::join(names, ", "));
    }
    Array array{.header = {}, .bytes = {}, .name = fmt::format("{}.npy in {}", key, name)};
    NEPH_TRY(auto source, open_member(file, *found, array.name));
    NEPH_TRY(array.header, read_npy_header(*source, array.name));
    if (depth == Depth::whole) {
      NEPH_TRY(array.bytes, read_npy_elements(*source, array.header, array.name));
    }
    return array;
  }
};

template <class T>
T element(const Array& array, std::size_t i) {
  T value{};
  std::memcpy(&value, array.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::int64_t integer(const Array& array, std::size_t i) {
  const bool is_signed = array.header.kind == 'i';
  switch (array.header.width) {
    case 1:
      return is_signed ? element<std::int8_t>(array, i) : element<std::uint8_t>(array, i);
    case 2:
      return is_signed ? element<std::int16_t>(array, i) : element<std::uint16_t>(array, i);
    case 4:
      return is_signed ? element<std::int32_t>(array, i) : std::int64_t{element<std::uint32_t>(array, i)};
    default:
      return element<std::int64_t>(array, i);
  }
}

/// [n] or [n, 1] of integers.
Status take_labels(const Array& array, Half& half) {
  const auto& shape = array.header.shape;
  if (array.header.kind == 'f')
    return fail(ErrorCode::unsupported, "{} has floating-point labels; integers are read", array.name);
  if (shape.empty() || shape.size() > 2 || (shape.size() == 2 && shape[1] != 1))
    return fail(ErrorCode::unsupported,
                "{} has the shape {}; labels are [count] or [count, 1], one class each", array.name,
                shape_text(shape));
  if (shape[0] != half.count)
    return fail(ErrorCode::corrupt, "{} has {} examples and {} has {} labels", half.examples_name, half.count,
                array.name, shape[0]);
  half.labels_name = array.name;
  if (array.bytes.empty()) return {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(half.count); ++i) {
    const auto label = integer(array, i);
    half.labels.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(label, -1, INT32_MAX)));
  }
  return {};
}

/// [height, width, channels] → [channels, height, width], as the network takes it or as few channels tell.
bool is_channels_last(const std::vector<std::int64_t>& shape, const Options& options) {
  if (shape.size() != 3 || options.example_shape == shape) return false;
  if (options.example_shape == std::vector{shape[2], shape[0], shape[1]}) return true;
  return shape[2] <= 4;
}

template <class T>
std::vector<T> channels_first(const std::vector<T>& values, std::size_t count, std::size_t pixels,
                              std::size_t channels) {
  std::vector<T> out(values.size());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < channels; ++c) {
      const auto* from = values.data() + i * pixels * channels + c;
      auto* to = out.data() + (i * channels + c) * pixels;
      for (std::size_t p = 0; p < pixels; ++p) to[p] = from[p * channels];
    }
  return out;
}

Status take_values(Array array, Half& half) {
  const auto& header = array.header;
  const auto count = header.elements();
  if (header.kind == 'u' && header.width == 1) {
    half.values = std::move(array.bytes);
    return {};
  }
  if (header.kind != 'f' || header.width < 4)
    return fail(ErrorCode::unsupported, "{}: examples are bytes, or floats of 32 or 64 bits", array.name);
  if (array.bytes.empty()) return {};
  std::vector<float> floats(count);
  for (std::size_t i = 0; i < count; ++i)
    floats[i] = header.width == 4 ? element<float>(array, i) : static_cast<float>(element<double>(array, i));
  half.values = std::move(floats);
  return {};
}

Status take_examples(Array array, const Options& options, Half& half) {
  const auto shape = array.header.shape;
  half.examples_name = array.name;
  if (shape.size() < 2)
    return fail(ErrorCode::corrupt, "{} has the shape {}; examples are [count, ...]", array.name,
                shape_text(shape));
  half.count = shape[0];
  half.shape.assign(shape.begin() + 1, shape.end());
  NEPH_CHECK(take_values(std::move(array), half));
  if (half.shape.size() == 2 && options.example_shape != half.shape) half.shape.insert(half.shape.begin(), 1);
  if (!is_channels_last(half.shape, options) || shape.size() == 3) return {};
  const auto pixels = static_cast<std::size_t>(half.shape[0] * half.shape[1]);
  const auto channels = static_cast<std::size_t>(half.shape[2]);
  half.shape = {half.shape[2], half.shape[0], half.shape[1]};
  std::visit(
      [&](auto& values) {
        if (!values.empty())
          values = channels_first(values, static_cast<std::size_t>(half.count), pixels, channels);
      },
      half.values);
  return {};
}

Result<Half> read_half(const Archive& archive, const std::string& half_name, const Request& request) {
  Half half;
  NEPH_TRY(auto examples, archive.read("x_" + half_name, request.depth));
  NEPH_CHECK(take_examples(std::move(examples), request.options, half));
  NEPH_TRY(const auto labels, archive.read("y_" + half_name, request.depth));
  NEPH_CHECK(take_labels(labels, half));
  return half;
}

}  // namespace

Result<Set> open_npz(const Request& request) {
  NEPH_TRY(const auto file, open_random(request.path));
  Archive archive{*file, {}, request.path.string()};
  NEPH_TRY(archive.members, list_zip(*file, archive.name));
  Set set;
  set.name = request.name;
  set.form = "npz";
  set.bytes = static_cast<std::int64_t>(file->size());
  NEPH_TRY(auto train, read_half(archive, "train", request));
  NEPH_TRY(auto test, read_half(archive, "test", request));
  return packed_set(std::move(set), std::move(train), std::move(test), request.classes, request.options);
}

}  // namespace neph::data
