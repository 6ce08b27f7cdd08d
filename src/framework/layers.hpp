// A network as the layers that users of frameworks write down: each is one or a few of ONNX's operators, with
// the tensors that the file stores for it. What both writers (pytorch.cpp, keras.cpp) start from.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "net/net.hpp"

namespace neph::framework {

/// Of two spatial axes. Pads are those before each axis, then those after.
struct Sliding {
  std::vector<std::int64_t> kernel, strides, dilations, pads;
  bool is_padded() const;
  bool is_padded_alike() const;  ///< as much before an axis as after it
};

struct Convolution {
  Sliding window;
  std::int64_t in = 0, out = 0, groups = 1;
  bool bias = false;
};
struct BatchNorm {
  std::int64_t features = 0;
  bool is_over_images = true;             ///< else over features
  double epsilon = 1e-5, momentum = 0.9;  ///< ONNX's momentum: the share that is kept
};
/// relu, sigmoid, tanh; clip: between 0 and `limit`.
struct Activation {
  enum class Function { relu, clip, sigmoid, tanh } function = Function::relu;
  double limit = 0;
};
struct Dropout {
  double share = 0.5;
};
struct Pooling {
  Sliding window;
  bool is_maximum = true;
};
struct GlobalAverage {};
struct Sum {};          ///< of two tensors of the same shape
struct Concatenate {};  ///< along the channels
/// All but the batch becomes one dimension.
struct Flatten {
  net::Shape from;  ///< [batch, ...] of its input
};
/// On the last dimension.
struct Dense {
  std::int64_t in = 0, out = 0;
  bool bias = false;
  bool is_transposed = false;  ///< the file stores [out, in], not [in, out]
};
/// A picture's columns as the steps of a sequence, with all channels and rows of a column as its features.
struct Columns {
  std::int64_t features = 0;
};
/// Both directions, summed; the reset gate behind the product with the state.
struct GatedRecurrent {
  std::int64_t in = 0, width = 0;
};

using LayerKind = std::variant<Convolution, BatchNorm, Activation, Dropout, Pooling, GlobalAverage, Sum,
                               Concatenate, Flatten, Dense, Columns, GatedRecurrent>;

struct Layer {
  std::string name;  ///< an identifier of Python, of one layer only
  LayerKind kind;
  std::vector<std::string> inputs;  ///< tensors
  std::string output;
  std::vector<std::string> stored;  ///< the file's tensors for it, in the operator's order
};

struct Layers {
  std::string input, output;
  std::vector<std::int64_t> example;  ///< the input's dimensions, without the batch
  std::vector<Layer> all;             ///< in an order in which they can run
  bool is_sequence = false;           ///< the output has three dimensions: classes at each step
};

/// `shapes`: of the same file. Errors: unsupported (an operator, attribute or form that is not written for
/// frameworks, by the layer's name), invalid_argument (several inputs or outputs).
Result<Layers> layers_of(const net::Program& program, const net::Network& shapes);

}  // namespace neph::framework
