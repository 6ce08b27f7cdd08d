// Field numbers of onnx.proto3.
#pragma once

#include <cstdint>

namespace neph::engine::onnxruntime_plugin {

constexpr std::uint64_t model_graph = 7;
constexpr std::uint64_t graph_node = 1, graph_input = 11, graph_output = 12, graph_value_info = 13;
constexpr std::uint64_t node_input = 1, node_output = 2, node_name = 3, node_operator = 4, node_attribute = 5,
                        node_domain = 7;
constexpr std::uint64_t attribute_name = 1, attribute_graph = 6, attribute_ints = 8, attribute_strings = 9,
                        attribute_graphs = 11;
constexpr std::uint64_t value_name = 1, value_type = 2;
constexpr std::uint64_t type_tensor = 1, tensor_element = 1, tensor_shape = 2, shape_dimension = 1,
                        dimension_value = 1;

constexpr std::uint64_t element_float = 1;

}  // namespace neph::engine::onnxruntime_plugin
