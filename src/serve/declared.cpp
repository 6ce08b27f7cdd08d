#include "serve/declared.hpp"

#include <algorithm>

#include "core/names.hpp"
#include "core/shapes.hpp"
#include "serve/signature.hpp"

namespace neph::serve {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr auto wrong = ErrorCode::invalid_argument;

Sizes with_batch(const Sizes& dims, bool has_batch) {
  Sizes sizes;
  if (has_batch) sizes.push_back(-1);
  sizes.insert(sizes.end(), dims.begin(), dims.end());
  return sizes;
}

Sizes engine_shape(const DeclaredPort& port, bool has_batch) {
  return with_batch(port.reshape.value_or(port.dims), has_batch);
}

/// Whether the model takes tensors of the shape that is declared.
bool agrees(const Sizes& model, const Sizes& declared) {
  return std::equal(model.begin(), model.end(), declared.begin(), declared.end(),
                    [](auto own, auto said) { return own < 0 || own == said; });
}

bool is_of_ones(const Sizes& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size == 1; });
}

/// Triton has no scalars: a model's is declared as [1], or more ones.
bool is_scalar(const Field& field, const DeclaredPort& said, const Declared& declared) {
  return field.shape.empty() && !field.open_rank && !said.reshape && !declared.has_batch() &&
         is_of_ones(said.dims);
}

/// Whether one can be told from the other: as many elements, as many open dimensions.
bool can_reshape(const Sizes& from, const Sizes& to) {
  const auto measure = [](const Sizes& sizes) {
    std::int64_t open = 0;
    double product = 1;
    for (const auto size : sizes)
      if (size < 0)
        ++open;
      else
        product *= static_cast<double>(size);
    return std::pair(open, product);
  };
  return measure(from) == measure(to);
}

Status check_port(const char* kind, const Field& field, const DeclaredPort& said, const Declared& declared) {
  if (said.type != field.type)
    return fail(wrong, "{}: {} '{}' is {}, and the model's is {}", declared.file, kind, said.name,
                enum_name(said.type), enum_name(field.type));
  if (said.reshape && !can_reshape(said.dims, *said.reshape))
    return fail(wrong, "{}: {} '{}' of dims {} cannot be reshaped to {}", declared.file, kind, said.name,
                engine::shape_text(said.dims), engine::shape_text(*said.reshape));
  const auto wanted = engine_shape(said, declared.has_batch());
  if (field.open_rank || agrees(field.shape, wanted) || is_scalar(field, said, declared)) return {};
  return fail(wrong, "{}: {} '{}' has the shape {}{}, and the model's is {}", declared.file, kind, said.name,
              engine::shape_text(wanted), declared.has_batch() ? " with max_batch_size above 0" : "",
              engine::shape_text(field.shape));
}

Status declare_port(const char* kind, std::vector<Field>& fields, const DeclaredPort& said,
                    const Declared& declared) {
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == said.name; });
  if (field == fields.end() && said.optional) return {};
  if (field == fields.end()) {
    std::vector<std::string> names;
    for (const auto& each : fields) names.push_back(each.name);
    return unknown_name(wrong, kind, said.name, names, declared.file);
  }
  NEPH_CHECK(check_port(kind, *field, said, declared));
  if (is_scalar(*field, said, declared)) field->engine_shape = Sizes{};
  if (said.reshape) field->engine_shape = engine_shape(said, declared.has_batch());
  field->shape = with_batch(said.dims, declared.has_batch());
  field->open_rank = false;
  field->labels = said.labels;
  field->hidden = false;
  return {};
}

