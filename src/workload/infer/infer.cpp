#include "workload/infer/infer.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "core/clock.hpp"
#include "core/shapes.hpp"
#include "core/values.hpp"
#include "os/thread.hpp"
#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "workload/command_line.hpp"
#include "workload/fields.hpp"
#include "workload/files.hpp"
#include "workload/infer/independent_client.hpp"
#include "workload/infer/input_choice.hpp"
#include "workload/infer/item_speed.hpp"
#include "workload/infer/model_batch.hpp"
#include "workload/infer/pixels.hpp"
#include "workload/infer/run.hpp"
#include "workload/infer/system_under_test.hpp"
#include "workload/remote_telemetry.hpp"
#include "workload/server_process.hpp"

namespace neph::workload::infer {
namespace {

Result<InferSpec> parse(const Json& json) { return from_json<InferSpec>(json, ""); }

/// What prepare() looks at: cells that differ in nothing of it share one preparation.
Json prepared_part(const Json& spec) {
  Json part = Json::object();
  for (const auto& name : fields_with<InferSpec>(&Traits::is_prepared))
    if (spec.contains(name)) part[name] = spec[name];
  return part;
}

Status check_architecture(const InferSpec& spec) {
  if (spec.architecture == Architecture::remote && spec.server.empty())
    return fail(ErrorCode::invalid_argument,
                "--architecture remote needs the server's address: --server grpc://node2:8001");
  if (!spec.server.empty()) NEPH_CHECK(wire::parse_endpoint(spec.server));
  if (!spec.metrics.empty()) NEPH_CHECK(metrics_endpoint(spec.metrics));
  return {};
}

/// Whether a server that is there has the model, and takes such batches.
Status ask_server(const InferSpec& spec, EventSink& events) {
  const SteadyClock clock;
  return check_server(spec,
                      {.clock = clock, .origin = clock.now(), .events = events, .stop = {}, .finish = {}});
}

struct Ready {
  std::unique_ptr<engine::Model> model;  ///< none: behind a server that is there, which alone knows it
  std::filesystem::path file;
  launch::Files files;
};

Result<Ready> prepare_one(const InferSpec& spec, engine::Registry& engines, EventSink& events) {
  Ready ready;
  image::Transform transform;
  if (spec.architecture != Architecture::remote) {
    NEPH_TRY(auto* engine, engines.open(spec.runtime.engine));
    NEPH_CHECK(engine->device(spec.runtime.device));
    NEPH_TRY(ready.file, file_of_model(spec, events));
    NEPH_TRY(ready.model, engine->load(ready.file));
    ready.files = files_of_model(ready.file);
    NEPH_TRY(const auto choice, choose_inputs(*ready.model, ready.file, spec));
    for (auto& note : ready.model->notes()) events.emit(Note{std::move(note)});
    tell_of(choice, spec, events);
    if (!spec.images.empty()) {
      NEPH_TRY(transform, transform_for(choice.plan));
    }
  }
  if (!spec.inputs.empty()) ready.files.push_back({.field = "inputs", .path = spec.inputs});
  if (!spec.images.empty()) {
    NEPH_TRY(const auto pictures, pictures_for(spec, transform, events));
    ready.files.push_back({.field = "images", .path = pictures.folder});
  }
  for (auto& file : files_of_credentials(spec.credentials)) ready.files.push_back(std::move(file));
  return ready;
}

/// Whether the model takes such a batch, with such shapes.
Status check_rows(engine::Model& model, const InferSpec& spec, EventSink& events) {
  NEPH_TRY(const auto plans, input_plans(model.inputs(), spec));
  return plans.front().is_batch_changed ? check_batch(model, spec, events) : Status();
}

bool is_server_in_docker(const InferSpec& spec) {
  return spec.architecture == Architecture::local && spec.server_in == In::docker;
}

/// What several cells share is looked at once.
class Preparation {
 public:
  explicit Preparation(EventSink& events) : events_(events) {}

  Result<launch::Files> of(const Json& json) {
    NEPH_TRY(const auto spec, parse(json));
    if (is_server_in_docker(spec))  // has a container to run in, which may pull its image
      NEPH_CHECK(once("container " + spec.image, [&] { return ServerProcess::check(spec); }));
    const auto key = dump_json(prepared_part(json));
    const auto [known, is_new] = ready_.try_emplace(key);
    if (is_new) known->second = prepare_one(spec, engines_, events_);
    if (!known->second) return tl::unexpected(known->second.error());
    const auto& [model, file, files] = *known->second;
    const auto& runtime = spec.runtime;
    if (model)
      NEPH_CHECK(
          once(fmt::format("runtime {} {} {}", key, enum_name(runtime.pinning), enum_name(runtime.spinning)),
               [&, &model = model] { return check_runtime(*model, spec); }));
    NEPH_CHECK(once(fmt::format("batch {} {}", key, spec.batch), [&, &model = model] {
      return model ? check_rows(*model, spec, events_) : ask_server(spec, events_);
    }));
    return files;
  }

