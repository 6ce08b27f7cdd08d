#include "profile/inputs.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/aligned.hpp"
#include "core/random.hpp"

namespace neph::profile {
namespace {

using engine::Element;

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// Writes one number.
void draw(Element element, std::int64_t below, Random& random, std::byte* at) {
  // Of the halves: 0.5 to 1, which are one exponent with any fraction.
  constexpr std::uint16_t half_of_f16 = 0x3800, half_of_bf16 = 0x3f00;
  switch (element) {
    case Element::f32:
      return put(at, static_cast<float>(random.uniform()));
    case Element::f64:
      return put(at, random.uniform());
    case Element::f16:
      return put(at, static_cast<std::uint16_t>(half_of_f16 | random.below(1U << 10U)));
    case Element::bf16:
      return put(at, static_cast<std::uint16_t>(half_of_bf16 | random.below(1U << 7U)));
    default:
      break;
  }
  const auto width = engine::element_bytes(element);
  const std::int64_t fits = element == Element::boolean ? 2 : width == 1 ? 128 : width == 2 ? 32'768 : below;
  const auto number =
      random.below(static_cast<std::uint64_t>(std::min(std::max<std::int64_t>(1, below), fits)));
  std::memcpy(at, &number, width);  // lowest bytes first
}

void fill(const engine::Port& port, std::int64_t below, Random& random, std::byte* memory) {
  const auto width = engine::element_bytes(port.element);
  for (std::size_t at = 0; at + width <= port.bytes(); at += width)
    draw(port.element, below, random, memory + at);
}

Status check_known(const engine::Port& input) {
  if (input.element == Element::text)
    return fail(ErrorCode::unsupported, "input '{}' is text, of which no values can be made up", input.name);
  if (input.is_open())
    return fail(ErrorCode::unsupported, "input '{}' has the open shape {}; say which with --shape {}:{}",
                input.name, engine::shape_text(input.shape), input.name, "1x...");
  return {};
}

}  // namespace

Result<Tensors::Memory> Tensors::allocate(const engine::Port& port) {
  const auto bytes = (port.bytes() + tensor_alignment) / tensor_alignment * tensor_alignment;
  Memory memory(static_cast<std::byte*>(std::aligned_alloc(tensor_alignment, bytes)));
  if (!memory) return fail(ErrorCode::unavailable, "no memory for '{}'", port.name);
  return memory;
}

Result<Tensors> Tensors::make(const engine::Session& session, std::int64_t integers_below,
                              std::uint64_t seed) {
  Tensors tensors;
  Random random(seed);
  for (const auto& input : session.inputs()) {
    NEPH_CHECK(check_known(input));
    NEPH_TRY(auto memory, allocate(input));
    fill(input, integers_below, random, memory.get());
    tensors.inputs_.push_back(std::move(memory));
  }
  for (const auto& output : session.outputs()) {
    NEPH_TRY(auto memory, allocate(output));
    tensors.outputs_.push_back(std::move(memory));
  }
  return tensors;
}

Status Tensors::bind(engine::Request& request, const engine::Session& session) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    NEPH_CHECK(request.bind_input(i, inputs_[i].get(), session.inputs()[i].bytes()));
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (!session.outputs()[i].is_open())
      NEPH_CHECK(request.bind_output(i, outputs_[i].get(), session.outputs()[i].bytes()));
  return {};
}

}  // namespace neph::profile
