#include "engine/torch/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/random.hpp"
#include "engine/torch/builder.hpp"
#include "engine/torch/cuda.hpp"
#include "engine/torch/gradients.hpp"
#include "engine/torch/loss.hpp"
#include "engine/torch/threads.hpp"
#include "engine/torch/update.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::size_t staging_room = 128;  // for the parts' alignment

class TorchTrainer final : public Trainer {
 public:
  TorchTrainer(const Library& library, Place place, const TrainOptions& options)
      : ops_(library.abi, place.type, place.index),
        device_index_(place.index),
        options_(options),
        threads_(library.abi, options.threads) {}

  Status prepare(const Library& library, const net::Program& program);
  Status join(const Library& library, const Place& place);
  void set_facts(const Library& library, const Place& place);

  const std::vector<std::int64_t>& example_shape() const override { return plan_.input_shape; }
  std::int64_t classes() const override { return classes_; }
  std::int64_t parameters() const override;
  const Facts& facts() const override { return facts_; }

  Status step(const Examples& examples) override;
  Result<std::vector<float>> losses() override;
  Status share_statistics() override;
  Result<Verified> verify(const Examples& examples) override;
  Result<std::map<std::string, std::vector<float>, std::less<>>> weights() override;

 private:
  Status look_at_output();
  Result<Sizes> try_out(std::int64_t batch);
  Status check_examples(const Examples& examples) const;
  Tensor to_input(const float* data, std::int64_t count) const;
  Tensor to_labels(const std::int64_t* data, std::int64_t count) const;
  struct Batch {
    Tensor input, labels;
  };
  Batch to_batch(const Examples& examples);
  /// The loss of one forward and backward pass.
  Tensor learn_from(const Examples& examples);
  std::int64_t labels_each(const Examples& examples) const;
  void verify_some(const Examples& examples, std::int64_t first, std::int64_t count, Verified& sums);

  Ops ops_;
  std::int32_t device_index_;
  TrainOptions options_;
  Threads threads_;
  Plan plan_;
  std::unique_ptr<Pass> pass_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Update> update_;
  std::unique_ptr<Gradients> gradients_;  ///< null: there is one rank
  std::unique_ptr<Staging> staging_;      ///< of a GPU
  std::vector<Tensor> losses_;
  std::int64_t classes_ = 0;
  std::uint64_t steps_ = 0;
  bool ctc_ = false;
  Facts facts_;
};

Status TorchTrainer::prepare(const Library& library, const net::Program& program) {
  threads_.take_effect();
  if (!ops_.on_cpu()) {
    NEPH_TRY(const auto cuda, find_cuda(library));
    staging_ = std::make_unique<Staging>(cuda, device_index_);
  }
  NEPH_TRY(plan_, make_plan(program, ops_, {.bfloat16 = options_.precision == Precision::bf16}));
  pass_ = std::make_unique<Pass>(ops_, plan_.parameters, plan_.wanted);
  update_ = make_update(options_);
  return look_at_output();
}

/// The other ranks, where there are any.
Status TorchTrainer::join(const Library& library, const Place& place) {
  if (options_.exchange == nullptr) return {};
  NEPH_TRY(gradients_, make_gradients(library, place, ops_, *options_.exchange));
  return {};
}

/// The output of `batch` examples of zeros: its sizes, and that all layers can be computed.
Result<Sizes> TorchTrainer::try_out(std::int64_t batch) {
  Sizes sizes = plan_.input_shape;
  sizes.insert(sizes.begin(), batch);
  pass_->begin(false, 0, plan_.wanted.size());
  pass_->set(plan_.input, ops_.filled(sizes, usual_order(sizes), 0));
  plan_.forward(*pass_);
  const auto found = pass_->value(plan_.output).sizes();
  return Sizes(found.begin(), found.end());
}

Status TorchTrainer::look_at_output() {
  NEPH_TRY(const auto one, try_out(1));
  // In training each value has a gradient, and both are there at once.
  NEPH_CHECK(check_memory(2 * pass_->bytes() * static_cast<double>(options_.batch), options_.batch));
  const bool sequence = one.size() == 3;
  ctc_ = options_.loss == Loss::ctc || (options_.loss == Loss::automatic && sequence);
  if (ctc_ && !sequence)
    return fail(ErrorCode::invalid_argument, "loss ctc: the network's output {} is no sequence",
                shape_text(one));
  const bool flat = one[0] == 1 && std::all_of(one.begin() + std::min<std::ptrdiff_t>(2, std::ssize(one)),
                                               one.end(), [](auto size) { return size == 1; });
  if (!ctc_ && (one.size() < 2 || !flat))
    return fail(ErrorCode::unsupported,
                "loss cross-entropy: the network's output {} is not [examples, classes]", shape_text(one));
  classes_ = ctc_ ? one[2] : one[1];
  if (!ctc_) {
    objective_ = cross_entropy();
    return {};
  }
  NEPH_TRY(const auto two, try_out(2));  // which dimension are the examples?
  if (two[0] != 2 * one[0] && two[1] != 2 * one[1])
    return fail(ErrorCode::unsupported, "the network's output {} does not grow with the batch",
                shape_text(one));
  objective_ = ctc(two[0] == 2 * one[0]);
  return {};
}

