#include "engine/onnxruntime/ports.hpp"

#include <array>
#include <optional>

namespace neph::engine::onnxruntime_plugin {
namespace {

struct Pair {
  ONNXTensorElementDataType theirs;
  Element ours;
};
constexpr std::array pairs{Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, Element::f32},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, Element::f16},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, Element::bf16},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, Element::f64},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, Element::u8},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, Element::u16},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, Element::u32},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, Element::u64},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, Element::i8},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, Element::i16},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, Element::i32},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, Element::i64},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, Element::boolean},
                           Pair{ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, Element::text}};

std::optional<Element> element_of(ONNXTensorElementDataType type) {
  for (const auto& pair : pairs)
    if (pair.theirs == type) return pair.ours;
  return std::nullopt;
}

const char* form_of(ONNXType type) {
  switch (type) {
    case ONNX_TYPE_SEQUENCE:
      return "a sequence";
    case ONNX_TYPE_MAP:
      return "a map";
    case ONNX_TYPE_SPARSETENSOR:
      return "a sparse tensor";
    case ONNX_TYPE_OPTIONAL:
      return "optional";
    default:
      return "no tensor";
  }
}

Status add(Ports& ports, const char* kind, std::string name, const Ort::TypeInfo& info) {
  if (const auto type = info.GetONNXType(); type != ONNX_TYPE_TENSOR)
    return fail(ErrorCode::unsupported,
                "{} '{}' is {}, and neph passes on tensors; export the model with a tensor in its place",
                kind, name, form_of(type));
  const auto tensor = info.GetTensorTypeAndShapeInfo();
  const auto element = element_of(tensor.GetElementType());
  if (!element)
    return fail(ErrorCode::unsupported,
                "{} '{}' is of elements that neph does not pass on; cast it in the model", kind, name);
  auto shape = tensor.GetShape();
  std::vector<const char*> symbols(shape.size(), "");
  tensor.GetSymbolicDimensions(symbols.data(), symbols.size());
  auto& names = ports.symbols.emplace_back();
  for (const std::string_view symbol : symbols)  // Paddle calls all open ones "?"
    names.emplace_back(symbol == "?" ? "" : symbol);
  ports.ports.push_back({.name = std::move(name), .element = *element, .shape = std::move(shape)});
  return {};
}

}  // namespace

Result<Ports> inputs_of(const Ort::Session& session) {
  const Ort::AllocatorWithDefaultOptions allocator;
  Ports ports;
  for (std::size_t i = 0; i < session.GetInputCount(); ++i)
    NEPH_CHECK(
        add(ports, "input", session.GetInputNameAllocated(i, allocator).get(), session.GetInputTypeInfo(i)));
  return ports;
}

Result<Ports> outputs_of(const Ort::Session& session) {
  const Ort::AllocatorWithDefaultOptions allocator;
  Ports ports;
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i)
    NEPH_CHECK(add(ports, "output", session.GetOutputNameAllocated(i, allocator).get(),
                   session.GetOutputTypeInfo(i)));
  return ports;
}

ONNXTensorElementDataType type_of(Element element) {
  for (const auto& pair : pairs)
    if (pair.ours == element) return pair.theirs;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

}  // namespace neph::engine::onnxruntime_plugin
