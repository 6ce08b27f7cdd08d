#include "net/onnx_elements.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <limits>

#include "net/half.hpp"
#include "net/onnx_tensor.hpp"

namespace neph::net {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores raw tensors in little-endian order");

/// Elements of a tensor, as bytes or in the field that its type has in the message.
struct Data {
  const onnx::TensorProto& proto;
  std::size_t count;
  bool is_raw;
  std::string_view raw;
};

tl::unexpected<Error> wrong_count(const Data& data, std::size_t have, std::string_view what) {
  return fail(ErrorCode::corrupt, "tensor '{}' has {} {} of data, its shape needs {} elements",
              data.proto.name(), have, what, data.count);
}

template <class T, class Field>
Result<std::vector<T>> numbers(const Data& data, const Field& field) {
  std::vector<T> elements;
  if (!data.is_raw) {
    if (static_cast<std::size_t>(field.size()) != data.count)
      return wrong_count(data, static_cast<std::size_t>(field.size()), "elements");
    elements.assign(field.begin(), field.end());
    return elements;
  }
  if (data.raw.size() != data.count * sizeof(T)) return wrong_count(data, data.raw.size(), "bytes");
  elements.resize(data.count);
  if (data.count > 0) std::memcpy(elements.data(), data.raw.data(), data.raw.size());
  return elements;
}

template <class T, class Field, class Convert>
Status keep_floats(const Data& data, const Field& field, StoredTensor& tensor, Convert convert) {
  NEPH_TRY(const auto elements, numbers<T>(data, field));
  tensor.floats.reserve(elements.size());
  for (const auto element : elements) tensor.floats.push_back(convert(element));
  return {};
}

template <class T, class Field>
Status keep_integers(const Data& data, const Field& field, StoredTensor& tensor) {
  NEPH_TRY(const auto elements, numbers<T>(data, field));
  tensor.integers.reserve(elements.size());
  for (const auto element : elements) {
    if (std::cmp_greater(element, std::numeric_limits<std::int64_t>::max()))
      return fail(ErrorCode::unsupported, "tensor '{}' has numbers of more than 63 bits", data.proto.name());
    tensor.integers.push_back(static_cast<std::int64_t>(element));
  }
  return {};
}

Status keep(const Data& data, StoredTensor& tensor) {
  const auto& proto = data.proto;
  using Type = onnx::TensorProto;
  switch (proto.data_type()) {
    case Type::FLOAT: {
      NEPH_TRY(tensor.floats, numbers<float>(data, proto.float_data()));
      return {};
    }
    case Type::DOUBLE:
      return keep_floats<double>(data, proto.double_data(), tensor,
                                 [](double number) { return static_cast<float>(number); });
    case Type::FLOAT16:
      return keep_floats<std::uint16_t>(data, proto.int32_data(), tensor, from_float16);
    case Type::BFLOAT16:
      return keep_floats<std::uint16_t>(data, proto.int32_data(), tensor, from_bfloat16);
    case Type::INT64: {
      NEPH_TRY(tensor.integers, numbers<std::int64_t>(data, proto.int64_data()));
      return {};
    }
    case Type::INT32:
      return keep_integers<std::int32_t>(data, proto.int32_data(), tensor);
    case Type::INT16:
      return keep_integers<std::int16_t>(data, proto.int32_data(), tensor);
    case Type::INT8:
      return keep_integers<std::int8_t>(data, proto.int32_data(), tensor);
    case Type::BOOL:
    case Type::UINT8:
      return keep_integers<std::uint8_t>(data, proto.int32_data(), tensor);
    case Type::UINT16:
      return keep_integers<std::uint16_t>(data, proto.int32_data(), tensor);
    case Type::UINT32:
      return keep_integers<std::uint32_t>(data, proto.uint64_data(), tensor);
    case Type::UINT64:
      return keep_integers<std::uint64_t>(data, proto.uint64_data(), tensor);
    default:
      return fail(ErrorCode::unsupported,
                  "tensor '{}' has elements of ONNX's type {}; only floats of 16 to 64 "
                  "bits and integers of 8 to 64 bits are computed with here",
                  proto.name(), proto.data_type());
  }
}

Result<std::string> read_part(const ExternalPlace& place, std::size_t bytes) {
  std::error_code error;
  const auto size = std::filesystem::file_size(place.file, error);
  if (error || place.offset > size || bytes > size - place.offset)
    return fail(ErrorCode::corrupt, "{} ends before byte {}", place.file.string(), place.offset + bytes);
  std::string content(bytes, '\0');
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  file.read(content.data(), static_cast<std::streamsize>(bytes));
  if (!file) return fail(ErrorCode::io, "cannot read {} from byte {}", place.file.string(), place.offset);
  return content;
}

bool is_elsewhere(const onnx::TensorProto& proto) {
  return proto.data_location() == onnx::TensorProto::EXTERNAL;
}

Result<std::string> external_bytes(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  const Shape shape(proto.dims().begin(), proto.dims().end());
  NEPH_TRY(const auto place, external_place(proto, folder));
  NEPH_TRY(const auto bytes, byte_count(shape, proto.data_type()));
  if (place.length != 0 && place.length != static_cast<std::uintmax_t>(bytes))
    return fail(ErrorCode::corrupt, "tensor '{}' has {} bytes of data in {}, its shape {} needs {}",
                proto.name(), place.length, place.file.string(), to_string(shape), bytes);
  return read_part(place, static_cast<std::size_t>(bytes));
}

template <class T, class Convert>
std::string converted(std::span<const float> elements, Convert convert) {
  std::vector<T> all;
  all.reserve(elements.size());
  for (const float element : elements) all.push_back(convert(element));
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(T)};
}

}  // namespace

