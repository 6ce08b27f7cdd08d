// The vocabulary in which networks are written down (builders/): each word adds one layer and gives the
// tensor it makes.
//
//   Value x = graph.input(3, side);
//   x = graph.relu("relu1", graph.conv("conv1", x, {.filters = 64, .kernel = 7, .stride = 2}));
//   return std::move(graph).finish(graph.dense("fc", graph.flatten("flatten", x), classes));
//
// A word that does not fit (a window larger than its picture) is remembered, the words after it do nothing,
// and finish returns its error: builders need no error handling of their own.
#pragma once

#include "net/assembly.hpp"

namespace neph::net {

/// Height and width; one number means both.
struct Extent {
  std::int64_t height = 1;
  std::int64_t width = 1;
  // Implicit, so that a specification says .kernel = 3 for 3x3. NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Extent(std::int64_t both) : height(both), width(both) {}
  constexpr Extent(std::int64_t h, std::int64_t w) : height(h), width(w) {}
};

/// A tensor of the graph, by name.
struct Value {
  std::string name;
};

struct ConvSpec {
  std::int64_t filters = 0;
  Extent kernel = 1;
  Extent stride = 1;
  Extent padding = 0;       ///< on both sides
  std::int64_t groups = 1;  ///< as many as channels: depthwise
  bool bias = false;        ///< none where a batch norm follows
};

struct PoolSpec {
  Extent kernel = 2;
  Extent stride = 2;
  Extent padding = 0;
};

class Graph {
 public:
  explicit Graph(std::string name);

  /// The one input, called "input": a picture [1, channels, height, width], or a spectrogram with the time as
  /// its width.
  Value input(std::int64_t channels, Extent size);
  Value conv(const std::string& name, const Value& x, const ConvSpec& spec);
  Value batch_norm(const std::string& name, const Value& x);
  Value relu(const std::string& name, const Value& x);
  /// min(max(x, 0), 6): Krizhevsky, "Convolutional Deep Belief Networks on CIFAR-10", 2010.
  Value relu6(const std::string& name, const Value& x);
  /// min(max(x, 0), largest).
  Value clipped_relu(const std::string& name, const Value& x, double largest);
  /// In training each element is 0 with the probability `share`, and else grown by 1 / (1 - share); in
  /// inference nothing: Srivastava et al., "Dropout", JMLR 15, 2014. ONNX's Dropout, whose training_mode is
  /// left out; trainers read the share as its second input.
  Value dropout(const std::string& name, const Value& x, double share);
  Value max_pool(const std::string& name, const Value& x, const PoolSpec& spec);
  Value average_pool(const std::string& name, const Value& x, const PoolSpec& spec);
  Value global_average_pool(const std::string& name, const Value& x);
  Value add(const std::string& name, const Value& a, const Value& b);
  Value concat(const std::string& name, const std::vector<Value>& parts);
  Value flatten(const std::string& name, const Value& x);
  Value dense(const std::string& name, const Value& x, std::int64_t units);

  // Sequences are [steps, batch, features].
  /// The columns of a picture [batch, channels, height, width] one after the other, all channels of all rows
  /// as features.
  Value steps(const std::string& name, const Value& picture);
  /// Gated recurrent units of `width` features in both directions, which are summed. Cho et al., EMNLP 2014,
  /// with the reset gate behind the product with the state, as cuDNN and PyTorch have it
  /// (linear_before_reset).
  Value gru(const std::string& name, const Value& sequence, std::int64_t width);
  /// The same dense layer at each step.
  Value dense_steps(const std::string& name, const Value& sequence, std::int64_t units);

  /// Channels of a picture, or columns of a matrix; 0 after an error.
  std::int64_t channels(const Value& x) const { return dimension(x, 1); }
  /// Features of a sequence; 0 after an error.
  std::int64_t features(const Value& x) const { return dimension(x, 2); }

  /// The network whose one output, called "output", is `output`. Error: invalid_argument (what did not fit).
  Result<Network> finish(const Value& output) &&;

 private:
  Value layer(const std::string& name, std::string op, const std::vector<Value>& inputs,
              std::map<std::string, Attribute, std::less<>> attributes = {});
  Value stored(const std::string& name, Shape shape);
  /// A number of the layer's definition.
  Value constant(const std::string& name, double number);
  Value constant(const std::string& name, const Integers& numbers);
  std::int64_t dimension(const Value& x, std::size_t axis) const;

  std::string name_;
  Assembly assembly_;
  Status status_;
};

}  // namespace neph::net
