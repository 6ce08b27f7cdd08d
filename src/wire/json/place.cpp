#include "wire/json/place.hpp"

#include <utility>

#include <fmt/format.h>

namespace neph::wire {

using std::string_view_literals::operator""sv;

bool Place::enter(At where) {
  if (depth_ + 1 == places_.size()) return false;
  places_[++depth_] = where;
  key_ = Key::none;
  return true;
}

void Place::leave() {
  --depth_;
  key_ = Key::none;
}

void Place::begin_again() {
  depth_ = 0;
  key_ = Key::none;
}

void Place::take_key(std::string_view name) {
  key_ = known(name);
  if (at() == At::parameters || at() == At::tensor_parameters || at() == At::request_parameters)
    parameter_ = name;
}

bool Place::is_unknown() const {
  const bool has_keys = at() == At::top || at() == At::tensor || at() == At::request;
  return at() == At::passing || (has_keys && key_ == Key::none);
}

Key Place::known(std::string_view name) const {
  switch (at()) {
    case At::top:
      if (name == tensors_key_) return Key::tensors;
      if (name == "outputs" && has_requests_) return Key::requests;
      if (name == "model_name") return Key::model_name;
      if (name == "model_version") return Key::model_version;
      if (name == "id") return Key::id;
      return name == "parameters" ? Key::parameters : Key::none;
    case At::tensor:
      if (name == "datatype") return Key::datatype;
      if (name == "shape") return Key::shape;
      if (name == "data") return Key::data;
      [[fallthrough]];
    case At::request:
      if (name == "name") return Key::name;
      return name == "parameters" ? Key::parameters : Key::none;
    default:
      return Key::none;
  }
}

std::string Place::in_words(std::size_t tensor, std::size_t requests) const {
  const auto in_tensor = [&](std::string_view rest) {
    return fmt::format("{}[{}].{}", tensors_key_, tensor, rest);
  };
  const auto in_request = [&](std::string_view rest) {
    return fmt::format("outputs[{}].{}", requests - 1, rest);
  };
  switch (at()) {
    case At::start:
      return "the body (an object is expected)";
    case At::top:
      return std::string(key_in_words());
    case At::parameters:
      return "parameters." + parameter_;
    case At::tensors:
      return std::string(tensors_key_);
    case At::tensor:
      return in_tensor(key_in_words());
    case At::tensor_parameters:
      return in_tensor("parameters." + parameter_);
    case At::shape:
      return in_tensor("shape");
    case At::data:
      return in_tensor("data");
    case At::requests:
      return "outputs";
    case At::request:
      return in_request(key_in_words());
    case At::request_parameters:
      return in_request("parameters." + parameter_);
    case At::passing:
      break;
  }
  return "the body";
}

std::string_view Place::key_in_words() const {
  constexpr std::array words{"?"sv,          "model_name"sv, "model_version"sv, "id"sv,
                             "parameters"sv, "inputs"sv,     "outputs"sv,       "name"sv,
                             "datatype"sv,   "shape"sv,      "data"sv};
  return key_ == Key::tensors ? tensors_key_ : words[static_cast<std::size_t>(key_)];
}

}  // namespace neph::wire
