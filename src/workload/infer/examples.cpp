#include "workload/infer/examples.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/random.hpp"
#include "engine/elements.hpp"
#include "engine/input_shapes.hpp"
#include "workload/infer/vocabulary.hpp"

namespace neph::workload {
namespace {

using engine::Element;

constexpr std::uint64_t seed = 1;
constexpr std::int64_t turns_of_generated =
    16;  ///< so that a change of tensors costs a short inference little
constexpr std::array<std::string_view, 4> words{"a", "short text", "nephoscope", "clouds"};

std::size_t elements_of(const engine::Port& port) {
  std::size_t count = 1;
  for (const auto size : port.shape) count *= static_cast<std::size_t>(size);
  return count;
}

Result<ExampleTensor> tensor_of(const engine::Port& port, std::size_t bytes) {
  ExampleTensor tensor{
      .memory = allocate_floats(bytes / sizeof(float) + 1), .bytes = bytes, .shape = port.shape};
  if (!tensor.memory) return fail(ErrorCode::unavailable, "no memory for input '{}'", port.name);
  return tensor;
}

std::int64_t bound_of(const engine::Port& port, const InputPlan& plan, const IntegerBounds& bounds) {
  if (port.element == Element::boolean) return 2;
  const bool is_byte = port.element == Element::u8 || port.element == Element::i8;
  if (plan.item == Item::image && is_byte) return 256;
  const auto known = bounds.of.find(port.name);
  const auto bound = known != bounds.of.end() ? known->second : bounds.all;
  return std::clamp<std::int64_t>(bound, 1, is_byte ? 128 : std::int64_t{1} << 31);
}

bool is_mask(const engine::Port& port) { return port.name.find("mask") != std::string::npos; }

/// As the Open Inference Protocol has BYTES: each with its length before it.
Result<ExampleTensor> text_of(const engine::Port& port, Random& random) {
  std::vector<std::byte> packed;
  for (std::size_t i = 0; i < elements_of(port); ++i) {
    const auto word = words[random.below(words.size())];
    const auto length = static_cast<std::uint32_t>(word.size());
    const auto at = packed.size();
    packed.resize(at + sizeof length + word.size());
    std::memcpy(packed.data() + at, &length, sizeof length);
    std::memcpy(packed.data() + at + sizeof length, word.data(), word.size());
  }
  NEPH_TRY(auto tensor, tensor_of(port, packed.size()));
  if (!packed.empty()) std::memcpy(tensor.memory.get(), packed.data(), packed.size());
  return tensor;
}

Result<ExampleTensor> numbers_of(const engine::Port& port, const InputPlan& plan, const IntegerBounds& bounds,
                                 Random& random) {
  NEPH_TRY(auto tensor, tensor_of(port, elements_of(port) * engine::element_bytes(port.element)));
  const auto below = static_cast<std::uint64_t>(bound_of(port, plan, bounds));
  const bool is_float = engine::is_float(port.element);
  for (std::size_t i = 0; i < elements_of(port); ++i) {
    double value = 1;
    if (is_float)
      value = plan.item == Item::image ? random.uniform() : random.normal();
    else if (!is_mask(port))
      value = static_cast<double>(random.below(below));
    engine::set_element(port.element, tensor.memory.get(), i, value);
  }
  return tensor;
}

std::string in_words(const InputPlan& plan, const IntegerBounds& bounds) {
  std::string all;
  for (const auto& port : plan.inputs) {
    if (!all.empty()) all += ", ";
    all += fmt::format("{} {} {}", port.name, enum_name(port.element), engine::shape_text(port.shape));
    if (port.element == Element::text || port.element == Element::boolean) continue;
    if (engine::is_float(port.element))
      all += plan.item == Item::image ? " from 0 to 1" : " normal";
    else
      all += is_mask(port) ? std::string(" of ones") : fmt::format(" below {}", bound_of(port, plan, bounds));
  }
  return all;
}

}  // namespace

IntegerBounds integer_bounds(const engine::Model& model, const std::filesystem::path& file) {
  IntegerBounds bounds{.of = vocabularies(file)};
  // Several engines read ONNX, and servers of it: what one of them knows of the graph would give them
  // different inputs.
  if (file.extension() != ".onnx") bounds.all = model.row_facts().integers_below;
  return bounds;
}

Result<Examples> generate_examples(const InputPlan& plan, const IntegerBounds& bounds, std::int64_t count) {
  Examples examples{.names = {}, .all = {}, .turns = turns_of_generated, .what = {}};
  examples.what = fmt::format("{} generated: {}", count, in_words(plan, bounds));
  Random random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    examples.names.push_back(fmt::format("generated {}", i));
    auto& example = examples.all.emplace_back();
    for (const auto& port : plan.inputs) {
      NEPH_TRY(auto tensor, port.element == Element::text ? text_of(port, random)
                                                          : numbers_of(port, plan, bounds, random));
      example.push_back(std::move(tensor));
    }
  }
  return examples;
}

Status bind_example(engine::Request& request, const std::vector<engine::Port>& ports,
                    std::vector<ExampleTensor>& example) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    auto& tensor = example[i];
    if (ports[i].is_open())
      NEPH_CHECK(request.bind_open_input(i, tensor.memory.get(), tensor.shape));
    else
      NEPH_CHECK(request.bind_input(i, tensor.memory.get(), tensor.bytes));
  }
  return {};
}

}  // namespace neph::workload
