#include "serve/signature.hpp"

#include <algorithm>

namespace neph::serve {
namespace {

/// Batched: `rows` of the port's bytes are a row each.
Field field_of(const engine::Port& port, std::int64_t rows) {
  return {.name = port.name,
          .type = datatype_of(port.element),
          .shape = port.shape,
          .row_bytes = port.bytes() / static_cast<std::size_t>(rows),
          .open = port.is_open(),
          .open_rank = port.open_rank};
}

Result<std::vector<Field>> batched_fields(const std::vector<engine::Port>& ports, const char* kind,
                                          std::int64_t session_rows) {
  std::vector<Field> fields;
  for (const auto& port : ports) {
    if (port.is_open())
      return fail(ErrorCode::unsupported, "the model's {} '{}' of shape {} is open beyond its batch", kind,
                  port.name, engine::shape_text(port.shape));
    if (port.shape.empty() || port.shape.front() != session_rows)
      return fail(ErrorCode::unsupported, "the model's {} '{}' of shape {} does not begin with the batch",
                  kind, port.name, engine::shape_text(port.shape));
    fields.push_back(field_of(port, session_rows));
    fields.back().shape.front() = -1;
  }
  return fields;
}

std::vector<Field> unbatched_fields(const std::vector<engine::Port>& ports) {
  std::vector<Field> fields;
  for (const auto& port : ports) fields.push_back(field_of(port, 1));
  return fields;
}

bool any_open(const std::vector<Field>& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const Field& field) { return field.open; });
}

/// What clients send instead of the tensor: as many pictures as it has rows.
Field picture_field(const Field& tensor, Payload payload, const image::Transform& transform) {
  const auto pictures = tensor.shape.front();
  if (payload == Payload::jpeg)
    return {.name = tensor.name, .type = wire::DataType::bytes, .shape = {pictures, 1}, .open = tensor.open};
  return {.name = tensor.name,
          .type = wire::DataType::u8,
          .shape = {pictures, transform.crop_side, transform.width(), transform.channels},
          .row_bytes = transform.values() * static_cast<std::size_t>(pictures < 0 ? 1 : pictures),
          .open = tensor.open};
}

Status take_pictures(const engine::Session& session, Payload payload, Signature& signature) {
  signature.payload = payload;
  if (payload == Payload::tensor) return {};
  NEPH_TRY(const auto input, engine::picture_input(session.inputs()));
  NEPH_TRY(signature.transform,
           image::transform_for_input(input.channels, input.height, input.width, input.channels_last));
  signature.inputs.front() = picture_field(signature.inputs.front(), payload, signature.transform);
  return {};
}

}  // namespace

wire::TensorMetadata Field::metadata() const {
  return {.name = name, .datatype = std::string(enum_name(type)), .shape = shape};
}

const Field* Signature::output(const std::string& wanted) const {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const Field& field) { return field.name == wanted && !field.hidden; });
  return found == outputs.end() ? nullptr : &*found;
}

bool Signature::has_open_inputs() const { return any_open(inputs); }
bool Signature::has_open_outputs() const { return any_open(outputs); }

Result<Signature> make_signature(const engine::Session& session, std::int64_t session_rows, Payload payload) {
  Signature signature{.execution_rows = session_rows};
  NEPH_TRY(signature.inputs, batched_fields(session.inputs(), "input", session_rows));
  NEPH_TRY(signature.outputs, batched_fields(session.outputs(), "output", session_rows));
  NEPH_CHECK(take_pictures(session, payload, signature));
  return signature;
}

Result<Signature> make_unbatched_signature(const engine::Session& session, Payload payload) {
  Signature signature{.inputs = unbatched_fields(session.inputs()),
                      .outputs = unbatched_fields(session.outputs()),
                      .batched = false};
  NEPH_CHECK(take_pictures(session, payload, signature));
  return signature;
}

}  // namespace neph::serve
