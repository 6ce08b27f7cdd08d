#include "engine/identity/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/hardware.hpp"
#include "engine/identity/model.hpp"
#include "net/net.hpp"

namespace neph::engine {
namespace {

std::uint64_t seed_of(const IdentityFile& file, const TrainOptions& options) {
  auto state = static_cast<std::uint64_t>(file.seed);
  return split_mix(state) ^ options.seed;
}

IdentityFile with_seed(IdentityFile file, std::uint64_t seed) {
  file.seed = static_cast<std::int64_t>(seed >> 1);
  return file;
}

}  // namespace

IdentityNetwork network_of(const IdentityFile& file) {
  const auto& input = file.inputs.front().shape;
  const auto& output = file.outputs.front().shape;
  IdentityNetwork network{.example_shape = {input.begin() + 1, input.end()},
                          .classes = output.size() > 1 ? output.back() : 1,
                          .tensors = {}};
  network.tensors["weight"].assign(static_cast<std::size_t>(file.training.parameters), 1.0F);
  return network;
}

Result<IdentityNetwork> network_of(const net::Program& program) {
  const auto is_fixed = [](std::int64_t size) { return size > 0; };
  if (program.inputs.size() != 1 || program.inputs[0].shape.size() < 2 || program.outputs.empty() ||
      program.outputs[0].shape.empty() || program.outputs[0].shape.back() < 1 ||
      !std::all_of(program.inputs[0].shape.begin() + 1, program.inputs[0].shape.end(), is_fixed))
    return fail(
        ErrorCode::unsupported,
        "{}: a network is trained with one input, of which all dimensions but the batch are fixed, and "
        "an output with a fixed number of classes",
        program.name);
  const auto& shape = program.inputs[0].shape;
  IdentityNetwork network{.example_shape = {shape.begin() + 1, shape.end()},
                          .classes = program.outputs[0].shape.back(),
                          .tensors = {}};
  for (const auto& [name, tensor] : program.tensors)
    if (!tensor.floats.empty()) network.tensors[name] = tensor.floats;
  return network;
}

Result<std::unique_ptr<Trainer>> IdentityTrainer::make(const IdentityFile& file, IdentityNetwork network,
                                                       const TrainOptions& options, const Clock& clock) {
  NEPH_CHECK(find_identity_device(options.device));
  if (options.batch < 1)
    return fail(ErrorCode::invalid_argument, "batch {}: it must be 1 or more", options.batch);
  if (const auto most = file.training.most_batch; most > 0 && options.batch > most)
    return fail(ErrorCode::unavailable, "not enough memory for a step of {} examples; take a smaller --batch",
                options.batch);
  return std::unique_ptr<Trainer>(
      new IdentityTrainer(file, std::move(network), options, usable_threads(options.threads), clock));
}

IdentityTrainer::IdentityTrainer(const IdentityFile& file, IdentityNetwork network,
                                 const TrainOptions& options, std::int64_t threads, const Clock& clock)
    : file_(file.training),
      network_(std::move(network)),
      batch_(options.batch),
      speedup_(1 / (1 - file.training.parallel + file.training.parallel / static_cast<double>(threads))),
      busy_(file.busy),
      service_(with_seed(file, seed_of(file, options)), options.batch, clock.now()),
      clock_(clock),
      exchange_(options.exchange),
      random_(seed_of(file, options) + 1) {
  wandered_ = random_.normal();
  set(facts_, fact::engine, "identity");
  set(facts_, fact::device, options.device);
  set(facts_, fact::threads, std::to_string(threads));
  set(facts_, fact::precision, std::string(enum_name(options.precision)));
  set(facts_, fact::service, service_.text());
}

std::int64_t IdentityTrainer::parameters() const {
  std::int64_t all = 0;
  for (const auto& [name, values] : network_.tensors) all += std::ssize(values);
  return all;
}

Status IdentityTrainer::check(const Examples& examples) const {
  std::int64_t each = 1;
  for (const auto size : network_.example_shape) each *= size;
  if (examples.count < (exchange_ ? 0 : 1) || std::ssize(examples.inputs) != examples.count * each)
    return fail(ErrorCode::invalid_argument, "{} examples of {} numbers, and {} numbers came", examples.count,
                each, examples.inputs.size());
  for (const auto label : examples.labels)
    if (label < 0 || label >= network_.classes)
      return fail(ErrorCode::invalid_argument, "the label {} is none of {} classes", label, network_.classes);
  return {};
}

double IdentityTrainer::unlearnt() const { return std::pow(1 - file_.learning, static_cast<double>(steps_)); }

double IdentityTrainer::loss() const {
  if (file_.nan_at_step > 0 && steps_ >= static_cast<std::uint64_t>(file_.nan_at_step))
    return std::numeric_limits<double>::quiet_NaN();
  return std::log(static_cast<double>(std::max<std::int64_t>(2, network_.classes))) * unlearnt();
}

Nanoseconds IdentityTrainer::step_time(std::int64_t examples) {
  const double share = static_cast<double>(examples) / static_cast<double>(batch_);
  const double time_s =
      seconds(service_.work(steps_)) * std::exp(file_.wander * wandered_) * share / speedup_;
  wandered_ =
      file_.correlation * wandered_ + std::sqrt(1 - file_.correlation * file_.correlation) * random_.normal();
  return from_seconds(time_s + (steps_ == 0 ? file_.first_step_ms * 1e-3 : 0));
}

void IdentityTrainer::pass(Nanoseconds time) const {
  if (time.count() <= 0) return;
  const auto end = service_.end(clock_.now(), time);
  if (!busy_) return clock_.sleep_until(end);
  while (clock_.now() < end) {
  }
}

float IdentityTrainer::mean_of(const Examples& examples) const {
  const auto each =
      examples.inputs.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, examples.count));
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(examples.count); ++i)
    sum += static_cast<double>(examples.inputs[i * each + each / 2]) +
           static_cast<double>(
               examples.labels[i * examples.labels.size() / static_cast<std::size_t>(examples.count)]);
  return static_cast<float>(sum / static_cast<double>(std::max<std::int64_t>(1, examples.count)));
}

