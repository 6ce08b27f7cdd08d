#include "net/onnx_tensor.hpp"

#include <charconv>
#include <cstring>

namespace neph::net {
namespace {

Result<Shape> shape_of(const onnx::TensorProto& proto) {
  if (static_cast<std::size_t>(proto.dims_size()) > kMostDimensions)
    return fail(ErrorCode::corrupt, "tensor '{}' has {} dimensions", proto.name(), proto.dims_size());
  Shape shape(proto.dims().begin(), proto.dims().end());
  for (const auto dimension : shape)
    if (dimension < 0)
      return fail(ErrorCode::corrupt, "tensor '{}' has a dimension of {}", proto.name(), dimension);
  return shape;
}

/// Elements of type T, from the raw bytes or from the typed field of the message.
template <class T, class Field>
std::vector<T> elements_of(const onnx::TensorProto& proto, const Field& field, std::size_t count) {
  std::vector<T> elements;
  if (count > 0 && proto.raw_data().size() == count * sizeof(T)) {
    elements.resize(count);
    std::memcpy(elements.data(), proto.raw_data().data(), proto.raw_data().size());
  } else if (static_cast<std::size_t>(field.size()) == count) {
    elements.assign(field.begin(), field.end());
  }
  return elements;
}

template <class T, class Field>
void keep_integers(const onnx::TensorProto& proto, const Field& field, std::size_t count, Tensor& tensor) {
  const auto elements = elements_of<T>(proto, field, count);
  if (elements.size() == count) tensor.values = Integers(elements.begin(), elements.end());
}

template <class T, class Field>
void keep_reals(const onnx::TensorProto& proto, const Field& field, std::size_t count, Tensor& tensor) {
  if (count > kMostReals) return;
  const auto elements = elements_of<T>(proto, field, count);
  if (elements.size() == count) tensor.reals = Reals(elements.begin(), elements.end());
}

/// Follows the numbers of small constants, which may be shapes, axes or scales; not those in another file.
void keep_numbers(const onnx::TensorProto& proto, std::size_t count, Tensor& tensor) {
  if (count > kMostValues) return;
  if (tensor.type == onnx::TensorProto::INT64)
    keep_integers<std::int64_t>(proto, proto.int64_data(), count, tensor);
  else if (tensor.type == onnx::TensorProto::INT32)
    keep_integers<std::int32_t>(proto, proto.int32_data(), count, tensor);
  else if (tensor.type == onnx::TensorProto::BOOL)
    keep_integers<std::uint8_t>(proto, proto.int32_data(), count, tensor);
  else if (tensor.type == onnx::TensorProto::FLOAT)
    keep_reals<float>(proto, proto.float_data(), count, tensor);
  else if (tensor.type == onnx::TensorProto::DOUBLE)
    keep_reals<double>(proto, proto.double_data(), count, tensor);
}

std::string entry(const onnx::TensorProto& proto, std::string_view key) {
  for (const auto& pair : proto.external_data())
    if (pair.key() == key) return pair.value();
  return {};
}

std::uintmax_t number_entry(const onnx::TensorProto& proto, std::string_view key) {
  const auto text = entry(proto, key);
  std::uintmax_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Result<Tensor> stored_tensor(const onnx::TensorProto& proto) {
  Tensor tensor{.type = proto.data_type(), .constant = true};
  NEPH_TRY(tensor.shape, shape_of(proto));
  NEPH_TRY(const auto count, element_count(*tensor.shape));
  NEPH_TRY(const auto bytes, byte_count(*tensor.shape, tensor.type));
  if (proto.has_raw_data() && element_bits(tensor.type) != 0 &&
      proto.raw_data().size() != static_cast<std::size_t>(bytes))
    return fail(ErrorCode::corrupt, "tensor '{}' has {} bytes of data, its shape {} needs {}", proto.name(),
                proto.raw_data().size(), to_string(*tensor.shape), bytes);
  const bool elsewhere = proto.data_location() == onnx::TensorProto::EXTERNAL;
  if (!elsewhere) keep_numbers(proto, static_cast<std::size_t>(count), tensor);
  return tensor;
}

Result<MaybeShape> stated_shape(const onnx::TypeProto& type, const Symbols& symbols) {
  if (type.has_optional_type()) return stated_shape(type.optional_type().elem_type(), symbols);
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return MaybeShape{};
  const auto& stated = type.tensor_type().shape();
  if (static_cast<std::size_t>(stated.dim_size()) > kMostDimensions)
    return fail(ErrorCode::corrupt, "a tensor with {} dimensions is not possible", stated.dim_size());
  Shape shape;
  for (const auto& dimension : stated.dim()) {
    // Some exporters write 0 or -1 for a dimension that is left open. An empty list is meant.
    const auto least = stated.dim_size() == 1 ? 0 : 1;
    const bool known = dimension.has_dim_value() && dimension.dim_value() >= least;
    const auto symbol = symbols.find(dimension.dim_param());
    shape.push_back(known ? dimension.dim_value() : symbol != symbols.end() ? symbol->second : kUnknown);
  }
  return MaybeShape(std::move(shape));
}

int stated_type(const onnx::TypeProto& type) {
  return type.has_tensor_type() ? type.tensor_type().elem_type() : 0;
}

Result<ExternalPlace> external_place(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  const std::filesystem::path location = entry(proto, "location");
  const auto clean = location.lexically_normal();
  if (location.empty() || location.is_absolute() || *clean.begin() == "..")
    return fail(ErrorCode::corrupt, "tensor '{}' lies in '{}', which is no file beside the model",
                proto.name(), location.string());
  std::error_code error;
  const auto size = std::filesystem::file_size(folder / clean, error);
  if (error)
    return fail(ErrorCode::not_found, "tensor '{}' lies in {}, which cannot be read: {}", proto.name(),
                (folder / clean).string(), error.message());
  const auto offset = number_entry(proto, "offset"), length = number_entry(proto, "length");
  if (offset > size || length > size - offset)
    return fail(ErrorCode::corrupt, "{} has {} bytes, tensor '{}' needs {} from byte {}",
                (folder / clean).string(), size, proto.name(), length, offset);
  return ExternalPlace{.file = folder / clean, .offset = offset, .length = length};
}

Status check_external_data(const onnx::TensorProto& proto, const std::filesystem::path& folder) {
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) NEPH_CHECK(external_place(proto, folder));
  return {};
}

}  // namespace neph::net
