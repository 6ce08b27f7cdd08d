// How fast the JSON of inference is read and written: a small head, as every binary request has one, and
// tensors of numbers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/random.hpp"
#include "wire/json/infer_json.hpp"

namespace neph::wire {
namespace {

std::vector<float> numbers(std::size_t count) {
  Random random(1);
  std::vector<float> values(count);
  for (auto& value : values) value = static_cast<float>(random.below(1'000'000)) / 1000.0F;
  return values;
}

InferReply reply_of(const std::vector<float>& values) {
  InferReply reply{.model = "m", .version = "1"};
  reply.outputs = {{.name = "y",
                    .type = DataType::f32,
                    .shape = {static_cast<std::int64_t>(values.size())},
                    .data = std::as_bytes(std::span(values))}};
  return reply;
}

void read_numbers(benchmark::State& state) {
  const auto values = numbers(static_cast<std::size_t>(state.range(0)));
  std::string text;
  if (!write_json(reply_of(values), {false}, text)) return state.SkipWithError("not written");
  for (auto _ : state) {
    InferReply reply;
    BinarySizes sizes;
    if (!read_json(text, reply, sizes)) return state.SkipWithError("not read");
    benchmark::DoNotOptimize(reply.memory.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_numbers)->Arg(1000)->Arg(150'528)->Arg(8'000'000)->Unit(benchmark::kMillisecond);

void write_numbers(benchmark::State& state) {
  const auto values = numbers(static_cast<std::size_t>(state.range(0)));
  const auto reply = reply_of(values);
  std::string text;
  for (auto _ : state) {
    text.clear();
    if (!write_json(reply, {false}, text)) return state.SkipWithError("not written");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(write_numbers)->Arg(1000)->Arg(150'528)->Arg(8'000'000)->Unit(benchmark::kMillisecond);

void read_head(benchmark::State& state) {
  const std::string text =
      R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,16],"parameters":{"binary_data_size":64}}],)"
      R"("parameters":{"binary_data_output":true}})";
  InferRequest request;
  BinarySizes sizes;
  for (auto _ : state) {
    request.clear();
    if (!read_json(text, request, sizes)) return state.SkipWithError("not read");
  }
}
BENCHMARK(read_head);

}  // namespace
}  // namespace neph::wire
