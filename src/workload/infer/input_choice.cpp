#include "workload/infer/input_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workload/infer/model_batch.hpp"
#include "workload/infer/vocabulary.hpp"

namespace neph::workload {
namespace {

constexpr std::int64_t generated_examples = 4;
constexpr double most_bytes_of_several = 64e6;

/// What other shapes do not change: no such device, no memory, a damaged file.
bool is_final(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::unavailable ||
         error.code == ErrorCode::corrupt;
}

std::int64_t examples_for(const InputPlan& plan) {
  double bytes = 0;
  for (const auto& input : plan.inputs) bytes += static_cast<double>(input.bytes());
  return bytes * generated_examples > most_bytes_of_several ? 1 : generated_examples;
}

/// One inference, whose outputs nobody looks at.
Status infer_once(engine::Session& session, std::vector<ExampleTensor>& example) {
  NEPH_TRY(const auto request, session.make_request());
  NEPH_CHECK(bind_example(*request, session.inputs(), example));
  std::vector<AlignedFloats> outputs;
  for (std::size_t i = 0; i < session.outputs().size(); ++i) {
    const auto& output = session.outputs()[i];
    if (output.is_open()) continue;
    outputs.push_back(allocate_floats(output.bytes() / sizeof(float) + 1));
    if (!outputs.back()) return fail(ErrorCode::unavailable, "no memory for output '{}'", output.name);
    NEPH_CHECK(request->bind_output(i, outputs.back().get(), output.bytes()));
  }
  return request->infer();
}

Result<InputChoice> choose_generated(std::vector<InputPlan> plans, const IntegerBounds& bounds,
                                     const InferSpec& spec, const TryOut& try_out) {
  const bool is_certain = plans.size() == 1;
  Error first;
  for (auto& plan : plans) {
    InputChoice choice{.plan = std::move(plan), .examples = {}, .session = {}};
    if (is_certain && !spec.images.empty()) return choice;
    NEPH_TRY(choice.examples, generate_examples(choice.plan, bounds, examples_for(choice.plan)));
    if (is_certain) return choice;
    auto status = try_out(choice);
    if (status) return choice;
    if (is_final(status.error())) return tl::unexpected(std::move(status).error());
    if (first.message.empty()) {
      first = std::move(status).error();
      first.add_hint(fmt::format("that was with {}; say another: --shape {}",
                                 fmt::join(choice.plan.assumed, " and "),
                                 fmt::join(choice.plan.assumed, "+")));
    }
  }
  return tl::unexpected(std::move(first));
}

}  // namespace

engine::Options engine_options(const InferSpec& spec, const InputPlan& plan) {
  auto options = engine_options(spec);
  options.shapes = plan.shapes;
  if (plan.item == Item::image)  // whose batch alone tells them: outputs need not have it in front
    for (const auto& input : plan.inputs) options.shapes.try_emplace(input.name, input.shape);
  options.batch = options.shapes.empty() ? 0 : plan.rows;
  return options;
}

Result<InputChoice> choose_inputs(const std::vector<engine::Port>& inputs, const IntegerBounds& bounds,
                                  const InferSpec& spec, const TryOut& try_out) {
  NEPH_TRY(auto plans, input_plans(inputs, spec));
  if (spec.inputs.empty()) {
    NEPH_TRY(auto choice, choose_generated(std::move(plans), bounds, spec, try_out));
    if (!spec.images.empty()) choice.examples = {};
    return choice;
  }
  InputChoice choice{.plan = std::move(plans.front()), .examples = {}, .session = {}};
  NEPH_TRY(choice.examples, read_examples(spec.inputs, inputs, bounds, choice.plan));
  return choice;
}

Result<InputChoice> choose_inputs(engine::Model& model, const std::filesystem::path& file,
                                  const InferSpec& spec) {
  if (model.outputs().empty())
    return fail(ErrorCode::unsupported, "{}: the model has no output, so no answers", file.string());
  return choose_inputs(model.inputs(), integer_bounds(model, file), spec, [&](InputChoice& choice) -> Status {
    NEPH_TRY(choice.session, model.compile(engine_options(spec, choice.plan)));
    return infer_once(*choice.session, choice.examples.all.front());
  });
}

void tell_of(const InputChoice& choice, const InferSpec& spec, EventSink& events) {
  const auto& plan = choice.plan;
  if (plan.inputs.empty()) return;
  if (spec.images.empty() && spec.inputs.empty())
    events.emit(
        Note{fmt::format("inputs are generated ({}); --images FOLDER or --inputs FILE gives real ones",
                         choice.examples.what)});
  if (!plan.assumed.empty())
    events.emit(Note{fmt::format("{} leaves shapes open; taken: {}; to say others: --shape {}", spec.model,
                                 fmt::join(plan.assumed, " and "), fmt::join(plan.assumed, "+"))});
}

}  // namespace neph::workload