void TorchTrainer::set_facts(const Library& library, const Place& place) {
  set(facts_, fact::engine, "torch " + library.version);
  set(facts_, fact::device, place.device.name);
  set(facts_, fact::device_name, place.device.description);
  set(facts_, fact::precision, precision_used(place, options_.precision));
  set(facts_, fact::threads, std::to_string(threads_.count()));
  if (gradients_ && !gradients_->way().empty()) set(facts_, fact::exchange, gradients_->way());
  set(facts_, fact::allocator, allocator_fact());
}

std::int64_t TorchTrainer::parameters() const {
  std::int64_t count = 0;
  for (const auto& parameter : plan_.parameters) count += parameter.trained ? parameter.value.count() : 0;
  return count;
}

std::int64_t TorchTrainer::labels_each(const Examples& examples) const {
  return ctc_ ? static_cast<std::int64_t>(examples.labels.size()) / examples.count : 1;
}

Status TorchTrainer::check_examples(const Examples& examples) const {
  if (gradients_ && examples.count == 0) return {};
  const auto each = product(plan_.input_shape);
  if (examples.count < 1 || static_cast<std::int64_t>(examples.inputs.size()) != examples.count * each)
    return fail(ErrorCode::invalid_argument, "{} examples of {} numbers each are not {} numbers",
                examples.count, each, examples.inputs.size());
  const auto labels = static_cast<std::int64_t>(examples.labels.size());
  if (labels == 0 || labels % examples.count != 0 || (!ctc_ && labels != examples.count))
    return fail(ErrorCode::invalid_argument, "{} labels do not fit {} examples", labels, examples.count);
  const std::int64_t lowest = ctc_ ? 1 : 0;
  for (const auto label : examples.labels)
    if (label < lowest || label >= classes_)
      return fail(ErrorCode::invalid_argument, "label {} is no class: the network has {} to {}", label,
                  lowest, classes_ - 1);
  return {};
}

Tensor TorchTrainer::to_input(const float* data, std::int64_t count) const {
  Sizes sizes = plan_.input_shape;
  sizes.insert(sizes.begin(), count);
  const auto given = ops_.wrap(data, sizes, row_major(sizes));
  const auto order = usual_order(sizes);
  // One channel has the same places either way: the caller's memory is used as it is, with the strides that
  // make libtorch choose its faster convolutions.
  if (ops_.on_cpu() && same_places(sizes, row_major(sizes), order)) return ops_.wrap(data, sizes, order);
  const auto input = ops_.empty(sizes, order);
  ops_.copy(input, given);
  return input;
}

Tensor TorchTrainer::to_labels(const std::int64_t* data, std::int64_t count) const {
  return ops_.here(ops_.wrap(data, Sizes{count}));
}

/// A GPU takes it behind the steps before, while the CPU goes on.
TorchTrainer::Batch TorchTrainer::to_batch(const Examples& examples) {
  const auto labels = std::ssize(examples.labels);
  if (!staging_)
    return {to_input(examples.inputs.data(), examples.count), to_labels(examples.labels.data(), labels)};
  Sizes sizes = plan_.input_shape;
  sizes.insert(sizes.begin(), examples.count);
  staging_->begin(examples.inputs.size_bytes() + examples.labels.size_bytes() + staging_room);
  const auto* pixels =
      static_cast<const float*>(staging_->put(examples.inputs.data(), examples.inputs.size_bytes()));
  const auto* classes =
      static_cast<const std::int64_t*>(staging_->put(examples.labels.data(), examples.labels.size_bytes()));
  Batch batch{ops_.own_behind(ops_.wrap(pixels, sizes, row_major(sizes))),
              ops_.own_behind(ops_.wrap(classes, Sizes{labels}))};
  staging_->end();
  batch.input = ops_.ordered(batch.input, usual_order(sizes));
  return batch;
}

Status TorchTrainer::step(const Examples& examples) {
  NEPH_CHECK(check_examples(examples));
  return guarded("training", [&]() -> Status {
    threads_.take_effect();
    ++steps_;
    auto loss = examples.count > 0 ? learn_from(examples) : Tensor();
    if (gradients_)
      NEPH_CHECK(gradients_->mean(ops_, plan_.parameters, loss,
                                  {examples.count, std::max(examples.whole, examples.count)}));
    losses_.push_back(std::move(loss));
    update_->step(ops_, plan_.parameters);
    pass_->begin(false, 0, plan_.wanted.size());
    return {};
  });
}

