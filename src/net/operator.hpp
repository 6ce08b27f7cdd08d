// What each ONNX operator does to shapes, and how many multiply-accumulates it takes: one table, used for
// networks that are built here and for files alike, so that both give the same figures.
//
// Why not libonnx's own shape inference: a file with a stride of 0 passes its checker and then ends the
// process with a division by zero (libonnx 1.12, conv and pool inference), and it knows no operator set
// after 17. It serves the tests as the independent implementation.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "net/net.hpp"
#include "net/shape.hpp"

namespace neph::net {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// ONNX's TensorProto.DataType, as far as sizes go.
constexpr int kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6, kInt64 = 7, kString = 8, kBool = 9;
constexpr int kFloat16 = 10, kDouble = 11, kBfloat16 = 16;
/// Bits of one element; 0 for strings and types that are not known. Type 0 (not stated) is taken for float.
int element_bits(int type);
bool is_unsigned(int type);
/// Whether weights of this type are learned numbers (floats, and their quantised forms) and no indices or
/// flags.
bool holds_learned_numbers(int type);
/// Bytes of `shape` in `type`.
Result<std::int64_t> byte_count(const Shape& shape, int type);

/// Integers of a constant that are followed: enough for any shape or list of axes, and a limit for hostile
/// files.
constexpr std::size_t kMostValues = 1024;
constexpr std::size_t kMostReals = 64;  ///< the same of floats, among which are weights

/// Among such integers: one that the file leaves open, as the length of a sequence in Shape's output. No file
/// means this number itself (the smallest one is the end of some slices).
constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::min() / 2 - 1;

/// What is known about a tensor before the network runs. Numbers are followed only where the shape is known,
/// and there are as many as it has elements.
struct Tensor {
  MaybeShape shape;
  int type = kFloat;
  bool constant = false;  ///< the same for every picture: stored in the file, or made from stored tensors
  std::optional<Integers> values;  ///< of a small constant of integers or flags: shapes, axes, indices
  std::optional<Reals> reals;      ///< of a small constant of floats, NaN where open: scales of Resize
};

/// The tensor without its numbers, which fold() gives to what rules make.
inline Tensor outline(const Tensor& tensor) {
  return {.shape = tensor.shape, .type = tensor.type, .constant = tensor.constant};
}

using Attribute =
    std::variant<std::int64_t, double, std::string, Integers, Reals, std::vector<std::string>, Tensor>;

/// A node of an ONNX graph as figures need it: of tensors in its attributes the outline. An empty input name
/// is an optional input that is left out.
struct NodeOutline {
  std::string name;
  std::string op;  ///< with the domain before it if it is not ONNX's own
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, Attribute, std::less<>> attributes;
};

/// A node together with what is known about its inputs, as the rules see it.
class Call {
 public:
  Call(const NodeOutline& node, std::span<const Tensor* const> inputs) : node_(node), inputs_(inputs) {}

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return node_.outputs.size(); }
  std::string_view op() const { return node_.op; }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i]; }
  /// A tensor of which nothing is known where there is no such input.
  const Tensor& input(std::size_t i) const;
  const MaybeShape& shape(std::size_t i) const { return input(i).shape; }

  std::int64_t integer(std::string_view name, std::int64_t absent) const;
  /// A list of integers of the attribute, or empty.
  Integers integers(std::string_view name) const;
  /// From the attribute, or from input `i` (where newer operator sets moved it); nothing where it is in
  /// neither, or where one of them is open.
  std::optional<Integers> integers(std::string_view name, std::size_t i) const;
  /// The same with kOpen for those that are open.
  std::optional<Integers> partly_open(std::string_view name, std::size_t i) const;
  /// Reals of the attribute, or of input `i`.
  std::optional<Reals> reals(std::string_view name, std::size_t i) const;
  /// Sizes that input `i` asks for: unknown where they are open, and all of them where only their number is
  /// told.
  MaybeShape sizes(std::size_t i) const;
  /// The one size that input `i` holds, be it stored as a float; kUnknown where it is open or not told.
  std::int64_t size(std::size_t i) const;
  /// How many numbers the list in input `i` has; nothing where its length is open.
  std::optional<std::size_t> length(std::size_t i) const;
  /// The type that the attribute states, or `otherwise`.
  int type(std::string_view name, int otherwise) const;
  const Tensor* tensor(std::string_view name) const;
  std::string text(std::string_view name) const;
  /// How many texts the attribute lists.
  std::size_t text_count(std::string_view name) const;

 private:
  const NodeOutline& node_;
  std::span<const Tensor* const> inputs_;
};

/// What a node makes of its inputs.
struct Effect {
  std::vector<Tensor> outputs;           ///< may be shorter than the node's: the rest is unknown
  std::optional<std::int64_t> macs = 0;  ///< nothing: the shapes do not tell
  /// For each element of the first output, whose size the file may state where the inputs' do not tell it.
  std::optional<std::int64_t> macs_per_output;
  std::optional<Window> window;
  std::optional<Kind> kind;  ///< where it is not the operator's usual one
};

/// Errors: corrupt, for a node that no engine could run.
using Rule = Result<Effect> (*)(const Call& call);

struct Operator {
  std::string_view name;
  Kind kind;
  Rule rule;
  /// Bit i: input i may hold trained weights.
  std::uint32_t trained_inputs = ~0U;
  /// False: only the shape of its input matters, so that this is no use of a weight.
  bool reads_elements = true;
};

/// Nothing for an operator that is not known.
const Operator* find_operator(std::string_view name);

// The families, each in the file of its name.
std::span<const Operator> window_operators();     // convolution and pooling
std::span<const Operator> product_operators();    // matrix products and recurrent layers
std::span<const Operator> attention_operators();  // attention and what belongs to it
std::span<const Operator> element_operators();    // activations, arithmetic, normalization
std::span<const Operator> movement_operators();   // parts, joins and copies of tensors
std::span<const Operator> reduction_operators();  // one number of many: sums, largest ones, losses
std::span<const Operator> picture_operators();    // other sizes of pictures: by sampling, padding, blocks
std::span<const Operator> selection_operators();  // elements by value or index
std::span<const Operator> reshape_operators();    // other shapes for the same elements
std::span<const Operator> signal_operators();     // Fourier transforms and their windows
std::span<const Operator> table_operators();      // text, sequences, classical learning (ai.onnx.ml)
std::span<const Operator> contrib_operators();    // what ONNX Runtime puts into files

// Rules of more than one family.
/// The output is as the first input is.
Result<Effect> same(const Call& call);
/// Arithmetic of any number of tensors, broadcast to one shape.
Result<Effect> arithmetic(const Call& call);
/// Known to multiply nothing, of a result that only the data tells, or that is no tensor.
Result<Effect> untold(const Call& call);
/// The shape of the first input, with elements of the type that attribute "dtype" states.
Result<Effect> same_of_stated_type(const Call& call);

/// One output of this shape, with elements of this type: no constant.
inline Effect made(MaybeShape shape, int type) {
  return {.outputs = {{.shape = std::move(shape), .type = type}}};
}

}  // namespace neph::net
