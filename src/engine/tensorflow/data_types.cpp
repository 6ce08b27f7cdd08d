#include "engine/tensorflow/data_types.hpp"

#include <algorithm>
#include <array>

namespace neph::engine::tensorflow_plugin {
namespace {

struct Pair {
  DataType theirs;
  Element ours;
};
constexpr std::array pairs{Pair{1, Element::f32},  Pair{2, Element::f64},      Pair{3, Element::i32},
                           Pair{4, Element::u8},   Pair{5, Element::i16},      Pair{6, Element::i8},
                           Pair{9, Element::i64},  Pair{10, Element::boolean}, Pair{14, Element::bf16},
                           Pair{17, Element::u16}, Pair{19, Element::f16},     Pair{22, Element::u32},
                           Pair{23, Element::u64}};

}  // namespace

std::optional<Element> element_of(DataType type) {
  const auto* const pair = std::ranges::find(pairs, type, &Pair::theirs);
  return pair == pairs.end() ? std::nullopt : std::optional(pair->ours);
}

DataType type_of(Element element) {
  const auto* const pair = std::ranges::find(pairs, element, &Pair::ours);
  return pair == pairs.end() ? 0 : pair->theirs;
}

}  // namespace neph::engine::tensorflow_plugin
