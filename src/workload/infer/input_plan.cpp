#include "workload/infer/input_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/shapes.hpp"
#include "engine/input_shapes.hpp"

namespace neph::workload {
namespace {

using Shape = std::vector<std::int64_t>;
using Ports = std::vector<engine::Port>;
using Sizes = std::span<const std::int64_t>;

// Sizes to try for a dimension that is open, the likeliest first.
constexpr std::int64_t image_sides[] = {224, 640, 320, 512, 64};
constexpr std::int64_t text_line_sides[] = {320, 224, 640};  ///< beside a side that is fixed
constexpr std::int64_t signal_lengths[] = {512, 16'000, 256, 128, 1};
constexpr std::int64_t sequence_lengths[] = {128, 512, 256, 64, 16, 1};

bool is_channels(std::int64_t size) { return size == 1 || size == 3; }

bool may_take_images(const engine::Port& input) {
  const bool is_pixels = engine::is_float(input.element) || input.element == engine::Element::u8 ||
                         input.element == engine::Element::i8;
  return is_pixels && input.shape.size() == 4 && (is_channels(input.shape[1]) || is_channels(input.shape[3]));
}

bool is_side(const engine::Port& input, std::size_t i) {
  return may_take_images(input) && (input.channels_last() ? i == 1 || i == 2 : i == 2 || i == 3);
}

Sizes likely_sizes(const engine::Port& input, std::size_t i) {
  if (is_side(input, i)) {
    const auto open = std::count(input.shape.begin() + 1, input.shape.end(), -1);
    return open == 1 ? Sizes(text_line_sides) : Sizes(image_sides);
  }
  if (engine::is_float(input.element) && input.shape.size() == 2) return signal_lengths;
  return sequence_lengths;
}

/// A state's dimensions: [layers, batch, ...].
bool is_batch_of_state(const engine::Port& input, std::size_t i) {
  return i == 1 && input.shape.size() >= 3 && input.shape.front() > 1;
}

class Planner {
 public:
  Planner(const Ports& ports, const InferSpec& spec, InputShapes given)
      : ports_(ports), spec_(spec), given_(std::move(given)) {}

  Status decide_rows();
  /// `attempt`: which of the likely sizes is taken.
  InputPlan plan(std::size_t attempt);
  std::size_t attempts() const { return attempts_; }

 private:
  const Shape* given(const engine::Port& port) const {
    const auto found = given_.find(port.name);
    return found == given_.end() ? nullptr : &found->second;
  }
  Status decide_fixed_rows();
  std::int64_t fixed_rows() const;
  engine::Port whole(const engine::Port& port, std::size_t attempt, bool& is_assumed);
  std::int64_t size_of(const engine::Port& port, std::size_t i, std::size_t attempt, bool& is_assumed);
  const Shape* of_like_one(const engine::Port& port) const;
  bool is_only_batched() const;
  void name_items(InputPlan& plan) const;

  const Ports& ports_;
  const InferSpec& spec_;
  const InputShapes given_;
  std::int64_t rows_ = 1;
  bool is_batch_changed_ = false;
  std::size_t attempts_ = 1;
};

/// The batch, or what shapes say in its place. First dimensions that differ are no batch (atoms and bonds of
/// one graph): then an inference is one item.
Status Planner::decide_rows() {
  bool is_open = false;
  std::optional<std::int64_t> said;
  rows_ = spec_.batch;
  for (const auto& port : ports_) {
    if (!port.open_rank && (port.shape.empty() || port.shape.front() >= 0)) continue;
    is_open = true;
    const auto* shape = given(port);
    if (shape == nullptr || shape->empty()) continue;
    if (spec_.batch != 1 && shape->front() != spec_.batch)
      return fail(ErrorCode::invalid_argument,
                  "--shape has {} items in an inference for input '{}', and --batch says {}; leave one out",
                  shape->front(), port.name, spec_.batch);
    rows_ = !said || *said == shape->front() ? shape->front() : 1;
    said = rows_;
  }
  return is_open ? Status() : decide_fixed_rows();
}

/// The first dimension that inputs have in common, but for states, which have layers before it; 1: there is
/// none.
std::int64_t Planner::fixed_rows() const {
  Ports ranked;
  for (auto port : ports_) {
    if (const auto* shape = given(port)) port.shape = *shape;
    if (port.shape.size() > 1) ranked.push_back(std::move(port));
  }
  const auto has_rows = [](const engine::Port& port, std::int64_t rows) {
    return port.shape.front() == rows ||
           (!may_take_images(port) && is_batch_of_state(port, 1) && port.shape[1] == rows);
  };
  for (const auto& first : ranked) {
    const auto rows = first.shape.front();
    if (std::ranges::all_of(ranked, [&](const auto& port) { return has_rows(port, rows); })) return rows;
  }
  return 1;
}

/// Of a model that fixes the first dimension of every input.
Status Planner::decide_fixed_rows() {
  const auto fixed = fixed_rows();
  const bool keeps = spec_.batch == fixed || (spec_.batch == 1 && spec_.images.empty());
  if (keeps || !given_.empty()) {
    rows_ = fixed;
    if (keeps || spec_.batch == 1) return {};
    return fail(ErrorCode::invalid_argument, "--shape has {} items in an inference, and --batch says {}",
                fixed, spec_.batch);
  }
  for (const auto& port : ports_)
    if (port.shape.empty() || port.shape.front() != fixed)
      return fail(ErrorCode::invalid_argument,
                  "--batch {}: the model's inputs have no batch in common ('{}' is {}); say whole shapes: "
                  "--shape NAME:{}x...",
                  spec_.batch, port.name, engine::shape_text(port.shape), spec_.batch);
  is_batch_changed_ = true;
  return {};
}

/// Of an input that was given and is open in the same places: masks and types go with the tokens.
const Shape* Planner::of_like_one(const engine::Port& port) const {
  for (const auto& other : ports_)
    if (const auto* shape = given(other); shape && !other.open_rank && other.shape == port.shape)
      return shape;
  return nullptr;
}

std::int64_t Planner::size_of(const engine::Port& port, std::size_t i, std::size_t attempt,
                              bool& is_assumed) {
  if (i == 0) return is_batch_changed_ || port.shape[0] < 0 ? rows_ : port.shape[0];
  if (port.shape[i] >= 0) return port.shape[i];
  if (const auto* like = of_like_one(port)) return (*like)[i];
  if (is_batch_of_state(port, i)) return rows_;
  if (spec_.side > 0 && is_side(port, i)) return spec_.side;
  is_assumed = true;
  const auto sizes = likely_sizes(port, i);
  attempts_ = std::max(attempts_, sizes.size());
  return sizes[std::min(attempt, sizes.size() - 1)];
}

engine::Port Planner::whole(const engine::Port& port, std::size_t attempt, bool& is_assumed) {
  auto sized = port;
  sized.open_rank = false;
  if (const auto* shape = given(port)) {
    sized.shape = *shape;
  } else if (port.open_rank) {
    is_assumed = true;
    attempts_ = std::max(attempts_, std::size(sequence_lengths));
    sized.shape = {rows_, sequence_lengths[std::min(attempt, std::size(sequence_lengths) - 1)]};
  } else {
    for (std::size_t i = 0; i < port.shape.size(); ++i)
      sized.shape[i] = size_of(port, i, attempt, is_assumed);
  }
  return sized;
}

/// One input of which the first dimension is the batch: what engines make of a batch alone.
bool Planner::is_only_batched() const {
  return ports_.size() == 1 && given_.empty() && !ports_[0].open_rank && takes_images(ports_[0]);
}

void Planner::name_items(InputPlan& plan) const {
  if (plan.inputs.size() == 1 && takes_images(plan.inputs[0])) {
    plan.item = Item::image;
    return;
  }
  for (const auto& input : plan.inputs) {
    const bool is_text =
        input.name.find("ids") != std::string::npos || input.name.find("token") != std::string::npos;
    if (engine::is_float(input.element) || input.shape.size() != 2 || !is_text) continue;
    plan.item = Item::sequence;
    plan.tokens = input.shape[1];
    return;
  }
}

InputPlan Planner::plan(std::size_t attempt) {
  InputPlan plan{.inputs = {}, .shapes = {}, .rows = rows_, .assumed = {}};
  plan.is_batch_changed = is_batch_changed_;
  for (const auto& port : ports_) {
    bool is_assumed = false;
    plan.inputs.push_back(whole(port, attempt, is_assumed));
    const auto& sized = plan.inputs.back();
    if (is_assumed) plan.assumed.push_back(shapes_text({{sized.name, sized.shape}}));
    plan.shapes[sized.name] = sized.shape;
  }
  const auto is_as_it_was = [](const auto& sized, const auto& port) {
    return !port.open_rank && sized.shape == port.shape;
  };
  if (is_only_batched() || std::ranges::equal(plan.inputs, ports_, is_as_it_was)) plan.shapes.clear();
  name_items(plan);
  return plan;
}

std::vector<std::string> names_of(const Ports& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  return names;
}

}  // namespace

bool takes_images(const engine::Port& input) {
  return may_take_images(input) &&
         std::all_of(input.shape.begin() + 1, input.shape.end(), [](auto size) { return size > 0; });
}

Result<std::vector<InputPlan>> input_plans(const Ports& inputs, const InferSpec& spec) {
  InputShapes given;
  if (!spec.shape.empty()) {
    NEPH_TRY(auto read, parse_shapes(spec.shape));
    NEPH_TRY(given, named_shapes(std::move(read), names_of(inputs)));
  }
  NEPH_CHECK(engine::input_shapes(inputs, {.batch = 0, .shapes = given}));
  Planner planner(inputs, spec, std::move(given));
  NEPH_CHECK(planner.decide_rows());
  std::vector<InputPlan> plans{planner.plan(0)};
  for (std::size_t attempt = 1; attempt < planner.attempts(); ++attempt)
    plans.push_back(planner.plan(attempt));
  return plans;
}

bool has_classes(const InputPlan& plan, const std::vector<engine::Port>& outputs) {
  if (plan.item != Item::image || outputs.size() != 1) return false;
  const auto& [name, element, shape, open_rank] = outputs.front();
  return element == engine::Element::f32 && shape.size() >= 2 && shape[0] == plan.rows && shape[1] != 0 &&
         std::all_of(shape.begin() + 2, shape.end(), [](auto size) { return size == 1; });
}

}  // namespace neph::workload
