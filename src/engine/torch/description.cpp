// What a package says of itself.
#include <algorithm>
#include <regex>

#include "core/json.hpp"
#include "core/names.hpp"
#include "engine/torch/package.hpp"

namespace neph::engine::torch_plugin {
namespace {

constexpr std::string_view how_to_export =
    "export it by torch 2.11, or with the ports in its metadata: "
    "inductor_configs={\"aot_inductor.metadata\": "
    "{\"neph\": '{\"inputs\": [{\"name\": \"x\", \"element\": \"f32\", \"shape\": [-1, 3, 224, 224]}], "
    "\"outputs\": [...]}'}}";

struct PortText {
  std::string name, element;
  std::vector<std::int64_t> shape;
};
template <class Visit, Describes<PortText> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "");
  v("element", s.element, "");
  v("shape", s.shape, "");
}

/// What framework/scripts/export.py writes.
struct OwnMetadata {
  std::vector<PortText> inputs, outputs;
  std::string precision, torch;
};
template <class Visit, Describes<OwnMetadata> Self>
void describe(Visit&& v, Self& s) {
  v("inputs", s.inputs, "");
  v("outputs", s.outputs, "");
  v("precision", s.precision, "");
  v("torch", s.torch, "");
}

Result<std::vector<Port>> ports_of(const std::vector<PortText>& texts) {
  std::vector<Port> ports;
  for (const auto& text : texts) {
    Element element{};
    bool known = false;
    for (const auto& each : enum_names(Element{}))
      if (each.name == text.element) element = each.value, known = true;
    if (!known || element == Element::text ||
        std::ranges::any_of(text.shape, [](auto size) { return size < -1; }))
      return fail(ErrorCode::corrupt, "its metadata gives '{}' a type or shape that cannot be", text.name);
    ports.push_back({.name = text.name, .element = element, .shape = text.shape});
  }
  return ports;
}

/// As libtorch calls them: aoti_torch_dtype_float32().
std::optional<Element> element_of(std::string_view dtype) {
  using enum Element;
  constexpr std::array known{std::pair{"float32", f32},   std::pair{"float16", f16},
                             std::pair{"bfloat16", bf16}, std::pair{"float64", f64},
                             std::pair{"uint8", u8},      std::pair{"int8", i8},
                             std::pair{"int16", i16},     std::pair{"int32", i32},
                             std::pair{"int64", i64},     std::pair{"bool", boolean}};
  for (const auto& [name, element] : known)
    if (name == dtype) return element;
  return std::nullopt;
}

using Matches = std::regex_token_iterator<std::string::const_iterator>;

/// The names in lines such as `inputs_info_[0].name = "arg0_1";`.
std::vector<std::string> names_in(const std::string& wrapper, const char* table) {
  const std::regex pattern(fmt::format("{}\\[\\d+\\]\\.name = \"(\\w+)\";", table));
  return {Matches(wrapper.begin(), wrapper.end(), pattern, 1), Matches()};
}

/// The function check_input_N of the wrapper, which torch calls only where it is asked to; empty: none.
std::string check_of(const std::string& wrapper, std::size_t input) {
  const auto begin = wrapper.find(fmt::format("void check_input_{}(", input));
  if (begin == std::string::npos) return {};
  return wrapper.substr(begin, wrapper.find("\n}\n", begin) - begin);
}

Result<Port> port_in(const std::string& check, const std::string& name) {
  static const std::regex type(R"(expected_dtype = aoti_torch_dtype_(\w+)\(\))");
  static const std::regex fixed(R"(if \((\d{1,15}) != \w+_size\[(\d{1,2})\]\))");
  static const std::regex dimension(R"(_(?:size|stride)\[(\d{1,2})\])");
  std::smatch found;
  if (!std::regex_search(check, found, type))
    return fail(ErrorCode::unsupported, "it does not say what its input '{}' is; {}", name, how_to_export);
  const auto element = element_of(found[1].str());
  if (!element)
    return fail(ErrorCode::unsupported, "its input '{}' is of {}, which neph cannot pass on", name,
                found[1].str());
  Port port{.name = name, .element = *element};
  for (Matches each(check.begin(), check.end(), dimension, 1), end; each != end; ++each)
    port.shape.resize(std::max<std::size_t>(port.shape.size(), std::stoul(*each) + 1), -1);
  for (std::sregex_iterator each(check.begin(), check.end(), fixed), end; each != end; ++each)
    port.shape[std::stoul((*each)[2])] = std::stoll((*each)[1]);
  return port;
}

Status read_wrapper(const std::string& wrapper, Description& described) {
  const auto inputs = names_in(wrapper, "inputs_info_");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    NEPH_TRY(auto port, port_in(check_of(wrapper, i), inputs[i]));
    described.inputs.push_back(std::move(port));
  }
  for (auto& name : names_in(wrapper, "outputs_info_"))
    described.outputs.push_back({.name = std::move(name), .open_rank = true});
  if (described.outputs.empty())
    return fail(ErrorCode::unsupported, "it does not say what its inputs and outputs are; {}", how_to_export);
  return {};
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<Description> describe_package(std::string_view metadata, std::string_view wrapper) {
  NEPH_TRY(const auto json, parse_json(metadata.empty() ? "{}" : metadata, "its metadata"));
  if (!json.is_object()) return fail(ErrorCode::corrupt, "its metadata is not a JSON object");
  Description described{.device = text_in(json, "AOTI_DEVICE_KEY"),
                        .instructions = text_in(json, "AOTI_CPU_ISA")};
  if (described.device.empty()) described.device = "cpu";
  const auto own = text_in(json, "neph");
  if (own.empty()) {
    NEPH_CHECK(read_wrapper(std::string(wrapper), described));
    return described;
  }
  NEPH_TRY(const auto own_json, parse_json(own, "what its metadata says to neph"));
  NEPH_TRY(const auto read, from_json<OwnMetadata>(own_json, "neph"));
  NEPH_TRY(described.inputs, ports_of(read.inputs));
  NEPH_TRY(described.outputs, ports_of(read.outputs));
  described.precision = read.precision;
  described.torch = read.torch;
  return described;
}

}  // namespace neph::engine::torch_plugin
