#include "serve/signature.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "serve/datatype.hpp"

namespace neph::serve {
namespace {

Result<std::vector<Field>> fields_of(const std::vector<engine::Port>& ports, const char* kind,
                                     std::int64_t session_rows) {
  std::vector<Field> fields;
  for (const auto& port : ports) {
    if (port.bytes() == 0)
      return fail(ErrorCode::unsupported,
                  "the model's {} '{}' has the open shape [{}]; a server needs it fixed", kind, port.name,
                  fmt::join(port.shape, ", "));
    if (port.shape.empty() || port.shape.front() != session_rows)
      return fail(
          ErrorCode::unsupported,
          "the model's {} '{}' of shape [{}] does not begin with the batch, so that requests cannot be "
          "told apart in it",
          kind, port.name, fmt::join(port.shape, ", "));
    fields.push_back({.name = port.name,
                      .type = datatype_of(port.element),
                      .dims = {port.shape.begin() + 1, port.shape.end()},
                      .row_bytes = port.bytes() / static_cast<std::size_t>(session_rows)});
  }
  return fields;
}

/// What clients send instead of the tensor [channels, side, side].
Field picture_field(const Field& tensor, Payload payload, const data::Transform& transform) {
  if (payload == Payload::jpeg) return {.name = tensor.name, .type = wire::DataType::bytes, .dims = {1}};
  const auto side = transform.crop_side;
  return {.name = tensor.name,
          .type = wire::DataType::u8,
          .dims = {side, side, transform.channels},
          .row_bytes = transform.values()};
}

}  // namespace

wire::TensorMetadata Field::metadata() const {
  wire::TensorMetadata about{.name = name, .datatype = std::string(enum_name(type)), .shape = {-1}};
  about.shape.insert(about.shape.end(), dims.begin(), dims.end());
  return about;
}

const Field* Signature::output(const std::string& wanted) const {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const Field& field) { return field.name == wanted; });
  return found == outputs.end() ? nullptr : &*found;
}

Result<Signature> make_signature(const engine::Session& session, std::int64_t session_rows, Payload payload) {
  Signature signature{.most_rows = session_rows, .payload = payload};
  NEPH_TRY(signature.inputs, fields_of(session.inputs(), "input", session_rows));
  NEPH_TRY(signature.outputs, fields_of(session.outputs(), "output", session_rows));
  if (payload == Payload::tensor) return signature;
  NEPH_TRY(const auto input, engine::picture_input(session.inputs()));
  NEPH_TRY(signature.transform, data::transform_for_input(input.channels, input.height, input.width));
  signature.inputs.front() = picture_field(signature.inputs.front(), payload, signature.transform);
  return signature;
}

}  // namespace neph::serve
