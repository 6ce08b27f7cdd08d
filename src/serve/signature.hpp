// What a model takes and gives, as clients see it. Only for files of this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "data/data.hpp"
#include "engine/engine.hpp"
#include "serve/options.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

/// An input or output, [rows, dims...].
struct Field {
  std::string name;
  wire::DataType type = wire::DataType::f32;
  std::vector<std::int64_t> dims;  ///< of one row
  std::size_t row_bytes = 0;       ///< 0 for BYTES, whose elements differ

  wire::TensorMetadata metadata() const;  ///< with -1 rows
};

struct Signature {
  std::vector<Field> inputs;   ///< what clients send
  std::vector<Field> outputs;  ///< what they get
  std::int64_t most_rows = 1;
  Payload payload = Payload::tensor;
  data::Transform transform;  ///< of picture payloads

  const Field* output(const std::string& name) const;
};

/// The signature of a model whose session for `session_rows` rows has these ports. Errors: unsupported (a
/// port without a batch dimension or with an open one, a picture payload for a model that takes no
/// pictures).
Result<Signature> make_signature(const engine::Session& session, std::int64_t session_rows, Payload payload);

}  // namespace neph::serve
