#include "compare/json_node.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/text.hpp"

namespace neph::compare {

tl::unexpected<Error> Node::fault(std::string_view what) const {
  return fail(ErrorCode::corrupt, "{}: {}{}{}", source_, printable(path_), path_.empty() ? "" : ": ", what);
}

tl::unexpected<Error> Node::expected(std::string_view what) const {
  auto shown = dump_json(*value_);
  if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
  return fault(fmt::format("expected {}, got {}", what, printable(shown)));
}

Node Node::member(std::string_view key, const Json& value) const {
  return {value, source_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

Result<std::optional<Node>> Node::find(std::string_view key) const {
  if (!value_->is_object()) return expected("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return member(key, *found);
}

Result<Node> Node::at(std::string_view key) const {
  NEPH_TRY(auto found, find(key));
  if (!found) return fault(fmt::format("has no {}", key));
  return *std::move(found);
}

Result<std::vector<Node>> Node::elements() const {
  if (!value_->is_array()) return expected("a list");
  std::vector<Node> all;
  all.reserve(value_->size());
  for (const auto& element : *value_)
    all.emplace_back(element, source_, fmt::format("{}[{}]", path_, all.size()));
  return all;
}

Result<std::vector<std::pair<std::string, Node>>> Node::members() const {
  if (!value_->is_object()) return expected("an object");
  std::vector<std::pair<std::string, Node>> all;
  all.reserve(value_->size());
  for (const auto& [key, element] : value_->items()) all.emplace_back(key, member(key, element));
  return all;
}

Result<std::string> Node::text() const {
  if (!value_->is_string()) return expected("text");
  return value_->get<std::string>();
}

Result<double> Node::number() const {
  if (!value_->is_number()) return expected("a number");
  return value_->get<double>();
}

Result<double> Node::quantity() const {
  NEPH_TRY(const double value, number());
  if (!(value >= 0)) return expected("a number that is not below 0");
  return value;
}

Result<std::int64_t> Node::count() const {
  constexpr double beyond_any = 9e15;  // of which a double holds every whole number
  NEPH_TRY(const double value, number());
  if (!(value >= 0 && value < beyond_any) || std::floor(value) != value)
    return expected("a whole number from 0 on");
  return static_cast<std::int64_t>(value);
}

Result<std::optional<std::string>> Node::text_at(std::string_view key) const {
  NEPH_TRY(const auto found, find(key));
  if (!found) return std::nullopt;
  return found->text();
}

Result<std::optional<double>> Node::quantity_at(std::string_view key) const {
  NEPH_TRY(const auto found, find(key));
  if (!found) return std::nullopt;
  return found->quantity();
}

Result<std::optional<std::int64_t>> Node::count_at(std::string_view key) const {
  NEPH_TRY(const auto found, find(key));
  if (!found) return std::nullopt;
  return found->count();
}

Result<bool> Node::is_true_at(std::string_view key) const {
  NEPH_TRY(const auto found, find(key));
  if (!found) return false;
  if (!found->value().is_boolean()) return found->expected("true or false");
  return found->value().get<bool>();
}

}  // namespace neph::compare
