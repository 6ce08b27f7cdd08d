// What client and server say to each other about one inference, whatever carries it: the nouns of the Open
// Inference Protocol, version 2 (KServe's specification with Triton's extensions).
//
// Ownership: tensors are views. Their bytes lie in a request's or reply's own `memory`, in the transport's
// buffers, or in shared memory, and stay valid as long as the object that the transport handed out. Cost:
// clear() keeps capacity, so that an object that is used again allocates nothing for requests like the last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::wire {

/// Element types. BYTES elements are each a length (u32, little endian) and so many bytes.
enum class DataType : std::uint8_t {
  boolean,
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  f32,
  f64,
  bf16,
  bytes
};
constexpr auto enum_names(DataType) {
  return std::array{
      Named{DataType::boolean, "BOOL"}, Named{DataType::u8, "UINT8"},   Named{DataType::u16, "UINT16"},
      Named{DataType::u32, "UINT32"},   Named{DataType::u64, "UINT64"}, Named{DataType::i8, "INT8"},
      Named{DataType::i16, "INT16"},    Named{DataType::i32, "INT32"},  Named{DataType::i64, "INT64"},
      Named{DataType::f16, "FP16"},     Named{DataType::f32, "FP32"},   Named{DataType::f64, "FP64"},
      Named{DataType::bf16, "BF16"},    Named{DataType::bytes, "BYTES"}};
}
/// Bytes of one element; 0 for BYTES, whose elements differ.
std::size_t element_bytes(DataType type);

/// Sizes of a tensor's dimensions, at most `most` of them, without memory of its own.
class Shape {
 public:
  static constexpr std::size_t most = 8;
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes);
  /// False when it is full.
  bool push_back(std::int64_t size);
  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t i) const { return sizes_[i]; }
  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }
  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<std::int64_t, most> sizes_{};
  std::size_t rank_ = 0;
};

/// Inputs or outputs of one message; more are refused.
inline constexpr std::size_t most_tensors = 1024;
/// Parameters of one message and all its tensors; more are refused.
inline constexpr std::size_t most_parameters = 1024;

/// Elements of a tensor. Empty: a size is below 0, or the product is beyond 2^48 (no tensor is).
std::optional<std::int64_t> elements(const Shape& shape);

using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;
struct Parameter {
  std::string name;
  Value value;
};
using Parameters = std::vector<Parameter>;
const Value* find(const Parameters& parameters, std::string_view name);
/// The parameter as a whole number, if it is one.
std::optional<std::int64_t> find_integer(const Parameters& parameters, std::string_view name);

/// `microseconds` after `received`, if they are given, above 0 and not beyond any sense.
std::optional<Moment> deadline_after(Moment received, std::optional<std::int64_t> microseconds);

/// A part of a shared memory region that both sides have registered under `region`.
struct SharedPart {
  std::string region;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct Tensor {
  std::string name;
  DataType type = DataType::f32;
  Shape shape;
  std::span<const std::byte> data;   ///< row-major, little endian
  std::optional<SharedPart> shared;  ///< where its data lies or is to be put, instead of in the message
  Parameters parameters;
};

/// An output that the client asks for.
struct RequestedOutput {
  std::string name;
  std::optional<bool> binary;  ///< HTTP: as bytes behind the JSON or as JSON numbers; empty: as the others
  std::int64_t classification = 0;  ///< top answers as "value:index" strings; 0: the tensor itself
  std::optional<SharedPart> shared;
};

struct InferRequest {
  std::string model;
  std::string version;  ///< empty: the newest
  std::string id;
  Parameters parameters;
  std::vector<Tensor> inputs;
  std::vector<RequestedOutput> outputs;  ///< empty: all
  bool binary_outputs = false;           ///< HTTP: of outputs that are not named one by one
  bool binary_inputs = true;             ///< HTTP, sent: as bytes behind the JSON or as JSON numbers
  bool raw = false;                      ///< one input, all bytes, which the model must name, type and shape
  std::vector<std::byte> memory;         ///< of tensors that came as numbers in JSON

  void clear();
};

struct InferReply {
  std::string model;
  std::string version;
  std::string id;
  Parameters parameters;
  std::vector<Tensor> outputs;
  std::vector<std::byte> memory;

  void clear();
};

/// What a tensor says of itself must hold: shape within bounds, and data of just that many bytes (for BYTES:
/// just that many elements). Errors: invalid_argument, naming the tensor.
Status check_tensor(const Tensor& tensor);
/// The same of data that is not at hand: `bytes` of them are to be there. BYTES may have any number.
Status check_bytes(const Tensor& tensor, std::uint64_t bytes);
/// A reply without outputs is not an answer, whatever its status. `text`, which the message quotes, is what
/// came instead. Errors: corrupt.
Status check_outputs(const InferReply& reply, std::string_view text);

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Calls `each` with every element of a BYTES tensor. False: its lengths do not fit its data.
template <class Each>
bool for_each_bytes(std::span<const std::byte> data, Each&& each) {
  while (!data.empty()) {
    if (data.size() < 4) return false;
    std::uint32_t length = 0;
    for (std::size_t i = 4; i > 0; --i) length = length << 8 | std::to_integer<std::uint32_t>(data[i - 1]);
    data = data.subspan(4);
    if (length > data.size()) return false;
    each(data.first(length));
    data = data.subspan(length);
  }
  return true;
}

}  // namespace neph::wire
