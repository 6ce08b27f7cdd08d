// The inputs that a run really gives its model, where the model leaves things open: tried, not guessed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/engine.hpp"
#include "record/event.hpp"
#include "workload/infer/examples.hpp"
#include "workload/infer/input_plan.hpp"

namespace neph::workload {

struct InputChoice {
  InputPlan plan;
  Examples examples;  ///< none: images go in
  /// Of the plan, which has answered an inference; none: nothing had to be tried.
  std::unique_ptr<engine::Session> session;
};

/// Has a choice, whose shapes are assumed, answered once.
using TryOut = std::function<Status(InputChoice&)>;

/// With --images the first plan that the model takes; with --inputs that of the file; else what is generated,
/// with the first shapes with which `try_out` succeeds. What is certain is not tried. Errors: those of
/// input_plans() and read_examples(); what other shapes would not change (not_found, unavailable, corrupt);
/// of shapes of which none succeeds the first one's reason, and how to say one.
Result<InputChoice> choose_inputs(const std::vector<engine::Port>& inputs, const IntegerBounds& bounds,
                                  const InferSpec& spec, const TryOut& try_out);
/// Of a model in this process.
Result<InputChoice> choose_inputs(engine::Model& model, const std::filesystem::path& file,
                                  const InferSpec& spec);

/// Tells what was assumed and that inputs are generated.
void tell_of(const InputChoice& choice, const InferSpec& spec, EventSink& events);

/// What an engine is told of a run with such inputs.
engine::Options engine_options(const InferSpec& spec, const InputPlan& plan);

}  // namespace neph::workload
