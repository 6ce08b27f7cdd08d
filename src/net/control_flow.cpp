#include "net/control_flow.hpp"

#include <algorithm>

namespace neph::net {
namespace {

/// The one number of a tensor that holds one; nothing where it is open or holds more.
std::optional<std::int64_t> single(const Tensor& tensor) {
  const bool one = tensor.values && tensor.values->size() == 1 && tensor.values->front() != kOpen;
  return one ? std::optional(tensor.values->front()) : std::nullopt;
}

const Known* input_of(const Assembly& assembly, const NodeOutline& node, std::size_t i) {
  return i < node.inputs.size() && !node.inputs[i].empty() ? assembly.find(node.inputs[i]) : nullptr;
}

Status check_inputs(const Assembly& assembly, const NodeOutline& node, std::size_t least) {
  if (node.inputs.size() < least)
    return fail(ErrorCode::corrupt, "node '{}' ({}) has {} inputs", node.name, node.op, node.inputs.size());
  for (const auto& name : node.inputs)
    if (!name.empty() && !assembly.find(name))
      return fail(ErrorCode::corrupt, "node '{}' ({}) reads '{}', which nothing before it makes", node.name,
                  node.op, name);
  return {};
}

Status check_outputs(const NodeOutline& node, const Body& body, std::size_t wanted) {
  if (body.outputs.size() == wanted) return {};
  return fail(ErrorCode::corrupt, "node '{}' ({}): a body makes {} tensors, {} are needed", node.name,
              node.op, body.outputs.size(), wanted);
}

/// What two tensors have in common, of which either may be meant.
Tensor either(const Tensor& a, const Tensor& b) {
  Tensor common{.shape = a.shape, .type = a.type};
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
    common.shape.reset();
    return common;
  }
  for (std::size_t i = 0; i < a.shape->size(); ++i)
    if ((*a.shape)[i] != (*b.shape)[i]) (*common.shape)[i] = kUnknown;
  return common;
}

std::vector<Assembly::Made> as_they_are(const std::vector<const Known*>& outputs) {
  std::vector<Assembly::Made> made;
  for (const Known* output : outputs) made.push_back({.tensor = output->tensor, .from = {output}});
  return made;
}

/// Which branch runs; nothing where the file does not tell. One that contradicts itself does not.
Result<std::optional<bool>> decision(Assembly& assembly, const NodeOutline& node, const Body& yes,
                                     const Body& no) {
  std::optional<bool> decided;
  if (const auto condition = single(input_of(assembly, node, 0)->tensor)) decided = *condition != 0;
  const auto &wrong_yes = yes.contradiction, &wrong_no = no.contradiction;
  if (wrong_yes && decided.value_or(wrong_no.has_value())) NEPH_CHECK(assembly.contradict(*wrong_yes));
  if (wrong_no && !decided.value_or(true)) NEPH_CHECK(assembly.contradict(*wrong_no));
  if (!decided && (wrong_yes || wrong_no)) decided = wrong_no.has_value();
  return decided;
}

/// A trip leaves behind what the next one begins with: sizes that change on the way are unknown. False:
/// nothing had to be changed.
bool generalise(std::vector<Given>& carried, const Body& body, std::size_t first_output) {
  bool changed = false;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    Tensor& before = carried[i].tensor;
    auto common = either(before, body.outputs[first_output + i]->tensor);
    changed = changed || common.shape != before.shape;
    before.shape = std::move(common.shape);
  }
  return changed;
}

/// Inputs of a body that loops: `fixed` ones, then those that are carried from trip to trip, then `parts`.
struct Trip {
  std::vector<Given> fixed, carried, parts;

  std::vector<Given> inputs() const {
    std::vector<Given> all = fixed;
    all.insert(all.end(), carried.begin(), carried.end());
    all.insert(all.end(), parts.begin(), parts.end());
    return all;
  }
};

/// Of a tensor before the loop, as a trip finds it: the numbers may be others in the next.
Given carried_from(const Known* known) {
  if (!known) return {};
  return {.tensor = {.shape = known->tensor.shape, .type = known->tensor.type}, .from = known};
}

/// A trip's body with sizes that hold in every trip.
Result<Body> steady_body(const ReadBody& read, Trip& trip, const NodeOutline& node, std::size_t first_output,
                         std::size_t outputs) {
  for (int tries = 0;; ++tries) {
    NEPH_TRY(auto body, read("body", trip.inputs()));
    NEPH_CHECK(check_outputs(node, body, outputs));
    if (!generalise(trip.carried, body, first_output)) return body;
    if (tries == 1)  // one size may depend on another: from here on none is taken for known
      for (auto& carried : trip.carried) carried.tensor.shape.reset();
  }
}

