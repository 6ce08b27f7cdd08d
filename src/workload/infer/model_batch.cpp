#include "workload/infer/model_batch.hpp"

#include <fmt/format.h>

#include "framework/framework.hpp"
#include "net/net.hpp"

namespace neph::workload {
namespace {

constexpr const char* advice = "export the model with an open first dimension";

/// Empty: rows of this model may run together.
Result<std::string> try_rows(engine::Model& model, const InferSpec& spec, std::int64_t rows) {
  const auto facts = model.rows_are_independent() ? engine::RowFacts{} : model.row_facts();
  if (!facts.state.empty()) return facts.state;
  if (!facts.coupling.empty()) return facts.coupling;
  auto options = engine_options(spec);
  options.batch = 1;
  NEPH_TRY(const auto alone, model.compile(options));
  options.batch = rows;
  NEPH_TRY(const auto together, model.compile(options));
  return engine::rows_that_differ(*alone, *together, rows, facts.integers_below);
}

}  // namespace

/// The side of a file's input is a shape of the run, and no choice of a network's.
Result<std::filesystem::path> file_of_model(const InferSpec& spec, EventSink& events) {
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(spec.model, ignored);
  NEPH_TRY(auto file, net::model_file(spec.model, {.classes = spec.classes, .side = is_file ? 0 : spec.side},
                                      spec.weights_seed));
  if (file == spec.model) return file;
  return framework::file_for_engine(std::move(file), spec.runtime,
                                    [&](std::string text) { events.emit(Note{std::move(text)}); });
}

engine::Options engine_options(const InferSpec& spec) {
  auto options = engine::options_of(spec.runtime);
  options.batch = spec.batch;
  options.hint = spec.mode == Mode::sync ? engine::Hint::latency : engine::Hint::throughput;
  return options;
}

std::optional<std::int64_t> fixed_batch(const engine::Model& model) {
  for (const auto& input : model.inputs())
    if (!input.shape.empty() && input.shape.front() >= 0) return input.shape.front();
  return std::nullopt;
}

Status check_runtime(engine::Model& model, const InferSpec& spec) {
  const auto& runtime = spec.runtime;
  if (runtime.provider.empty() && runtime.pinning == engine::Pinning::automatic &&
      runtime.spinning == engine::Spinning::automatic)
    return {};
  auto options = engine_options(spec);
  options.batch = 0;
  if (model.compile(options)) return {};
  options.batch = spec.batch;  // of an engine that knows no other (identity)
  NEPH_CHECK(model.compile(options));
  return {};
}

Status check_batch(engine::Model& model, const InferSpec& spec, EventSink& events) {
  const auto fixed = fixed_batch(model);
  if (!fixed || *fixed == spec.batch) return {};
  if (spec.architecture != Architecture::in_process)
    return fail(
        ErrorCode::invalid_argument,
        "--batch {}: {} fixes its batch at {}, and a server does not change that; use --batch {}, or {}",
        spec.batch, spec.model, *fixed, *fixed, advice);
  NEPH_TRY(const auto difference, try_rows(model, spec, std::max(spec.batch, *fixed)));
  if (!difference.empty())
    return fail(ErrorCode::invalid_argument,
                "--batch {}: {} fixes its batch at {}, and {}; use --batch {}, or {}", spec.batch, spec.model,
                *fixed, difference, *fixed, advice);
  events.emit(Note{
      fmt::format("{} fixes its batch at {}; made {}, as its rows give the same answers together and apart",
                  spec.model, *fixed, spec.batch)});
  return {};
}

}  // namespace neph::workload
