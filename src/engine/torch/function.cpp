#include "engine/torch/function.hpp"

#include <algorithm>

namespace neph::engine::torch_plugin {
namespace {

class FunctionLayer final : public Layer {
 public:
  std::vector<Operand> operands;
  Function function;

  void forward(Pass& pass) override {
    std::vector<Tensor> values;
    for (const auto& operand : operands) values.push_back(operand.of(pass));
    auto result = pass.ops().dense(function.forward(pass.ops(), values));
    if (pass.training()) known_ = {.gradient = {}, .inputs = std::move(values), .result = result};
    pass.set(outputs[0], std::move(result));
  }

  void backward(Pass& pass) override {
    const auto& ops = pass.ops();
    auto known = std::exchange(known_, {});
    known.gradient = pass.take_gradient(outputs[0], known.result).tensor;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].wants(pass)) continue;
      const auto& sizes = known.inputs[i].sizes();
      operands[i].give(pass, ops.dense(function.backward(ops, known, i)), sizes, false);
    }
  }

 private:
  Known known_;
};

}  // namespace

Status make_function(Builder& builder, const net::Node& node, std::size_t inputs, Function function,
                     std::unique_ptr<Layer>& made) {
  if (!function.backward && !builder.for_inference()) return not_trained(node, "it has no gradient here");
  auto layer = std::make_unique<FunctionLayer>();
  layer->function = std::move(function);
  for (std::size_t i = 0; i < inputs; ++i) {
    NEPH_TRY(auto given, operand(builder, node, i, *layer));
    layer->operands.push_back(given);
  }
  // Not overwritable: gradients are computed from results, and a view shares its memory.
  builder.output(node, *layer, false);
  made = std::move(layer);
  return {};
}

Tensor number(const Ops& ops, double value) { return ops.filled(Sizes{}, Sizes{}, value); }

Tensor integer(const Ops& ops, std::int64_t value) {
  auto made = ops.empty(Sizes{}, Sizes{}, ops.abi().int64());
  // Filled where it lies: a copy to a GPU would wait.
  check(ops.abi().fill(made.handle(), static_cast<double>(value)), "filling a tensor");
  return made;
}

std::int64_t from_front(std::int64_t axis, std::int64_t rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace neph::engine::torch_plugin