/// What the trips made, in a row: one more axis of that many.
Tensor stacked(const Tensor& of_trip, std::optional<std::int64_t> trips, std::int64_t axis) {
  Tensor all{.shape = of_trip.shape, .type = of_trip.type};
  if (!all.shape) return all;
  const auto rank = static_cast<std::int64_t>(all.shape->size());
  const auto place = std::clamp<std::int64_t>(axis < 0 ? axis + rank + 1 : axis, 0, rank);
  all.shape->insert(all.shape->begin() + place, trips.value_or(kUnknown));
  return all;
}

/// Moves the body over, as often as it runs, and adds its node.
Status add_trips(Assembly& assembly, const NodeOutline& node, Body body, std::vector<Assembly::Made> made,
                 std::optional<std::int64_t> trips) {
  if (body.contradiction && trips.value_or(0) > 0) NEPH_CHECK(assembly.contradict(*body.contradiction));
  const auto part = std::move(body.assembly).move_over();
  NEPH_CHECK(assembly.repeat(part, trips));
  return assembly.add_control(node, std::move(made));
}

}  // namespace

Status add_if(Assembly& assembly, const NodeOutline& node, const ReadBody& read) {
  NEPH_CHECK(check_inputs(assembly, node, 1));
  if (!input_of(assembly, node, 0))
    return fail(ErrorCode::corrupt, "node '{}' (If) has no condition", node.name);
  NEPH_TRY(auto yes, read("then_branch", {}));
  NEPH_CHECK(check_outputs(node, yes, node.outputs.size()));
  const auto yes_part = std::move(yes.assembly).move_over();
  NEPH_TRY(auto no, read("else_branch", {}));
  NEPH_CHECK(check_outputs(node, no, node.outputs.size()));
  const auto no_part = std::move(no.assembly).move_over();
  NEPH_TRY(const auto decided, decision(assembly, node, yes, no));
  if (decided) {
    NEPH_CHECK(assembly.repeat(*decided ? no_part : yes_part, 0));
    return assembly.add_control(node, as_they_are(*decided ? yes.outputs : no.outputs));
  }
  assembly.leave_open(yes_part, no_part);
  std::vector<Assembly::Made> made;
  for (std::size_t i = 0; i < yes.outputs.size(); ++i)
    made.push_back({.tensor = either(yes.outputs[i]->tensor, no.outputs[i]->tensor),
                    .from = {yes.outputs[i], no.outputs[i]}});
  return assembly.add_control(node, std::move(made));
}

/// Loop(trips, condition, carried...): the body takes the trip's number, the condition and what is carried,
/// and makes the next condition, what is carried on, and what is stacked up.
Status add_loop(Assembly& assembly, const NodeOutline& node, const ReadBody& read) {
  NEPH_CHECK(check_inputs(assembly, node, 2));
  const Known* most = input_of(assembly, node, 0);
  const Known* condition = input_of(assembly, node, 1);
  Trip trip;
  trip.fixed.push_back({.tensor = {.shape = Shape{}, .type = kInt64}});
  const auto begins = condition ? single(condition->tensor) : 1;
  trip.fixed.push_back({.tensor = {.shape = Shape{}, .type = kBool, .constant = begins.has_value()}});
  if (begins) trip.fixed.back().tensor.values = Integers{*begins};
  for (std::size_t i = 2; i < node.inputs.size(); ++i)
    trip.carried.push_back(carried_from(input_of(assembly, node, i)));
  const std::size_t carried = trip.carried.size();
  if (node.outputs.size() < carried)
    return fail(ErrorCode::corrupt, "node '{}' (Loop) carries {} tensors and has {} outputs", node.name,
                carried, node.outputs.size());
  NEPH_TRY(auto body, steady_body(read, trip, node, 1, node.outputs.size() + 1));
  std::optional<std::int64_t> trips;  // told where no trip may stop the loop, or none may begin it
  if (most && begins == 1 && single(body.outputs[0]->tensor) == 1) trips = single(most->tensor);
  if (begins == 1 && single(body.outputs[0]->tensor) == 0) {  // the first trip is the last
    if (!most) trips = 1;
    if (const auto told = most ? single(most->tensor) : std::nullopt)
      trips = std::min<std::int64_t>(*told, 1);
  }
  if (trips) trips = std::max<std::int64_t>(0, *trips);
  if (begins == 0) trips = 0;
  std::vector<Assembly::Made> made;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Known* of_trip = body.outputs[i + 1];
    if (i < carried)
      made.push_back({.tensor = {.shape = trip.carried[i].tensor.shape, .type = of_trip->tensor.type},
                      .from = {of_trip}});
    else
      made.push_back({.tensor = stacked(of_trip->tensor, trips, 0), .from = {of_trip}});
  }
  return add_trips(assembly, node, std::move(body), std::move(made), trips);
}

