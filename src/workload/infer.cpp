#include "workload/infer.hpp"

#include "core/thread.hpp"
#include "core/values.hpp"
#include "workload/infer_run.hpp"
#include "workload/model_file.hpp"

namespace neph::workload::infer {
namespace {

Result<InferSpec> parse(const Json& json) { return from_json<InferSpec>(json, ""); }

}  // namespace

Status check(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.model.empty())
    return fail(ErrorCode::invalid_argument, "no model given; neph infer MODEL --images FOLDER");
  if (spec.images.empty())
    return fail(ErrorCode::invalid_argument,
                "no pictures given: --images FOLDER (neph images synth makes some)");
  if (spec.mode == Mode::sync && spec.depth > 1)
    return fail(ErrorCode::invalid_argument,
                "depth {} needs --mode async: one after the other has one in flight", spec.depth);
  if (spec.files == Files::off && spec.cache == Cache::cold)
    return fail(ErrorCode::invalid_argument, "cache cold means nothing with files off: no file is read");
  return {};
}

Status prepare(const Json& json, EventSink& events) {
  NEPH_TRY(const auto spec, parse(json));
  NEPH_TRY(const auto path, model_file(spec));
  if (spec.prepared == Prepared::off) return {};
  engine::Registry engines;
  NEPH_TRY(auto* engine, engines.open(spec.engine));
  NEPH_TRY(const auto model, engine->load(path));
  NEPH_TRY(const auto transform, transform_for(model->inputs()));
  NEPH_TRY(const auto pictures, pictures_for(spec, transform, events));
  return {};
}

Result<RunResult> run(const Json& json, const Context& context) {
  NEPH_CHECK(check(json));
  NEPH_TRY(const auto spec, parse(json));
  Result<RunResult> result = fail(ErrorCode::internal, "the run did not start");
  start_thread(engine_role, [&](const std::stop_token&) { result = InferRun(spec, context).run(); }).join();
  return result;
}

std::string command(const Json& json) {
  const auto spec = parse(json);
  if (!spec) return {};
  const auto given = to_json(*spec);
  const auto defaults = to_json(InferSpec{});
  std::string line = "neph infer " + shell_quoted(spec->model);
  for (const auto& [name, value] : given.items()) {
    if (name == "model" || value == defaults[name]) continue;
    auto option = name;
    std::replace(option.begin(), option.end(), '_', '-');
    line += fmt::format(" --{} {}", option, shell_quoted(value_as_text(value)));
  }
  return line;
}

std::vector<std::string> answer_fields() {
  return {"model",  "images",  "count", "prepared",     "precision",      "engine",
          "device", "classes", "side",  "weights_seed", "min_file_bytes", "tensor_memory_bytes"};
}

Json probe(const Json& json) {
  Json small = json;
  const auto spec = parse(json);
  if (!spec) return small;
  small["count"] = 2 * spec->batch * (spec->mode == Mode::async ? std::max<std::int64_t>(4, spec->depth) : 1);
  small["warmup"] = 1;
  small["warmup_max_s"] = 0;
  small["protocol"] = "";
  return small;
}

double whole_run_s(const Json& json, const Run& probe) {
  double measure_s = 0;
  double warmup_s = 0;
  for (const auto& phase : probe.result.phases) {
    if (phase.name == "measure") measure_s = phase.end_s - phase.begin_s;
    if (phase.name == "warmup") warmup_s = phase.end_s - phase.begin_s;
  }
  double rate = 0;
  double pictures = 0;
  for (const auto& figure : probe.result.figures)
    if (figure.name == "images_per_s") rate = figure.estimate.value;
  const auto spec = parse(json);
  if (!spec || rate <= 0) return probe.wall_s;
  pictures = static_cast<double>(spec->count);
  if (const auto found = probe.result.facts.find("usable_pictures");
      spec->count == 0 && found != probe.result.facts.end())
    pictures = std::stod(found->second);
  const double warm_batches = std::max<double>(10, static_cast<double>(spec->warmup));
  const double warmup_whole_s =
      std::min(spec->warmup_max_s, warm_batches * static_cast<double>(spec->batch) / rate);
  return probe.wall_s - measure_s - warmup_s + warmup_whole_s + pictures / rate;
}

}  // namespace neph::workload::infer
