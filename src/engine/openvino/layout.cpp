#include "engine/openvino/layout.hpp"

#include <openvino/core/preprocess/pre_post_process.hpp>

#include "engine/openvino/port.hpp"

namespace neph::engine {

bool put_channels_first(std::shared_ptr<ov::Model>& model) {
  const auto ports = ports_of(std::as_const(*model).inputs());
  if (!ports) return false;
  bool any = false;
  ov::preprocess::PrePostProcessor steps(model);
  for (std::size_t i = 0; i < ports->size(); ++i) {
    if (!(*ports)[i].channels_last()) continue;
    steps.input(i).tensor().set_layout("NCHW");
    steps.input(i).model().set_layout("NHWC");
    any = true;
  }
  if (any) model = steps.build();
  return any;
}

}  // namespace neph::engine
