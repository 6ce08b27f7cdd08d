#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/verbs.hpp"
#include "engine/engine.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

struct InferOptions {
  Json fields = Json::object();
  CompetingPlanOptions plan;
  ConductOptions conduct;
  std::string engine_path;
};

}  // namespace

void declare_infer(Command& command) {
  auto options = std::make_shared<InferOptions>();
  command.factors<workload::InferSpec>(options->fields, "model");
  command.fields(options->plan);
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  declare_flags(command, options->conduct);
  command.footer(
      "Every option down to --answers takes a list or range of values. Each combination is a configuration,\n"
      "measured --repeat times in random order, each run in a process of its own.\n"
      "  neph infer resnet50 --images photos --batch 1,2,4,8,16,32 --repeat 20\n"
      "  neph infer model.onnx --shape input_ids:1x128,8x128 --engine openvino,onnxruntime\n"
      "  neph infer model.onnx --inputs examples.npz\n"
      "  neph infer model.onnx --images photos --files on,off --precision f32,bf16 --mode sync,async --json "
      "> r.json");
  command.action([options, is_repeat_asked = command.asked("repeat")]() -> Result<int> {
    engine::look_also_in(options->engine_path);
    if (options->fields.contains("server") && !options->fields.contains("architecture"))
      options->fields["architecture"] = std::string(enum_name(workload::Architecture::remote));
    NEPH_TRY(auto plan, make_plan("infer", options->fields, options->plan, options->plan.latency_limit));
    plan.is_repeat_asked = is_repeat_asked();
    return conduct_plan(std::move(plan), options->conduct);
  });
}

}  // namespace neph::cli
