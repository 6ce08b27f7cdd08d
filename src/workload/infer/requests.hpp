// A user's own tensors as requests to a server that has the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/engine.hpp"
#include "wire/wire.hpp"
#include "workload/infer/examples.hpp"
#include "workload/infer/spec.hpp"

namespace neph::workload {

/// A server's inputs or outputs, as an engine would have them. Errors: unsupported (a type that neph has
/// not).
Result<std::vector<engine::Port>> ports_of(const std::vector<wire::TensorMetadata>& tensors);

/// Whether there are arrays for inputs in it: a .npz, a .npy, or a folder of .npy.
bool holds_arrays(const std::filesystem::path& path);

struct ExampleRequests {
  Examples examples;
  std::vector<wire::InferRequest> requests;  ///< one for each example, in whose memory the tensors are
  std::int64_t rows = 1;                     ///< samples in a request
};
/// Of spec.inputs, with spec.batch and spec.shape. Errors: those of input_plans() and read_examples().
Result<ExampleRequests> example_requests(const wire::ModelMetadata& model, const InferSpec& spec);

namespace detail {
struct WireType {
  engine::Element element;
  wire::DataType type;
};
inline constexpr std::array wire_types{WireType{engine::Element::f32, wire::DataType::f32},
                                       WireType{engine::Element::f16, wire::DataType::f16},
                                       WireType{engine::Element::bf16, wire::DataType::bf16},
                                       WireType{engine::Element::f64, wire::DataType::f64},
                                       WireType{engine::Element::u8, wire::DataType::u8},
                                       WireType{engine::Element::u16, wire::DataType::u16},
                                       WireType{engine::Element::u32, wire::DataType::u32},
                                       WireType{engine::Element::u64, wire::DataType::u64},
                                       WireType{engine::Element::i8, wire::DataType::i8},
                                       WireType{engine::Element::i16, wire::DataType::i16},
                                       WireType{engine::Element::i32, wire::DataType::i32},
                                       WireType{engine::Element::i64, wire::DataType::i64},
                                       WireType{engine::Element::boolean, wire::DataType::boolean},
                                       WireType{engine::Element::text, wire::DataType::bytes}};
}  // namespace detail

constexpr wire::DataType type_of(engine::Element element) {
  for (const auto& pair : detail::wire_types)
    if (pair.element == element) return pair.type;
  return wire::DataType::bytes;
}
constexpr engine::Element element_of(wire::DataType type) {
  for (const auto& pair : detail::wire_types)
    if (pair.type == type) return pair.element;
  return engine::Element::text;
}

}  // namespace neph::workload
