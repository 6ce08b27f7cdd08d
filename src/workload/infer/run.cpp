#include "workload/infer/run.hpp"

#include <algorithm>
#include <cmath>

#include "core/shapes.hpp"
#include "core/units.hpp"
#include "os/cores.hpp"
#include "record/answer_summary.hpp"
#include "stats/stats.hpp"
#include "workload/files.hpp"
#include "workload/infer/example_source.hpp"
#include "workload/infer/independent_client.hpp"
#include "workload/infer/model_batch.hpp"
#include "workload/infer/pixels.hpp"

namespace neph::workload {
namespace {

/// The running median is over five batches: a warm-up ends after ten at the earliest, whatever the batch
/// size.
constexpr stats::WarmupRule warmup_rule{.window = 5, .tolerance = 0.02};

/// A cache that still holds no more of the pictures than this counts as dropped.
constexpr double still_cold = 0.05;

/// Of tensors, where nobody says how many: 1.5 MB of samples. Of models that take microseconds fewer would
/// fit into one turn of the scheduler, and be as fast as a machine with nobody else on it.
constexpr std::int64_t most_inferences = 20'000;

/// The same until it is known how long one takes.
constexpr std::int64_t usual_inferences = 1000;

constexpr Nanoseconds progress_interval = std::chrono::milliseconds(200);

std::int64_t loader_threads(const InferSpec& spec) {
  return spec.loaders >= 0 ? spec.loaders : usable_cores();
}

/// Batches beyond those in flight: enough that every loader has a picture to work on while finished ones
/// wait.
std::int64_t prefetched_batches(std::int64_t loaders, std::int64_t batch) {
  return std::max<std::int64_t>(1, (2 * loaders + batch - 1) / batch);
}

/// Of the bytes of the set's files, what the kernel has in memory.
double cached_share(const image::PictureSet& set) {
  double cached = 0;
  for (const auto& picture : set.usable)
    cached += image::cached_fraction(picture.path).value_or(0) * static_cast<double>(picture.bytes);
  return cached / static_cast<double>(std::max<std::int64_t>(1, set.bytes()));
}

}  // namespace

InferRun::InferRun(const InferSpec& spec, const Context& context)
    : spec_(spec), context_(context), timeline_(context.clock, context.origin, context.events) {}

Result<RunResult> InferRun::run() {
  timeline_.add(phase::process_start, 0, timeline_.now());
  NEPH_TRY(const auto telemetry,
           host::Telemetry::start({.rate_hz = spec_.telemetry_hz}, context_.clock, context_.origin));
  const auto make = spec_.architecture == Architecture::in_process ? sut_in_process : sut_behind_server;
  sut_ = make(spec_, context_);
  NEPH_CHECK(sut_->load(timeline_));
  if (const int server = sut_->server_process(); server != 0) telemetry->also(server);
  NEPH_CHECK(open_inputs());
  NEPH_CHECK(sut_->compile(timeline_));
  depth_ = choose_depth();
  NEPH_CHECK(spec_.client == Client::independent ? ask_independently(*telemetry) : apply(*telemetry));
  auto series = telemetry->stop();
  runner_.reset();
  for (auto& more : sut_->stop()) series.push_back(std::move(more));
  sum_up(std::move(series));
  return std::move(result_);
}

Status InferRun::open_inputs() {
  const auto& plan = sut_->plan();
  spec_.batch = plan.rows;
  takes_tensors_ = !sut_->examples().all.empty();
  if (!takes_tensors_) return open_pictures();
  spec_.files = Files::off;
  const auto examples = std::ssize(sut_->examples().all) * plan.rows;
  count_ = std::max(spec_.count > 0 ? spec_.count : usual_inferences * plan.rows, std::int64_t{1});
  if (spec_.count == 0 && !spec_.inputs.empty()) count_ = std::max(count_, examples);
  return {};
}

Status InferRun::open_pictures() {
  image::Transform transform;
  if (spec_.payload == Payload::tensor) {
    NEPH_TRY(transform, transform_for(sut_->plan()));
  }
  NEPH_TRY(pictures_, timeline_.during(phase::picture_scan,
                                       [&] { return pictures_for(spec_, transform, context_.events); }));
  count_ = spec_.count > 0 ? spec_.count : static_cast<std::int64_t>(pictures_.set.usable.size());
  return {};
}

/// Batches in flight during the measurement.
std::int64_t InferRun::choose_depth() const {
  if (spec_.mode == Mode::sync) return 1;
  if (spec_.depth < 0) return (count_ + spec_.batch - 1) / spec_.batch;
  return spec_.depth > 0 ? spec_.depth : sut_->advised_depth();
}

/// Where batches come from: files that are decoded here or only read, or tensors that are ready.
Status InferRun::open_source() {
  if (takes_tensors_) {
    source_ = example_source(sut_->examples(), count_, spec_.batch);
    return {};
  }
  const auto values = static_cast<std::size_t>(spec_.batch) * pictures_.transform.values();
  if (spec_.payload == Payload::jpeg) {
    loaders_ = 0;
    NEPH_TRY(source_, image::file_batches(pictures_.set, count_, spec_.batch, depth_ + 1, context_.clock));
    return {};
  }
  if (spec_.files == Files::on) {
    loaders_ = loader_threads(spec_);
    NEPH_TRY(memory_, BatchMemory::allocate(depth_ + prefetched_batches(loaders_, spec_.batch), values));
    NEPH_TRY(source_, image::load_batches(pictures_.set, pictures_.transform,
                                          {.count = count_, .batch = spec_.batch, .threads = loaders_},
                                          memory_.slots(), context_.clock));
    return {};
  }
  const image::ReadyOptions ready{.count = count_,
                                  .batch = spec_.batch,
                                  .threads = loader_threads(spec_),
                                  .memory_bytes = spec_.tensor_memory_bytes};
  const auto progress = [this](std::int64_t done, std::int64_t total) {
    emit_progress(phase::load_tensors, done, total);
  };
  NEPH_TRY(source_, image::ready_batches(pictures_.set, pictures_.transform, ready, context_.clock, nullptr,
                                         progress, context_.stop));
  return {};
}

/// As an application does: files or tensors to answers.
Status InferRun::apply(host::Telemetry& telemetry) {
  NEPH_CHECK(first_inference());
  NEPH_CHECK(warm_up());
  return measure(telemetry);
}

Status InferRun::ask_independently(host::Telemetry& telemetry) {
  const Asking asking{.items = count_,
                      .item = sut_->plan().item,
                      .tokens = sut_->plan().tokens,
                      .shapes = shapes_text(sut_->plan().shapes),
                      .batch = spec_.batch,
                      .in_flight = depth_,
                      .request_timeout_s = spec_.connection.request_timeout.value};
  NEPH_TRY(auto client, IndependentClient::make(*sut_->served(), asking, context_));
  NEPH_CHECK(client.first_inference(timeline_));
  NEPH_CHECK(client.warm_up(std::min(spec_.warmup_max_s, longest_independent_warmup_s), timeline_));
  mark(telemetry);
  NEPH_CHECK(
      client.measure([this](std::int64_t done) { emit_progress(phase::measure, done, count_); }, timeline_));
  mark(telemetry);
  client.finish(timeline_, result_);
  return {};
}

void InferRun::mark(host::Telemetry& telemetry) {
  telemetry.mark();
  sut_->mark();
}

/// Opens the source and runs one batch through it, so that what only the first one costs stands on its own.
Status InferRun::first_inference() {
  const double begin_s = timeline_.now();
  NEPH_CHECK(open_source());
  NEPH_TRY(const auto alone, sut_->runner(1));
  InferTimes first;
  std::string failure;
  NEPH_CHECK(alone->run(
      *source_,
      [&](const image::Batch& batch, const InferTimes& times, Outputs outputs) {
        first = times;
        if (outputs.empty()) failure = batch.failed.front().reason;
        for (const auto& output : outputs)
          first_answer_.push_back({.name = std::string(output.name),
                                   .element = output.element,
                                   .shape = {output.shape.begin(), output.shape.end()}});
        return false;
      },
      context_.stop));
  if (!failure.empty()) return fail(ErrorCode::unavailable, "the first batch: {}", failure);
  timeline_.add(spec_.files == Files::on ? phase::first_load : phase::load_tensors, begin_s,
                timeline_.at(first.issued));
  timeline_.add(phase::first_inference, timeline_.at(first.issued), timeline_.at(first.done));
  NEPH_TRY(runner_, sut_->runner(depth_));
  return {};
}

/// Until the running median of the batch times is flat, but at least spec.warmup batches and at most
/// warmup_max_s.
Status InferRun::warm_up() {
  stats::Warmup warmup(warmup_rule);
  const double begin_s = timeline_.now();
  bool over = false;
  std::vector<double> batch_s;
  const auto one_batch = [&](const image::Batch&, const InferTimes& times, Outputs) {
    if (over) return false;  // what was in flight when it ended
    batch_s.push_back(seconds(times.done - times.issued));
    warmup.add(batch_s.back());
    const auto batches = static_cast<std::int64_t>(warmup.count());
    emit_progress(phase::warmup, batches * spec_.batch, 0);
    over = batches >= spec_.warmup && (warmup.flat() || timeline_.now() - begin_s > spec_.warmup_max_s);
    return !over;
  };
  while (!over) {
    source_->restart();
    NEPH_CHECK(runner_->run(*source_, one_batch, context_.stop));
  }
  timeline_.add(phase::warmup, begin_s, timeline_.now());
  choose_count(batch_s);
  if (warmup.flat()) return {};
  const bool seen = warmup.count() >= 2 * warmup_rule.window;
  warn(make_warning(
      WarningCode::warmup_unsteady,
      fmt::format("after {} of warm-up {}", format_seconds(timeline_.now() - begin_s),
                  seen ? "batch times still fell or rose"
                       : fmt::format("{} batches are too few to tell whether their times are flat",
                                     warmup.count()))));
  return {};
}

/// Of tensors, where nobody says how many: what takes about tensor_run_s, from what the last inferences of
/// the warm-up took.
void InferRun::choose_count(const std::vector<double>& batch_s) {
  if (!takes_tensors_ || spec_.count > 0 || batch_s.empty()) return;
  constexpr std::size_t last = 5;
  std::vector<double> recent(batch_s.end() - static_cast<std::ptrdiff_t>(std::min(last, batch_s.size())),
                             batch_s.end());
  std::ranges::nth_element(recent, recent.begin() + std::ssize(recent) / 2);
  const double each_s = recent[recent.size() / 2] / static_cast<double>(depth_);
  const auto inferences = static_cast<std::int64_t>(std::ceil(tensor_run_s / std::max(each_s, 1e-9)));
  const auto least = std::max<std::int64_t>(10, spec_.inputs.empty() ? 0 : std::ssize(sut_->examples().all));
  count_ = spec_.batch * std::clamp(inferences, least, std::max(least, most_inferences));
  source_ = example_source(sut_->examples(), count_, spec_.batch);
}

/// Said at once, because a run that fails later has no result that could say it.
void InferRun::warn(Warning warning) {
  context_.events.emit(warning);
  result_.warnings.push_back(std::move(warning));
}

Status InferRun::fix_page_cache() {
  NEPH_CHECK(set_cache(pictures_.set, spec_.cache));
  if (spec_.cache == Cache::warm) return {};
  const double warm = cached_share(pictures_.set);
  if (warm > still_cold)
    warn(make_warning(WarningCode::cache_not_cold,
                      fmt::format("{:.0f} % of the images stayed in the page cache", 100 * warm)));
  return {};
}

/// Tensors come again and again, as often as the time of a run allows: their first answers are its answers.
std::int64_t InferRun::distinct_items() const {
  if (!takes_tensors_) return count_;
  return std::min(count_, std::ssize(sut_->examples().all) * spec_.batch);
}

Result<Recorder> InferRun::make_recorder() {
  const auto& plan = sut_->plan();
  const ItemName name = [this,
                         distinct = source_->distinct_pictures()](std::int64_t item) -> const std::string& {
    if (!takes_tensors_) return pictures_.set.usable[static_cast<std::size_t>(item % distinct)].path;
    const auto& examples = sut_->examples();
    return examples.names[example_of(examples, item / spec_.batch)];
  };
  const Recorder::What what{.items = count_, .batch = spec_.batch, .item = plan.item, .tokens = plan.tokens};
  std::unique_ptr<AnswerKeeper> answers;
  // A server does not tell whether a dimension that it leaves open is the batch.
  if (has_classes(plan, sut_->served() == nullptr ? sut_->outputs() : first_answer_)) {
    NEPH_TRY(auto file, AnswersFile::open(spec_.answers));
    answers = class_answers(name, distinct_items(), spec_.batch, std::move(file));
  } else {
    NEPH_TRY(answers, tensor_answers(name, spec_.answers));
  }
  return Recorder(what, std::move(answers), context_.clock);
}

Status InferRun::measure(host::Telemetry& telemetry) {
  NEPH_TRY(auto recorder, make_recorder());
  Status cache;
  Moment begin;
  source_->restart([&] {  // while no loader reads: nothing brings a file back that was dropped
    if (spec_.files == Files::on && !takes_tensors_)
      cache = timeline_.during(phase::page_cache, [&] { return fix_page_cache(); });
    mark(telemetry);
    begin = context_.clock.now();
  });
  NEPH_CHECK(cache);
  NEPH_CHECK(runner_->run(
      *source_,
      [&](const image::Batch& batch, const InferTimes& times, Outputs outputs) {
        recorder.add(batch, times, outputs);
        emit_progress(phase::measure, recorder.items_done(), count_);
        return true;
      },
      context_.stop));
  NEPH_CHECK(recorder.close_answers_file());
  const auto end = context_.clock.now();
  mark(telemetry);
  timeline_.add(phase::measure, timeline_.at(begin), timeline_.at(end));
  recorder.finish(timeline_, begin, end, loaders_, result_);
  return {};
}

void InferRun::sum_up(std::vector<Series> series) {
  const auto& measured = timeline_.phases().back();
  result_.telemetry = host::summarise(series, measured.begin_s, measured.end_s);
  result_.series = std::move(series);
  const auto machine = host::take_fingerprint({.nvml_library = ""});
  for (auto& warning : host::doubts(result_.telemetry, machine))
    if (warning.code != WarningCode::busy_machine || !sut_->has_external_server_here())
      result_.warnings.push_back(std::move(warning));
  for (const auto& [name, value] : sut_->facts()) result_.facts[name] = value;
  if (spec_.architecture != Architecture::remote) add_model_hash();
  if (const auto others = get(result_.facts, fact::fallback))
    warn(make_warning(WarningCode::nodes_fell_back, *others));
  if (takes_tensors_) {
    set(result_.facts, fact::inputs, sut_->examples().what);
  } else {
    set(result_.facts, fact::usable_pictures, std::ssize(pictures_.set.usable));
    if (source_) set(result_.facts, fact::distinct_pictures, source_->distinct_pictures());
    if (source_) set(result_.facts, fact::loaders, loaders_);
  }
  set(result_.facts, fact::in_flight, depth_);
  result_.phases = timeline_.phases();
}

/// After the measurement, whose cold start it must not warm.
void InferRun::add_model_hash() {
  const auto file = file_of_model(spec_, context_.events);
  const auto hash = file ? content_hash(files_of_model(*file)) : std::string();
  if (!hash.empty()) set(result_.facts, fact::model_hash, hash);
}

void InferRun::emit_progress(const PhaseKind& phase, std::int64_t done, std::int64_t total) {
  const auto now = context_.clock.now();
  if (now < next_progress_) return;
  next_progress_ = now + progress_interval;
  context_.events.emit(Progress{std::string(phase.name), done, total});
}

}  // namespace neph::workload
