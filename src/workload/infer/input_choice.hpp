// The inputs that a run really gives its model, where the model leaves things open: tried, not guessed.
#pragma once

#include <filesystem>
#include <memory>

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

/// With --images the first plan that the model takes; with --inputs that of the file; else what is generated,
/// with the first shapes with which an inference succeeds. Errors: those of input_plans() and
/// read_examples(); unsupported (no shape that was tried succeeds; the first one's reason, and how to say
/// one).
Result<InputChoice> choose_inputs(engine::Model& model, const std::filesystem::path& file,
                                  const InferSpec& spec);

/// Generated, or those of spec.inputs, without a model that could be tried or asked: of one that a server
/// has, and of which `model` are the inputs. The vocabulary is looked for in the file of spec.model, if it is
/// one.
Result<Examples> examples_for(const InferSpec& spec, const std::vector<engine::Port>& model, InputPlan& plan);

/// Tells what was assumed and that inputs are generated.
void tell_of(const InputChoice& choice, const InferSpec& spec, EventSink& events);

/// What an engine is told of a run with such inputs.
engine::Options engine_options(const InferSpec& spec, const InputPlan& plan);

}  // namespace neph::workload
