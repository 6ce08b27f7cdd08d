#include "engine/torch/gradients.hpp"

#include <algorithm>
#include <tuple>

namespace neph::engine::torch_plugin {
namespace {

/// Gradients begin at borders of cache lines, as tensors of libtorch's own do.
constexpr std::int64_t floats_of_a_line = 16;

bool is_statistic(const Parameter& parameter) { return !parameter.trained && !parameter.constant; }

class SharedGradients final : public Gradients {
 public:
  explicit SharedGradients(Exchange& exchange) : exchange_(exchange) {}

  Status mean(const Ops& ops, std::vector<Parameter>& parameters, Tensor& loss, Portion portion) override {
    const Row row(parameters);
    NEPH_TRY(const auto room, exchange_.room(row.count()));
    if (portion.count > 0) write(ops, row, parameters, loss, room);
    NEPH_TRY(const auto means, exchange_.mean(static_cast<double>(portion.count)));
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (row.begin[i] >= 0) {
        auto& parameter = parameters[i];
        parameter.gradient =
            ops.wrap(means.data() + row.begin[i], parameter.value.sizes(), parameter.value.strides());
      }
    loss = ops.filled(Sizes{}, Sizes{}, static_cast<double>(means.back()));
    return {};
  }

 private:
  static void write(const Ops& ops, const Row& row, const std::vector<Parameter>& parameters,
                    const Tensor& loss, std::span<float> room) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (row.begin[i] < 0) continue;
      const auto& [value, gradient] = std::tie(parameters[i].value, parameters[i].gradient);
      float* const to = room.data() + row.begin[i];
      if (gradient)  // as the value lies, which need not be as the gradient does
        ops.copy(ops.wrap(to, value.sizes(), value.strides()), gradient);
      else
        std::fill_n(to, value.count(), 0.0F);
    }
    room[static_cast<std::size_t>(row.loss)] = ops.number(loss);
  }

  Exchange& exchange_;
};

}  // namespace

Row::Row(const std::vector<Parameter>& parameters) {
  for (const auto& parameter : parameters) {
    begin.push_back(parameter.trained ? loss : -1);
    if (parameter.trained)
      loss += (parameter.value.count() + floats_of_a_line - 1) / floats_of_a_line * floats_of_a_line;
  }
}

Status share_statistics(const Ops& ops, std::vector<Parameter>& parameters, Exchange& exchange) {
  std::vector<float> row;
  for (const auto& parameter : parameters) {
    if (!is_statistic(parameter)) continue;
    const auto read = ops.for_reading(parameter.value);
    row.insert(row.end(), read.floats(), read.floats() + read.count());
  }
  if (row.empty()) return {};
  NEPH_CHECK(exchange.from_rank_0(std::as_writable_bytes(std::span(row))));
  const float* next = row.data();
  for (auto& parameter : parameters) {
    if (!is_statistic(parameter)) continue;
    const auto sizes = parameter.value.sizes();
    ops.copy(parameter.value, ops.wrap(next, sizes, row_major(sizes)));
    next += parameter.value.count();
  }
  return {};
}

Result<std::unique_ptr<Gradients>> make_gradients(const Library& library, const Place& place, const Ops& ops,
                                                  Exchange& exchange) {
  if (!ops.on_cpu()) return nccl_gradients(library, place, exchange);
  return std::make_unique<SharedGradients>(exchange);
}

}  // namespace neph::engine::torch_plugin
