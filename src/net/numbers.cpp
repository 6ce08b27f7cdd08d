#include "net/numbers.hpp"

namespace neph::net {

bool has_numbers(const Tensor& tensor) { return tensor.values || tensor.reals; }

std::optional<std::size_t> small_count(const MaybeShape& shape) {
  if (!is_known(shape)) return std::nullopt;
  const auto count = element_count(*shape);
  if (!count || *count > std::int64_t{kMostValues}) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

std::optional<std::size_t> position(const Shape& shape, const Shape& at) {
  if (at.size() != shape.size()) return std::nullopt;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (at[i] < 0 || at[i] >= shape[i]) return std::nullopt;
    place = place * shape[i] + at[i];
  }
  return static_cast<std::size_t>(place);
}

std::optional<Places> places_of(const Tensor& from, const Tensor& to, const Source& source) {
  const auto count = small_count(to.shape);
  if (!count || !has_numbers(from)) return std::nullopt;
  Places places;
  bool inside = true;
  each_index(*to.shape, *count, [&](const Shape& at) {
    const auto place = position(*from.shape, source(at));
    inside = inside && place;
    places.push_back(place.value_or(0));
  });
  return inside ? std::optional(std::move(places)) : std::nullopt;
}

Shape broadcast_source(const Shape& from, const Shape& at) {
  Shape source = from.size() <= at.size()
                     ? Shape(at.end() - static_cast<std::ptrdiff_t>(from.size()), at.end())
                     : Shape{};
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = from[i] == 1 ? 0 : source[i];
  return source;
}

}  // namespace neph::net
