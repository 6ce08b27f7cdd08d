#include "engine/openvino/shapes.hpp"

#include <algorithm>
#include <map>
#include <openvino/core/node.hpp>
#include <openvino/op/constant.hpp>

#include "engine/engine.hpp"
#include "engine/input_shapes.hpp"
#include "engine/openvino/error_text.hpp"
#include "engine/openvino/port.hpp"

namespace neph::engine {
namespace {

/// Elements per picture are at most what fits 64 bits, times a batch they need not: so all of this is in
/// floating point.
double bytes_of(const ov::Output<const ov::Node>& end) {
  if (end.get_partial_shape().is_dynamic()) return 0;
  double bytes = static_cast<double>(end.get_element_type().bitwidth()) / 8;
  for (const auto& dimension : end.get_partial_shape()) bytes *= static_cast<double>(dimension.get_length());
  return bytes;
}

/// The least that must be in memory at once: the inputs and outputs of the model, and those of its largest
/// operation.
double least_bytes(const ov::Model& model) {
  double ends = 0;
  for (const auto& input : model.inputs()) ends += bytes_of(input);
  for (const auto& output : model.outputs()) ends += bytes_of(output);
  double largest = 0;
  for (const auto& op : std::as_const(model).get_ops()) {
    if (ov::is_type<ov::op::v0::Constant>(op)) continue;
    double bytes = 0;
    for (const auto& input : op->input_values()) bytes += bytes_of(input);
    for (const auto& output : op->outputs()) bytes += bytes_of(output);
    largest = std::max(largest, bytes);
  }
  return ends + largest;
}

using Shapes = std::map<ov::Output<ov::Node>, ov::PartialShape>;

/// The inputs' shapes that are to become others.
Result<Shapes> changed_shapes(ov::Model& model, const Options& options) {
  NEPH_TRY(const auto ports, ports_of(std::as_const(model).inputs()));
  NEPH_TRY(const auto wanted, input_shapes(ports, options));
  Shapes shapes;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != ports[i].shape) shapes.emplace(model.input(i), ov::PartialShape(wanted[i]));
  return shapes;
}

Status check_outputs(const ov::Model& model, std::int64_t batch) {
  for (const auto& output : model.outputs()) {
    const auto& shape = output.get_partial_shape();
    const auto name = file_name_of(output);
    if (shape.is_dynamic())
      return fail(ErrorCode::unsupported,
                  "output '{}' has a size that depends on the data ({}); neph needs fixed ones", name,
                  shape.to_string());
    if (shape.size() > 0 && shape[0] != batch)
      return fail(ErrorCode::unsupported,
                  "with batch {} output '{}' has the shape {}, whose first dimension is not the batch", batch,
                  name, shape.to_string());
  }
  return {};
}

}  // namespace

Status set_shapes(ov::Model& model, const Options& options) {
  NEPH_TRY(const auto shapes, changed_shapes(model, options));
  if (!shapes.empty()) {
    try {
      model.reshape(shapes);
    } catch (...) {
      const auto error = explain_current(
          options.shapes.empty() ? fmt::format("the model's layers do not take batch {}", options.batch)
                                 : std::string("the model's layers do not take these shapes"));
      return fail(error.code == ErrorCode::unavailable ? error.code : ErrorCode::unsupported, "{}",
                  error.message);
    }
  }
  if (options.batch > 0 && options.shapes.empty()) NEPH_CHECK(check_outputs(model, options.batch));
  return check_memory(least_bytes(model), std::max<std::int64_t>(options.batch, 1));
}

}  // namespace neph::engine
