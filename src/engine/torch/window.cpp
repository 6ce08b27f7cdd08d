#include "engine/torch/window.hpp"

#include <algorithm>

namespace neph::engine::torch_plugin {
namespace {

Tensor middle(const Ops& ops, const Tensor& x, const std::array<std::int64_t, 4>& extra) {
  const auto rows = ops.narrow(x, 2, extra[0], x.size(2) - extra[0] - extra[2]);
  return ops.narrow(rows, 3, extra[1], rows.size(3) - extra[1] - extra[3]);
}

/// SAME_UPPER and SAME_LOWER where the stride is 1, and so the padding does not depend on the picture.
Result<Sizes> read_pads(const net::Node& node, const Window& window) {
  const auto automatic = node.attribute<std::string>("auto_pad", "NOTSET");
  if (automatic == "NOTSET") return node.attribute<Sizes>("pads", Sizes(4, 0));
  if (automatic == "VALID") return Sizes(4, 0);
  Sizes pads(4, 0);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (window.stride[axis] != 1)
      return not_trained(node, fmt::format("auto_pad {} with strides", automatic));
    const auto whole = window.dilation[axis] * (window.kernel[axis] - 1);
    const auto more = (whole + 1) / 2;
    pads[axis] = automatic == "SAME_UPPER" ? whole - more : more;
    pads[axis + 2] = whole - pads[axis];
  }
  return pads;
}

}  // namespace

Tensor Window::around(const Ops& ops, const Tensor& x, double value) const {
  if (is_even()) return x;
  Sizes sizes(x.sizes().begin(), x.sizes().end());
  sizes[2] += extra[0] + extra[2];
  sizes[3] += extra[1] + extra[3];
  auto made = ops.filled(sizes, channels_last(sizes), value);
  ops.copy(middle(ops, made, extra), x);
  return made;
}

Tensor Window::inside(const Ops& ops, Tensor gradient) const {
  return is_even() ? gradient : ops.usual(middle(ops, gradient, extra));
}

Result<Window> read_window(const net::Node& node, Sizes kernel) {
  Window window;
  window.kernel = std::move(kernel);
  window.stride = node.attribute<Sizes>("strides", {1, 1});
  window.dilation = node.attribute<Sizes>("dilations", {1, 1});
  window.padding = {0, 0};
  window.groups = node.attribute<std::int64_t>("group", 1);
  window.ceil = node.attribute<std::int64_t>("ceil_mode", 0) != 0;
  window.count_padding = node.attribute<std::int64_t>("count_include_pad", 0) != 0;
  if (window.kernel.size() != 2 || window.stride.size() != 2 || window.dilation.size() != 2)
    return not_trained(node, "its window has other than two dimensions");
  NEPH_TRY(const auto pads, read_pads(node, window));
  if (pads.size() != 4 || *std::min_element(pads.begin(), pads.end()) < 0)
    return not_trained(node, "its pads are not four numbers from 0 on");
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto both = std::min(pads[axis], pads[axis + 2]);
    window.padding[axis] = both;
    window.extra[axis] = pads[axis] - both;
    window.extra[axis + 2] = pads[axis + 2] - both;
  }
  return window;
}

}  // namespace neph::engine::torch_plugin
