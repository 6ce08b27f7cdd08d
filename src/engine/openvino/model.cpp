#include "engine/openvino/model.hpp"

#include <openvino/runtime/properties.hpp>

#include "core/names.hpp"
#include "core/text.hpp"
#include "engine/engine_name.hpp"
#include "engine/hardware.hpp"
#include "engine/openvino/device.hpp"
#include "engine/openvino/error_text.hpp"
#include "engine/openvino/facts.hpp"
#include "engine/openvino/layer_times.hpp"
#include "engine/openvino/port.hpp"
#include "engine/openvino/session.hpp"
#include "engine/openvino/shapes.hpp"
#include "os/cores.hpp"

namespace neph::engine {
namespace {

ov::AnyMap properties_of(const Options& options) {
  ov::AnyMap properties{ov::hint::performance_mode(options.hint == Hint::latency
                                                       ? ov::hint::PerformanceMode::LATENCY
                                                       : ov::hint::PerformanceMode::THROUGHPUT)};
  // i8 is the model's own: what is not quantised in it runs in the default precision.
  if (options.precision == Precision::f32) properties.insert(ov::hint::inference_precision(ov::element::f32));
  if (options.precision == Precision::bf16)
    properties.insert(ov::hint::inference_precision(ov::element::bf16));
  if (options.precision == Precision::f16) properties.insert(ov::hint::inference_precision(ov::element::f16));
  // Left to itself OpenVINO takes as many as it finds best on the processors, and knows of no quota.
  const bool has_quota = options.device == "CPU" && usable_cores() < std::ssize(allowed_cores());
  if (options.threads > 0 || has_quota)
    properties.insert(ov::inference_num_threads(static_cast<int>(usable_threads(options.threads))));
  if (options.streams > 0) properties.insert(ov::num_streams(static_cast<int>(options.streams)));
  if (options.pinning != Pinning::automatic)
    properties.insert(ov::hint::enable_cpu_pinning(options.pinning == Pinning::on));
  if (options.profiled) properties.insert(ov::enable_profiling(true));
  return properties;
}

}  // namespace

Result<std::unique_ptr<Model>> OpenVinoModel::make(ov::Core& core, std::string file,
                                                   std::shared_ptr<ov::Model> model) {
  auto made = std::unique_ptr<OpenVinoModel>(new OpenVinoModel(core, std::move(file), std::move(model)));
  const ov::Model& read = *made->model_;
  auto inputs = ports_of(read.inputs());
  auto outputs = ports_of(read.outputs());
  for (const auto* ports : {&inputs, &outputs})
    if (!*ports) return fail(ports->error().code, "cannot load {}: {}", made->file_, ports->error().message);
  made->inputs_ = std::move(*inputs);
  made->outputs_ = std::move(*outputs);
  return made;
}

Result<std::unique_ptr<Session>> OpenVinoModel::compile(const Options& options) {
  const EngineName name;
  try {
    return compile_checked(options);
  } catch (...) {
    return tl::unexpected(explain_current(fmt::format("cannot compile {} for {}", file_, options.device)));
  }
}

Result<std::unique_ptr<Session>> OpenVinoModel::compile_checked(const Options& options) {
  NEPH_CHECK(check_counts(options));
  NEPH_CHECK(check_no_provider(options));
  NEPH_CHECK(check_no_spinning(options));
  NEPH_TRY(const auto device, find_device(core_, options.device));
  NEPH_CHECK(check_precision(device, *model_, options.precision));
  // The clone shares the weights; the model stays as it was read for the next batch.
  auto model = model_->clone();
  if (auto fits = set_shapes(*model, options); !fits)
    return fail(fits.error().code, "{}: {}", file_, fits.error().message);
  if (options.profiled) keep_names(*model, lowered(file_).ends_with(".onnx"));
  auto compiled = core_.compile_model(model, options.device, properties_of(options));
  auto facts = facts_of(compiled, device.name, device.description);
  return OpenVinoSession::make(*model, std::move(compiled), std::move(facts));
}

}  // namespace neph::engine
