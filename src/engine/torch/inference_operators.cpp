// What inference takes besides training's operators, or in more forms.
#include <algorithm>
#include <array>
#include <string_view>

#include "engine/torch/more_makers.hpp"

namespace neph::engine::torch_plugin {
namespace {

struct Entry {
  std::string_view op;
  Maker make;
};

constexpr std::array operators{
    Entry{"Add", make_binary},
    Entry{"Mul", make_binary},
    Entry{"Gemm", make_any_gemm},
    Entry{"Conv", make_any_convolution},
    Entry{"MaxPool", make_any_pool},
    Entry{"AveragePool", make_any_pool},
    Entry{"GlobalMaxPool", make_any_reduce},
    Entry{"Mod", make_modulo},
    Entry{"GatherElements", make_gather_elements},
    Entry{"CumSum", make_running_sum},
    Entry{"ConvTranspose", make_general_convolution},
    Entry{"Clip", make_any_clip},
    Entry{"Cast", make_cast},
    Entry{"Identity", make_identity},
    Entry{"ConstantOfShape", make_constant_of_shape},
    Entry{"Range", make_range},
    Entry{"ReduceSum", make_any_reduce},
    Entry{"ReduceMean", make_any_reduce},
    Entry{"ReduceProd", make_any_reduce},
    Entry{"ReduceL1", make_any_reduce},
    Entry{"ReduceL2", make_any_reduce},
    Entry{"ReduceSumSquare", make_any_reduce},
    Entry{"ReduceLogSum", make_any_reduce},
    Entry{"ReduceLogSumExp", make_any_reduce},
    Entry{"ArgMax", make_arg_max},
    Entry{"ArgMin", make_arg_max},
    Entry{"Tile", make_tile},
    Entry{"Resize", make_resize},
    Entry{"Upsample", make_resize},
    Entry{"DepthToSpace", make_depth_to_space},
    Entry{"SpaceToDepth", make_depth_to_space},
    Entry{"InstanceNormalization", make_group_norm},
    Entry{"GroupNormalization", make_group_norm},
    Entry{"Equal", make_comparison},
    Entry{"Greater", make_comparison},
    Entry{"GreaterOrEqual", make_comparison},
    Entry{"Less", make_comparison},
    Entry{"LessOrEqual", make_comparison},
    Entry{"And", make_comparison},
    Entry{"Or", make_comparison},
    Entry{"Xor", make_comparison},
};

}  // namespace

Maker inference_maker(std::string_view op) {
  const auto* found =
      std::find_if(operators.begin(), operators.end(), [&](const Entry& entry) { return entry.op == op; });
  return found == operators.end() ? nullptr : found->make;
}

}  // namespace neph::engine::torch_plugin
