// What the tests of this plugin share: libtorch opened once, small programs put together by hand, gradients
// by differences.
#pragma once

#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "engine/engine.hpp"
#include "engine/torch/builder.hpp"
#include "engine/torch/device.hpp"
#include "engine/torch/library.hpp"
#include "engine/torch/threads.hpp"

namespace neph::engine::torch_plugin {

/// The libtorch whose headers the tests are built with.
inline const Library& torch_library() {
  static const auto library = [] {
    ::setenv("NEPH_TORCH", NEPH_TORCH_PACKAGE, 0);
    auto opened = open_library();
    if (!opened) {
      std::fprintf(stderr, "%s\n", opened.error().text().c_str());
      std::abort();
    }
    Threads(opened->abi, 2).take_effect();
    return *opened;
  }();
  return library;
}

/// The device that these tests compute on: the CPU, or what NEPH_TEST_DEVICE says ("CUDA", where TF32 must be
/// off: NVIDIA_TF32_OVERRIDE=0).
inline std::string test_device() {
  const char* given = std::getenv("NEPH_TEST_DEVICE");
  return given != nullptr ? given : "CPU";
}
/// On a GPU dropouts are drawn by torch's own generator, which goes on from pass to pass.
inline bool dropouts_repeat() { return test_device() == "CPU"; }
inline Ops test_ops() {
  const auto place = find_place(torch_library(), test_device());
  if (!place) {
    std::fprintf(stderr, "%s\n", place.error().text().c_str());
    std::abort();
  }
  return {torch_library().abi, place->type, place->index};
}

/// A tensor's numbers, row by row.
inline std::vector<float> floats_of(const Ops& ops, const Tensor& x) {
  const auto read = ops.for_reading(x);
  return {read.floats(), read.floats() + read.count()};
}

inline std::vector<float> random_floats(std::int64_t count, std::uint64_t seed, double size = 1) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = static_cast<float>(size * random.normal());
  return values;
}

/// A program, node by node.
class Written {
 public:
  explicit Written(Sizes input) { program_.inputs = {{.name = "x", .shape = std::move(input)}}; }

  Written& store(const std::string& name, Sizes shape, double size = 1) {
    auto drawn = random_floats(product(shape), program_.tensors.size() + 7, size);
    return values(name, std::move(shape), std::move(drawn));
  }
  Written& values(const std::string& name, Sizes shape, std::vector<float> numbers) {
    program_.tensors[name] = {.shape = std::move(shape), .floats = std::move(numbers)};
    return *this;
  }
  Written& integers(const std::string& name, Sizes values) {
    program_.tensors[name] = {.shape = {static_cast<std::int64_t>(values.size())},
                              .integers = std::move(values)};
    return *this;
  }
  Written& node(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                std::map<std::string, net::NodeAttribute, std::less<>> attributes = {}) {
    program_.nodes.push_back({.name = output + "_node",
                              .op = op,
                              .inputs = std::move(inputs),
                              .outputs = {output},
                              .attributes = std::move(attributes)});
    program_.outputs = {{.name = output, .shape = {}}};
    return *this;
  }
  /// More outputs of the last node.
  Written& with_outputs(const std::vector<std::string>& more) {
    auto& outputs = program_.nodes.back().outputs;
    outputs.insert(outputs.end(), more.begin(), more.end());
    return *this;
  }
  /// x and a stored tensor of its sizes: its gradient is that of what comes behind.
  Written& learn_input(const std::string& output) {
    auto shape = program_.inputs[0].shape;
    store("shift", shape);
    return node("Add", {"x", "shift"}, output);
  }
  operator const net::Program&() const { return program_; }  // NOLINT(google-explicit-constructor)
  net::Program& program() { return program_; }

 private:
  net::Program program_;
};

/// A small network of each kind of layer that mnist-cnn has, for pictures of 1 x 8 x 8 and three classes.
inline Written small_network() {
  Written written({-1, 1, 8, 8});
  written.store("conv.weight", {4, 1, 3, 3}, 0.5).store("conv.bias", {4}, 0.1);
  written.store("fc.weight", {3, 36}, 0.3).store("fc.bias", {3}, 0.1);
  written.values("ratio", {}, {0.25F});
  written.node("Conv", {"x", "conv.weight", "conv.bias"}, "a")
      .node("Relu", {"a"}, "b")
      .node("MaxPool", {"b"}, "c", {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}})
      .node("Dropout", {"c", "ratio"}, "d")
      .node("Flatten", {"d"}, "e")
      .node("Gemm", {"e", "fc.weight", "fc.bias"}, "y", {{"transB", std::int64_t{1}}});
  return written;
}

}  // namespace neph::engine::torch_plugin