/// `own`: its shape but for what is given.
Status add_shape(const engine::Port& input, Sizes own, const Sizes& given, Declared& declared) {
  auto shape = given;
  const bool front_stays_open = !own.empty() && own.front() < 0 && given.size() + 1 == own.size();
  if (front_stays_open) shape.insert(shape.begin(), -1);
  if (!input.open_rank && !agrees(own, shape))
    return fail(wrong, "--shape: {} is not a shape of input '{}', which is {}", engine::shape_text(given),
                input.name, engine::shape_text(own));
  const auto same_name = [&](const DeclaredPort& each) { return each.name == input.name; };
  auto said = std::find_if(declared.inputs.begin(), declared.inputs.end(), same_name);
  if (said == declared.inputs.end())
    said = declared.inputs.insert(said, {.name = input.name, .type = datatype_of(input.element)});
  if (declared.has_batch() && !front_stays_open)
    return fail(wrong,
                "--shape: {} fixes the batch of input '{}', which {} leaves open; leave the first size out",
                engine::shape_text(given), input.name, declared.file);
  if (said->reshape)
    return fail(wrong, "--shape: {} reshapes input '{}'; write its sizes into dims there", declared.file,
                input.name);
  said->dims.assign(shape.begin() + (declared.has_batch() ? 1 : 0), shape.end());
  return {};
}

/// Of what is not declared port by port.
Status check_batch(const char* kind, const std::vector<Field>& fields, const Declared& declared) {
  for (const auto& field : fields) {
    const bool begins_open = field.open_rank || (!field.shape.empty() && field.shape.front() < 0);
    if (begins_open || field.hidden) continue;
    return fail(wrong,
                "{}: max_batch_size is {}, and the model's {} '{}' of shape {} does not begin with an open "
                "dimension; set max_batch_size to 0",
                declared.file, declared.max_batch_size, kind, field.name, engine::shape_text(field.shape));
  }
  return {};
}

}  // namespace

Status add_shapes(const std::string& shapes, const std::vector<engine::Port>& inputs, Declared& declared) {
  if (shapes.empty()) return {};
  auto sizes = parse_shapes(shapes);
  std::vector<std::string> names;
  InputShapes own;
  for (const auto& input : narrowed(inputs, declared.inputs, declared.has_batch())) {
    names.push_back(input.name);
    own[input.name] = input.shape;
  }
  if (sizes) sizes = named_shapes(*std::move(sizes), names);
  if (!sizes) return fail(wrong, "--shape: {}", sizes.error().text());
  if (declared.file.empty()) declared.file = "--shape";
  for (const auto& [name, given] : with_like_ones(*std::move(sizes), own)) {
    const auto port =
        std::find_if(inputs.begin(), inputs.end(), [&](const auto& each) { return each.name == name; });
    NEPH_CHECK(add_shape(*port, own[name], given, declared));
  }
  return {};
}

std::vector<engine::Port> narrowed(std::vector<engine::Port> ports, const std::vector<DeclaredPort>& declared,
                                   bool has_batch) {
  for (auto& port : ports)
    for (const auto& said : declared) {
      const auto wanted = engine_shape(said, has_batch);
      if (said.name != port.name || !(port.open_rank || agrees(port.shape, wanted))) continue;
      port.shape = wanted;
      port.open_rank = false;
    }
  return ports;
}

Status declare(Signature& signature, const Declared& declared) {
  if (declared.file.empty()) return {};
  const bool is_picture = signature.payload != Payload::tensor;  // clients send no tensor
  for (const auto& input : is_picture ? std::vector<DeclaredPort>{} : declared.inputs)
    NEPH_CHECK(declare_port("input", signature.inputs, input, declared));
  for (auto& output : signature.outputs) output.hidden = !declared.outputs.empty();
  for (const auto& output : declared.outputs)
    NEPH_CHECK(declare_port("output", signature.outputs, output, declared));
  if (!declared.has_batch()) return {};
  signature.request_rows = declared.max_batch_size;
  NEPH_CHECK(check_batch("input", signature.inputs, declared));
  return check_batch("output", signature.outputs, declared);
}

wire::Shape reshaped(const wire::Shape& sizes, const Sizes& from, const Sizes& to) {
  wire::Shape made;
  std::size_t at = 0;
  for (const auto size : to) {
    if (size < 0) {
      while (at < from.size() && from[at] >= 0) ++at;
      made.push_back(at < sizes.rank() ? sizes[at++] : -1);
    } else {
      made.push_back(size);
    }
  }
  return made;
}

}  // namespace neph::serve