Tensor TorchTrainer::learn_from(const Examples& examples) {
  const auto rank = static_cast<std::uint64_t>(options_.exchange ? options_.exchange->rank() : 0);
  std::uint64_t seed = options_.seed + 0x9e3779b97f4a7c15ULL * steps_ + 0xd1342543de82ef95ULL * rank;
  pass_->begin(true, split_mix(seed), plan_.wanted.size());
  auto [input, labels] = to_batch(examples);
  pass_->set(plan_.input, std::move(input));
  plan_.forward(*pass_);
  if (ctc_) labels = ops_.reshape(labels, Sizes{examples.count, labels_each(examples)});
  auto loss = objective_->forward(ops_, pass_->value(plan_.output), labels);
  pass_->give(plan_.output, objective_->backward(ops_));
  plan_.backward(*pass_);
  return loss;
}

Status TorchTrainer::share_statistics() {
  if (!gradients_) return {};
  return guarded("sharing the running statistics", [&] {
    threads_.take_effect();
    return torch_plugin::share_statistics(ops_, plan_.parameters, *options_.exchange);
  });
}

Result<std::vector<float>> TorchTrainer::losses() {
  std::vector<float> numbers;
  NEPH_CHECK(guarded("reading the losses", [&]() -> Status {
    for (const auto& loss : losses_) numbers.push_back(ops_.number(loss));
    return {};
  }));
  losses_.clear();
  return numbers;
}

void TorchTrainer::verify_some(const Examples& examples, std::int64_t first, std::int64_t count,
                               Verified& sums) {
  pass_->begin(false, 0, plan_.wanted.size());
  pass_->set(plan_.input, to_input(examples.inputs.data() + first * product(plan_.input_shape), count));
  plan_.forward(*pass_);
  const auto each = labels_each(examples);
  auto labels = to_labels(examples.labels.data() + first * each, count * each);
  if (ctc_) labels = ops_.reshape(labels, Sizes{count, each});
  const auto& scores = pass_->value(plan_.output);
  sums.loss += static_cast<double>(ops_.number(objective_->forward(ops_, scores, labels))) *
               static_cast<double>(count);
  sums.correct += objective_->correct(ops_, scores, labels);
  pass_->begin(false, 0, plan_.wanted.size());
}

Result<Verified> TorchTrainer::verify(const Examples& examples) {
  NEPH_CHECK(check_examples(examples));
  Verified sums;
  NEPH_CHECK(guarded("verifying", [&]() -> Status {
    threads_.take_effect();
    for (std::int64_t first = 0; first < examples.count; first += options_.batch)
      verify_some(examples, first, std::min(options_.batch, examples.count - first), sums);
    return {};
  }));
  sums.loss /= static_cast<double>(examples.count);
  return sums;
}

Result<std::map<std::string, std::vector<float>, std::less<>>> TorchTrainer::weights() {
  std::map<std::string, std::vector<float>, std::less<>> all;
  NEPH_CHECK(guarded("reading the weights", [&]() -> Status {
    for (const auto& parameter : plan_.parameters) {
      if (parameter.constant) continue;
      const auto read = ops_.for_reading(parameter.value);
      all[parameter.name].assign(read.floats(), read.floats() + read.count());
    }
    return {};
  }));
  return all;
}

Status check_options(const Place& place, const TrainOptions& options) {
  if (options.batch < 1)
    return fail(ErrorCode::invalid_argument, "batch {}: it must be 1 or more", options.batch);
  if (options.threads < 0 || options.threads > 65'536)
    return fail(ErrorCode::invalid_argument, "threads {}: it must be between 0 (all) and 65536",
                options.threads);
  for (const auto& [name, value] :
       {std::pair{"learning_rate", options.learning_rate}, std::pair{"momentum", options.momentum},
        std::pair{"weight_decay", options.weight_decay}})
    if (!std::isfinite(value) || value < 0)
      return fail(ErrorCode::invalid_argument, "{} {}: it must be a number from 0 on", name, value);
  const auto& native = place.device.precisions;
  if (options.precision != Precision::automatic &&
      std::find(native.begin(), native.end(), options.precision) == native.end())
    return fail(ErrorCode::unsupported, "precision {}: {} ({}) does not train in it here",
                enum_name(options.precision), place.device.name, place.device.description);
  return {};
}

}  // namespace

Result<std::unique_ptr<Trainer>> make_trainer(const Library& library, const net::Program& program,
                                              const TrainOptions& options) {
  NEPH_TRY(auto place, find_place(library, options.device));
  NEPH_CHECK(check_options(place, options));
  auto trainer = std::make_unique<TorchTrainer>(library, place, options);
  NEPH_CHECK(guarded("preparing the training", [&] { return trainer->prepare(library, program); }));
  NEPH_CHECK(guarded("preparing the exchange", [&] { return trainer->join(library, place); }));
  trainer->set_facts(library, place);
  return trainer;
}

}  // namespace neph::engine::torch_plugin