/// The same of the examples of all ranks; exchanged as gradients are.
Result<float> IdentityTrainer::mean_of_all(const Examples& examples) {
  const float mean = mean_of(examples);
  if (!exchange_) return mean;
  NEPH_TRY(auto room, exchange_->room(parameters()));
  std::ranges::fill(room, mean);
  NEPH_TRY(const auto means, exchange_->mean(static_cast<double>(examples.count)));
  return means.empty() ? mean : means.back();
}

Status IdentityTrainer::step(const Examples& examples) {
  NEPH_CHECK(check(examples));
  pass(step_time(examples.count));
  NEPH_TRY(const float seen, mean_of_all(examples));
  ++steps_;
  losses_.push_back(static_cast<float>(loss()));
  for (auto& [name, values] : network_.tensors) {
    if (!values.empty()) values.front() *= static_cast<float>(1 - file_.learning);
    if (values.size() > 1) values[1] = values[1] / 2 + seen;
  }
  return {};
}

Result<std::vector<float>> IdentityTrainer::losses() { return std::exchange(losses_, {}); }

Result<Verified> IdentityTrainer::verify(const Examples& examples) {
  NEPH_CHECK(check(examples));
  const double share = static_cast<double>(examples.count) / static_cast<double>(batch_);
  pass(from_seconds(seconds(service_.work(steps_)) * file_.verify_share * share / speedup_));
  const double by_chance = 1 / static_cast<double>(network_.classes);
  const double wrong = (1 - by_chance) * unlearnt() * static_cast<double>(examples.count);
  return Verified{.loss = loss(), .correct = examples.count - std::llround(wrong)};
}

Result<std::map<std::string, std::vector<float>, std::less<>>> IdentityTrainer::weights() {
  return network_.tensors;
}

}  // namespace neph::engine