namespace {

/// A dimension that is taken off the front; nothing where it is open.
std::optional<std::int64_t> take_front(MaybeShape& shape) {
  if (!shape || shape->empty()) return std::nullopt;
  const auto size = shape->front();
  shape->erase(shape->begin());
  return size == kUnknown ? std::nullopt : std::optional(size);
}

/// What Scan's inputs tell: the trip, how many there are, and of how many examples.
struct Sequences {
  Trip trip;
  std::optional<std::int64_t> trips, batch;
};

Result<Sequences> sequences_of(const Assembly& assembly, const NodeOutline& node, std::size_t carried,
                               bool batched) {
  const auto axes = Call(node, {}).integers("scan_input_axes");
  const std::size_t first = batched ? 1 : 0;  // behind the lengths
  Sequences all;
  for (std::size_t i = first; i < node.inputs.size(); ++i) {
    auto given = carried_from(input_of(assembly, node, i));
    if (batched)
      if (const auto batch = take_front(given.tensor.shape)) all.batch = batch;
    const std::size_t place = i - first;
    if (place < carried) {
      all.trip.carried.push_back(std::move(given));
      continue;
    }
    if (auto& shape = given.tensor.shape) {
      NEPH_TRY(const auto axis,
               axis_index(place - carried < axes.size() ? axes[place - carried] : 0, shape->size()));
      if ((*shape)[axis] != kUnknown) all.trips = (*shape)[axis];
      shape->erase(shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    all.trip.parts.push_back(std::move(given));
  }
  return all;
}

/// Scan(carried..., sequences...): the body takes what is carried and a part of each sequence.
Status add_scan_of(Assembly& assembly, const NodeOutline& node, const ReadBody& read, bool batched) {
  NEPH_CHECK(check_inputs(assembly, node, batched ? 2 : 1));
  const Call call(node, {});
  const auto output_axes = call.integers("scan_output_axes");
  const auto sequences = call.integer("num_scan_inputs", 0);
  const std::size_t inputs = node.inputs.size() - (batched ? 1 : 0);
  if (sequences < 1 || sequences > static_cast<std::int64_t>(inputs))
    return fail(ErrorCode::corrupt, "node '{}' (Scan) has {} sequences", node.name, sequences);
  const std::size_t carried = inputs - static_cast<std::size_t>(sequences);
  if (node.outputs.size() < carried)
    return fail(ErrorCode::corrupt, "node '{}' (Scan) carries {} tensors and has {} outputs", node.name,
                carried, node.outputs.size());
  NEPH_TRY(auto given, sequences_of(assembly, node, carried, batched));
  NEPH_TRY(auto body, steady_body(read, given.trip, node, 0, node.outputs.size()));
  std::vector<Assembly::Made> made;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Known* of_trip = body.outputs[i];
    const auto axis = i >= carried && i - carried < output_axes.size() ? output_axes[i - carried] : 0;
    Tensor tensor = i < carried
                        ? Tensor{.shape = given.trip.carried[i].tensor.shape, .type = of_trip->tensor.type}
                        : stacked(of_trip->tensor, given.trips, axis);
    if (batched && tensor.shape) tensor.shape->insert(tensor.shape->begin(), given.batch.value_or(kUnknown));
    made.push_back({.tensor = std::move(tensor), .from = {of_trip}});
  }
  auto runs = given.trips;
  if (batched && !given.batch) runs.reset();
  if (batched && runs) {
    NEPH_TRY(runs, checked_product(*runs, *given.batch));
  }
  return add_trips(assembly, node, std::move(body), std::move(made), runs);
}

}  // namespace

Status add_scan(Assembly& assembly, const NodeOutline& node, const ReadBody& read) {
  return add_scan_of(assembly, node, read, false);
}

Status add_batched_scan(Assembly& assembly, const NodeOutline& node, const ReadBody& read) {
  return add_scan_of(assembly, node, read, true);
}

Status add_function(Assembly& assembly, const NodeOutline& node, const ReadBody& read) {
  NEPH_CHECK(check_inputs(assembly, node, 0));
  std::vector<Given> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Known* known = input_of(assembly, node, i);
    inputs.push_back({.tensor = known ? known->tensor : Tensor{}, .from = known});
  }
  NEPH_TRY(auto body, read({}, inputs));
  auto made = as_they_are(body.outputs);
  return add_trips(assembly, node, std::move(body), std::move(made), 1);
}

}  // namespace neph::net
