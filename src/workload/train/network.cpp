#include "workload/train/network.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace neph::workload {
namespace {

/// Of an example of made-up sequences: few, so that any network's output is long enough for them.
constexpr std::int64_t labels_of_a_sequence = 10;
constexpr std::int64_t learnt_for_one_to_verify = 4;

/// Each rank has a GPU of its own.
std::string device_of(const TrainSpec& spec, std::int64_t rank) {
  auto device = in_capitals(spec.device);
  return spec.gpus > 1 ? fmt::format("{}:{}", device, rank) : device;
}

}  // namespace

std::string in_capitals(std::string device) {
  std::ranges::transform(device, device.begin(), [](unsigned char c) { return std::toupper(c); });
  return device;
}

std::string in_small_letters(std::string device) {
  std::ranges::transform(device, device.begin(), [](unsigned char c) { return std::tolower(c); });
  return device;
}

Shapes TrainedNetwork::shapes() const {
  Shapes all;
  if (program)
    for (const auto& [name, tensor] : program->tensors) all[name] = tensor.shape;
  return all;
}

bool is_by_ctc(const TrainSpec& spec, const net::Program* program) {
  if (spec.loss != engine::Loss::automatic) return spec.loss == engine::Loss::ctc;
  return program != nullptr && !program->outputs.empty() && program->outputs[0].shape.size() == 3;
}

Result<TrainedNetwork> open_network(const TrainSpec& spec, const engine::TrainEngine& engine) {
  TrainedNetwork network;
  NEPH_TRY(network.file, net::model_file(spec.model, spec.network, spec.train_seed));
  if (std::ranges::count(engine.own_formats(), network.file.extension().string()) == 0) {
    NEPH_TRY(network.program, net::read_program(network.file));
  }
  return network;
}

Status check_device(const TrainSpec& spec, engine::TrainEngine& engine) {
  for (std::int64_t rank = 0; rank < std::max<std::int64_t>(1, spec.gpus); ++rank)
    NEPH_CHECK(engine.device(device_of(spec, rank)));
  return {};
}

Result<std::unique_ptr<engine::Trainer>> make_trainer(const TrainSpec& spec, const TrainedNetwork& network,
                                                      engine::TrainEngine& engine, engine::Exchange* exchange,
                                                      std::int64_t cores) {
  const engine::TrainOptions options{.device = device_of(spec, exchange ? exchange->rank() : 0),
                                     .precision = spec.precision,
                                     .batch = spec.batch / (exchange ? exchange->ranks() : 1),
                                     .threads = exchange ? cores : spec.threads,
                                     .loss = spec.loss,
                                     .optimizer = spec.optimizer,
                                     .learning_rate = spec.learning_rate,
                                     .momentum = spec.momentum,
                                     .weight_decay = spec.weight_decay,
                                     .seed = static_cast<std::uint64_t>(spec.train_seed),
                                     .exchange = exchange};
  return network.program ? engine.prepare(*network.program, options)
                         : engine.prepare_file(network.file, options);
}

data::Options data_options(const TrainSpec& spec, const net::Program* program,
                           const engine::Trainer* trainer) {
  data::Options options{
      .keep = spec.data_in,
      .synth_train = spec.synth_samples,
      .synth_test = std::max<std::int64_t>(1, spec.synth_samples / learnt_for_one_to_verify),
      .seed = static_cast<std::uint64_t>(spec.train_seed)};
  if (is_by_ctc(spec, program)) options.synth_labels = labels_of_a_sequence;
  if (trainer) {
    options.example_shape = trainer->example_shape();
    options.classes = trainer->classes();
  } else if (program != nullptr && !program->inputs.empty() && !program->outputs.empty()) {
    const auto& input = program->inputs[0].shape;
    const auto& output = program->outputs[0].shape;
    if (input.size() > 1) options.example_shape.assign(input.begin() + 1, input.end());
    if (!output.empty()) options.classes = output.back();
  }
  return options;
}

}  // namespace neph::workload