 private:
  template <class Check>
  Status once(const std::string& what, Check check) {
    const auto [known, is_new] = checked_.try_emplace(what);
    if (is_new) known->second = check();
    return known->second;
  }

  EventSink& events_;
  engine::Registry engines_;
  std::map<std::string, Result<Ready>> ready_;  ///< by what is prepared
  std::map<std::string, Status> checked_;
};

/// One source of inputs, and nothing of images where there are none.
Status check_source(const Json& given, const InferSpec& spec) {
  if (!spec.images.empty() && !spec.inputs.empty())
    return fail(ErrorCode::invalid_argument,
                "--images and --inputs: a run has one source of inputs; leave one out");
  if (!spec.images.empty()) return {};
  if (given.contains("images"))
    return fail(
        ErrorCode::invalid_argument,
        "no images given: --images FOLDER (neph images synth makes some); without it inputs are generated");
  for (const std::string_view field :
       {"payload", "files", "prepared", "cache", "loaders", "min_file_bytes", "tensor_memory_bytes"})
    if (given.contains(field))
      return fail(ErrorCode::invalid_argument, "{} means nothing without --images FOLDER",
                  option_name(field));
  return {};
}

/// A fact of the run that is a number; at least 1.
double pictures_in(const Run& run, Fact<std::int64_t> fact) {
  return static_cast<double>(std::max<std::int64_t>(1, get(run.result.facts, fact).value_or(1)));
}

}  // namespace

Status check(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.model.empty())
    return fail(ErrorCode::invalid_argument,
                "no model given; neph infer MODEL --images FOLDER, or without --images on generated inputs");
  NEPH_CHECK(check_source(json, spec));
  if (!spec.shape.empty()) {
    if (const auto read = parse_shapes(spec.shape); !read) return fail_in("--shape", read.error());
  }
  if (json.contains("image") && spec.images.empty() && !is_server_in_docker(spec))
    return fail(
        ErrorCode::invalid_argument,
        "--image {0}: that is the Docker image of a server (--server-in docker); a folder of images is "
        "--images {0}",
        spec.image);
  NEPH_CHECK(check_applicable(json, spec));
  NEPH_CHECK(check_architecture(spec));
  if (spec.files == Files::off && spec.cache == Cache::cold)
    return fail(ErrorCode::invalid_argument, "--cache cold means nothing with --files off: no file is read");
  return {};
}

PreparedCells prepare(std::span<const Json> specs, EventSink& events) {
  Preparation preparation(events);
  PreparedCells all;
  for (const auto& json : specs) all.push_back(preparation.of(json));
  return all;
}

Result<RunResult> run(const Json& json, const Context& context) {
  NEPH_CHECK(check(json));
  NEPH_TRY(const auto spec, parse(json));
  Result<RunResult> result = fail(ErrorCode::internal, "the run did not start");
  const auto measure = [&](std::int64_t) {
    try {
      result = InferRun(spec, context).run();
    } catch (const std::bad_alloc&) {
      result = fail(ErrorCode::unavailable, "not enough memory; take a smaller count, batch or depth");
    }
  };
  NEPH_CHECK(on_threads(engine_role, 1, measure));
  return result;
}

std::string command(const Json& spec) { return command_line<InferSpec>("infer", "model", spec); }

Json trial(const Json& json) {
  Json small = json;
  const auto spec = parse(json);
  if (!spec) return small;
  small["count"] = 2 * spec->batch * (spec->mode == Mode::async ? std::max<std::int64_t>(4, spec->depth) : 1);
  small["warmup_max_s"] = 0;
  if (spec->client == Client::independent) return small;
  small["warmup"] = 1;
  small["answers"] = "";
  return small;
}

double whole_run_s(const Json& json, const Run& trial) {
  const auto spec = parse(json);
  double rate = 0;
  for (const auto item : {Item::image, Item::sequence, Item::sample})
    for (const auto& figure : trial.result.figures)
      if (figure.name == speed_metric(item).name) rate = figure.estimate.value;
  if (!spec || rate <= 0) return trial.wall_s;

  const double usable = pictures_in(trial, fact::usable_pictures);
  const double pictures = spec->count > 0        ? static_cast<double>(spec->count)
                          : spec->images.empty() ? rate * tensor_run_s
                                                 : usable;
  const double warm_batches = std::max(10.0, static_cast<double>(spec->warmup));
  const double warmup_s =
      std::min(spec->warmup_max_s, spec->client == Client::independent
                                       ? longest_independent_warmup_s
                                       : warm_batches * static_cast<double>(spec->batch) / rate);
  double whole_s = trial.wall_s;
  for (const auto& phase : trial.result.phases) {
    const double length_s = phase.end_s - phase.begin_s;
    if (phase.name == phase::measure.name) whole_s += pictures / rate - length_s;
    if (phase.name == phase::warmup.name) whole_s += warmup_s - length_s;
    if (phase.name == phase::load_tensors.name)
      whole_s += length_s * (std::min(pictures, usable) / pictures_in(trial, fact::distinct_pictures) - 1);
  }
  return whole_s;
}

}  // namespace neph::workload::infer
