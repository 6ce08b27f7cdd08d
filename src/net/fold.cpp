#include "net/fold.hpp"

#include <algorithm>

#include "net/numbers.hpp"

namespace neph::net {
namespace {

void take(const Tensor& from, const std::optional<Places>& places, Tensor& to) {
  if (!places) return;
  to.values = chosen(from.values, *places);
  to.reals = chosen(from.reals, *places);
}

void same_elements(const Call& call, Effect& effect) {
  Tensor& to = effect.outputs[0];
  const Tensor& from = call.input(0);
  if (!has_numbers(from) || small_count(to.shape) != small_count(from.shape)) return;
  to.values = from.values;
  to.reals = from.reals;
}

void expanded(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  take(from,
       places_of(from, effect.outputs[0], [&](const Shape& at) { return broadcast_source(*from.shape, at); }),
       effect.outputs[0]);
}

void tiled(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  const auto source = [&](Shape at) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] %= std::max<std::int64_t>(1, (*from.shape)[i]);
    return at;
  };
  take(from, places_of(from, effect.outputs[0], source), effect.outputs[0]);
}

void transposed(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  const auto order = call.integers("perm");
  const auto source = [&](const Shape& at) {
    Shape back(at.rbegin(), at.rend());
    for (std::size_t i = 0; i < order.size(); ++i) back[*axis_index(order[i], at.size())] = at[i];
    return back;
  };
  take(from, places_of(from, effect.outputs[0], source), effect.outputs[0]);
}

/// The rule has checked the limits where all of them are known.
void sliced(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  const auto starts = call.integers("starts", 1), ends = call.integers("ends", 2);
  const auto axes = call.integers("axes", 3), steps = call.integers("steps", 4);
  if (!has_numbers(from) || !starts || !ends || (call.has(3) && !axes) || (call.has(4) && !steps)) return;
  Shape start(from.shape->size(), 0), step(from.shape->size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = *axis_index(axes ? (*axes)[i] : static_cast<std::int64_t>(i), start.size());
    const auto size = (*from.shape)[axis];
    if (steps) step[axis] = (*steps)[i];
    const auto low = std::max((*starts)[i], -size - 1);  // far below: as far as any start counts
    start[axis] = std::clamp<std::int64_t>(low < 0 ? low + size : low, 0,
                                           step[axis] < 0 ? std::max<std::int64_t>(0, size - 1) : size);
  }
  const auto source = [&](Shape at) {
    for (std::size_t i = 0; i < at.size(); ++i)  // a step past the end is taken by no second element
      at[i] = at[i] == 0 ? start[i] : start[i] + at[i] * step[i];
    return at;
  };
  take(from, places_of(from, effect.outputs[0], source), effect.outputs[0]);
}

void gathered(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  const Tensor& indices = call.input(1);
  if (!has_numbers(from) || !indices.values) return;
  const auto axis = *axis_index(call.integer("axis", 0), from.shape->size());
  const auto source = [&](const Shape& at) {
    const auto first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto last = first + static_cast<std::ptrdiff_t>(indices.shape->size());
    const auto index = (*indices.values)[*position(*indices.shape, Shape(first, last))];
    Shape back(at.begin(), first);
    back.push_back(index < 0 && index != kOpen ? index + (*from.shape)[axis] : index);
    back.insert(back.end(), last, at.end());
    return back;
  };
  take(from, places_of(from, effect.outputs[0], source), effect.outputs[0]);
}

void split(const Call& call, Effect& effect) {
  const Tensor& from = call.input(0);
  if (!has_numbers(from)) return;
  const auto axis = *axis_index(call.integer("axis", 0), from.shape->size());
  std::int64_t offset = 0;
  for (auto& part : effect.outputs) {
    if (!is_known(part.shape)) return;
    const auto source = [&](Shape at) {
      at[axis] += offset;
      return at;
    };
    take(from, places_of(from, part, source), part);
    offset += (*part.shape)[axis];
  }
}

template <class T>
void joined(const Call& call, std::optional<T> Tensor::*numbers, Tensor& to) {
  const auto count = small_count(to.shape);
  if (!count || to.shape->empty()) return;
  const auto axis = axis_index(call.integer("axis", 1), to.shape->size());
  if (!axis) return;
  T elements(*count);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < call.input_count(); ++i) {
    const Tensor& part = call.input(i);
    if (!(part.*numbers)) return;
    std::size_t next = 0;
    each_index(*part.shape, (part.*numbers)->size(), [&](Shape at) {
      at[*axis] += offset;
      if (const auto place = position(*to.shape, at)) elements[*place] = (*(part.*numbers))[next];
      ++next;
    });
    offset += (*part.shape)[*axis];
  }
  to.*numbers = std::move(elements);
}

void concatenated(const Call& call, Effect& effect) {
  joined(call, &Tensor::values, effect.outputs[0]);
  joined(call, &Tensor::reals, effect.outputs[0]);
}

/// One number, 0 where none is stated, as often as the shape asks for.
void filled(const Call& call, Effect& effect) {
  Tensor& to = effect.outputs[0];
  const auto count = small_count(to.shape);
  if (!count) return;
  const Tensor* value = call.tensor("value");
  if (!value) to.reals = Reals(*count, 0);
  if (value && value->values && value->values->size() == 1)
    to.values = Integers(*count, value->values->front());
  if (value && value->reals && value->reals->size() == 1) to.reals = Reals(*count, value->reals->front());
}

struct Movement {
  std::string_view op;
  void (*fold)(const Call&, Effect&);
};

constexpr std::array kMovements{
    Movement{"Identity", same_elements},
    Movement{"Reshape", same_elements},
    Movement{"Flatten", same_elements},
    Movement{"Squeeze", same_elements},
    Movement{"Unsqueeze", same_elements},
    Movement{"Expand", expanded},
    Movement{"Tile", tiled},
    Movement{"Transpose", transposed},
    Movement{"Slice", sliced},
    Movement{"Gather", gathered},
    Movement{"Split", split},
    Movement{"Concat", concatenated},
    Movement{"ConstantOfShape", filled},
};

}  // namespace

void fold(const Call& call, Effect& effect) {
  if (effect.outputs.empty() || !effect.outputs[0].constant || fold_arithmetic(call, effect)) return;
  const auto found = std::find_if(kMovements.begin(), kMovements.end(),
                                  [&call](auto& entry) { return entry.op == call.op(); });
  if (found != kMovements.end()) found->fold(call, effect);
}

}  // namespace neph::net
