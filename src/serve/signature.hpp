// What a model takes and gives, as clients see it. Only for files of this module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "engine/engine.hpp"
#include "image/image.hpp"
#include "serve/options.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// An input or output.
struct Field {
  std::string name;
  wire::DataType type = wire::DataType::f32;
  std::vector<std::int64_t> shape;  ///< as clients send it; -1: open. Batched: the first is the rows
  std::size_t row_bytes = 0;        ///< 0 for BYTES, whose elements differ, and for open ones
  bool open = false;                ///< only the request or the answer knows the shape of the engine's tensor
  bool open_rank = false;           ///< of any number of dimensions; `shape` is empty
  bool hidden = false;              ///< an output that clients do not see
  std::optional<std::vector<std::int64_t>> engine_shape;  ///< where the engine's tensor has another
  std::vector<std::string> labels;                        ///< of classes, by index

  wire::TensorMetadata metadata() const;
};

/// Batched: every field is [rows, ...], requests share executions, and one of more rows than an execution
/// takes has several. Else an execution is one request, which counts as one row, and its tensors have the
/// model's own shapes.
struct Signature {
  std::vector<Field> inputs;   ///< what clients send
  std::vector<Field> outputs;  ///< what they get
  bool batched = true;
  std::int64_t execution_rows = 1;  ///< that one takes at the most
  std::int64_t request_rows = 0;    ///< that a configuration lets a request have; 0: any number
  std::uint64_t reply_bytes = std::numeric_limits<std::uint64_t>::max();  ///< most of a reply's outputs
  Payload payload = Payload::tensor;
  image::Transform transform;  ///< of picture payloads

  const Field* output(const std::string& name) const;
  bool has_open_inputs() const;
  bool has_open_outputs() const;
  /// Whether the first dimension of every field is the rows.
  bool has_rows() const { return batched || request_rows > 0; }
};

/// The signature of a batched model whose session for `session_rows` rows has these ports. Errors:
/// unsupported (a port without a batch dimension or with an open one, a picture payload for a model that
/// takes no pictures).
Result<Signature> make_signature(const engine::Session& session, std::int64_t session_rows, Payload payload);

/// The signature of a model that is not batched. Errors: unsupported (a picture payload for a model that
/// takes none).
Result<Signature> make_unbatched_signature(const engine::Session& session, Payload payload);

constexpr wire::DataType datatype_of(engine::Element element) {
  using engine::Element;
  using wire::DataType;
  switch (element) {
    case Element::f32:
      return DataType::f32;
    case Element::f16:
      return DataType::f16;
    case Element::bf16:
      return DataType::bf16;
    case Element::f64:
      return DataType::f64;
    case Element::u8:
      return DataType::u8;
    case Element::u16:
      return DataType::u16;
    case Element::u32:
      return DataType::u32;
    case Element::u64:
      return DataType::u64;
    case Element::i8:
      return DataType::i8;
    case Element::i16:
      return DataType::i16;
    case Element::i32:
      return DataType::i32;
    case Element::i64:
      return DataType::i64;
    case Element::text:
      return DataType::bytes;
    case Element::boolean:
      break;
  }
  return DataType::boolean;
}

}  // namespace neph::serve
