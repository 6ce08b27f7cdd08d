#include "engine/torch/tiled_pool.hpp"

#include <cstring>
#include <limits>

#include "engine/torch/fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// Channels fill a register and a part of the next; pictures have a row and a column that no window covers.
const Sizes sizes{3, 19, 7, 5};

Window tiles() {
  Window window;
  window.kernel = window.stride = {2, 2};
  window.padding = {0, 0};
  window.dilation = {1, 1};
  return window;
}

TEST(TiledPool, FindsWhatLibtorchFinds) {
  const auto& abi = torch_library().abi;
  const Ops ops(abi, abi.cpu(), 0);
  auto values = random_floats(product(sizes), 11);
  for (std::size_t i = 0; i < values.size(); i += 7) values[i] = 0.5F;  // equals
  for (std::size_t i = 3; i < values.size(); i += 101) values[i] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 5; i < values.size(); i += 103) values[i] = -std::numeric_limits<float>::infinity();
  const auto x = ops.ordered(ops.wrap(values.data(), sizes, row_major(sizes)), channels_last(sizes));
  ASSERT_TRUE(is_tiled(ops, tiles()));
  const auto ours = tiled_max_pool(ops, x, tiles());
  const auto [theirs, indices] = ops.max_pool(x, tiles());
  const auto a = ops.for_reading(ours.result), b = ops.for_reading(theirs);
  ASSERT_EQ(a.count(), b.count());
  EXPECT_EQ(std::memcmp(a.floats(), b.floats(), static_cast<std::size_t>(a.count()) * sizeof(float)), 0);

  const auto gradient = ops.usual(a);  // any numbers of these sizes
  const auto dx = ops.for_reading(tiled_max_pool_backward(ops, gradient, ours.places, sizes, tiles()));
  const auto reference = ops.for_reading(ops.max_pool_backward(gradient, x, tiles(), indices));
  EXPECT_EQ(
      std::memcmp(dx.floats(), reference.floats(), static_cast<std::size_t>(dx.count()) * sizeof(float)), 0);
}

}  // namespace
}  // namespace neph::engine::torch_plugin
