#include "core/shapes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/names.hpp"
#include "core/text.hpp"

namespace neph {
namespace {

constexpr std::string_view kScalar = "scalar";

/// "1x128"; nothing for what is no shape.
std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  std::vector<std::int64_t> shape;
  if (text == kScalar) return shape;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    if (!is_digit(*at)) return std::nullopt;  // no sign either
    std::int64_t size = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(at, last, size);
    if (error != std::errc()) return std::nullopt;
    shape.push_back(size);
    if (end == last) return shape;
    if (*end != 'x' || end + 1 == last) return std::nullopt;
    at = end + 1;
  }
  return std::nullopt;
}

Status add_shape(std::string_view part, std::string_view text, InputShapes& shapes) {
  const auto colon = part.rfind(':');
  const auto name = colon == std::string_view::npos ? std::string_view() : trimmed(part.substr(0, colon));
  const auto shape = shape_of(trimmed(colon == std::string_view::npos ? part : part.substr(colon + 1)));
  if (!shape || (colon != std::string_view::npos && name.empty()))
    return fail(ErrorCode::invalid_argument,
                "'{}' is no shape of an input; write NAME:1x128, several as NAME:1x128+OTHER:1x64", part);
  if (name.empty() && trimmed(part).size() != trimmed(text).size())
    return fail(ErrorCode::invalid_argument,
                "shape '{}' does not say of which input; write NAME:{}, several as NAME:1x128+OTHER:1x64",
                trimmed(part), trimmed(part));
  if (!shapes.emplace(name, *shape).second)
    return fail(ErrorCode::invalid_argument, "'{}' has two shapes of input '{}'", text, name);
  return {};
}

}  // namespace

Result<InputShapes> parse_shapes(std::string_view text) {
  InputShapes shapes;
  for (std::string_view rest = text;;) {
    const auto plus = rest.find('+');
    NEPH_CHECK(add_shape(rest.substr(0, plus), text, shapes));
    if (plus == std::string_view::npos) return shapes;
    rest = rest.substr(plus + 1);
  }
}

std::string shapes_text(const InputShapes& shapes) {
  std::string text;
  for (const auto& [name, shape] : shapes) {
    if (!text.empty()) text += '+';
    if (!name.empty()) text += name + ':';
    text += shape.empty() ? std::string(kScalar) : fmt::format("{}", fmt::join(shape, "x"));
  }
  return text;
}

Result<InputShapes> named_shapes(InputShapes shapes, const std::vector<std::string>& inputs) {
  if (auto nameless = shapes.extract(""); !nameless.empty()) {
    if (inputs.size() != 1)
      return fail(ErrorCode::invalid_argument, "the model has {} inputs ({}); write NAME:{}", inputs.size(),
                  fmt::join(inputs, ", "), fmt::join(nameless.mapped(), "x"));
    nameless.key() = inputs.front();
    shapes.insert(std::move(nameless));
  }
  for (const auto& [name, shape] : shapes)
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
      return unknown_name(ErrorCode::not_found, "input", name, inputs, "the model");
  return shapes;
}

InputShapes with_like_ones(InputShapes given, const InputShapes& own) {
  auto all = given;
  for (const auto& [name, shape] : own) {
    if (std::find(shape.begin(), shape.end(), -1) == shape.end()) continue;
    for (const auto& [other, sizes] : given)
      if (const auto found = own.find(other); found != own.end() && found->second == shape)
        all.try_emplace(name, sizes);
  }
  return all;
}

}  // namespace neph
