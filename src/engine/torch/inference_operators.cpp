#include <algorithm>
#include <array>
#include <string_view>

#include "engine/torch/builder.hpp"

namespace neph::engine::torch_plugin {

Maker inference_maker(std::string_view) { return nullptr; }

}  // namespace neph::engine::torch_plugin