Result<StoredTensor> elements_of(const onnx::TensorProto& proto, const std::filesystem::path* folder) {
  NEPH_TRY(const auto outline, stored_tensor(proto));
  NEPH_TRY(const auto count, element_count(*outline.shape));
  if (proto.has_segment())
    return fail(ErrorCode::unsupported, "tensor '{}' is stored in segments", proto.name());
  std::string outside;
  if (is_elsewhere(proto)) {
    if (!folder)
      return fail(ErrorCode::unsupported, "tensor '{}' lies in another file, and there is no folder for it",
                  proto.name());
    NEPH_TRY(outside, external_bytes(proto, *folder));
  }
  StoredTensor tensor{.shape = *outline.shape, .floats = {}, .integers = {}};
  const Data data{.proto = proto,
                  .count = static_cast<std::size_t>(count),
                  .is_raw = is_elsewhere(proto) || proto.has_raw_data(),
                  .raw = is_elsewhere(proto) ? outside : std::string_view(proto.raw_data())};
  NEPH_CHECK(keep(data, tensor));
  return tensor;
}

Status replace_elements(onnx::TensorProto& proto, std::span<const float> elements) {
  NEPH_TRY(const auto count, element_count(Shape(proto.dims().begin(), proto.dims().end())));
  if (static_cast<std::size_t>(count) != elements.size())
    return fail(ErrorCode::invalid_argument,
                "tensor '{}' has {} elements in the model, and {} are given for it", proto.name(), count,
                elements.size());
  std::string raw;
  switch (proto.data_type()) {
    case onnx::TensorProto::FLOAT:
      raw.assign(reinterpret_cast<const char*>(elements.data()), elements.size_bytes());
      break;
    case onnx::TensorProto::DOUBLE:
      raw = converted<double>(elements, [](float element) { return static_cast<double>(element); });
      break;
    case onnx::TensorProto::FLOAT16:
      raw = converted<std::uint16_t>(elements, to_float16);
      break;
    case onnx::TensorProto::BFLOAT16:
      raw = converted<std::uint16_t>(elements, to_bfloat16);
      break;
    default:
      return fail(ErrorCode::invalid_argument, "tensor '{}' has no floats in the model", proto.name());
  }
  proto.clear_float_data();
  proto.clear_double_data();
  proto.clear_int32_data();
  proto.clear_external_data();
  proto.clear_data_location();
  proto.set_raw_data(std::move(raw));
  return {};
}

Status bring_in(onnx::TensorProto& proto, const std::filesystem::path& folder) {
  if (!is_elsewhere(proto)) return {};
  NEPH_TRY(auto bytes, external_bytes(proto, folder));
  proto.set_raw_data(std::move(bytes));
  proto.clear_external_data();
  proto.clear_data_location();
  return {};
}

}  // namespace neph::net
