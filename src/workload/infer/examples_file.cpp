// A user's own tensors, brought to the shapes of a model's inputs.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "core/names.hpp"
#include "core/shapes.hpp"
#include "core/units.hpp"
#include "data/data.hpp"
#include "engine/elements.hpp"
#include "workload/infer/examples.hpp"

namespace neph::workload {
namespace {

using engine::Element;
using Arrays = std::vector<data::Array>;

std::string numpy_name(Element element) {
  switch (element) {
    case Element::boolean:
      return "bool";
    case Element::text:
      return "text";
    case Element::bf16:
      return "bfloat16";
    default: {
      const auto name = std::string(enum_name(element));
      const std::string_view kind = name[0] == 'f' ? "float" : name[0] == 'u' ? "uint" : "int";
      return std::string(kind) + name.substr(1);
    }
  }
}

std::string numpy_name(const data::Array& array) {
  if (array.kind == 'b') return "bool";
  const std::string_view kind = array.kind == 'f' ? "float" : array.kind == 'u' ? "uint" : "int";
  return fmt::format("{}{}", kind, 8 * array.width);
}

Status check_names(const std::string& file, const Arrays& arrays, const std::vector<engine::Port>& inputs) {
  std::vector<std::string> known, given;
  for (const auto& input : inputs) known.push_back(input.name);
  for (const auto& array : arrays) given.push_back(array.name);
  for (const auto& name : given)
    if (std::ranges::find(known, name) == known.end())
      return fail_in(file, unknown_name(ErrorCode::not_found, "input", name, known, "the model").value());
  for (const auto& name : known)
    if (std::ranges::find(given, name) == given.end())
      return fail(ErrorCode::not_found, "{} has no array for input '{}'; add it: numpy.savez(FILE, {}=...)",
                  file, name, name);
  return {};
}

Status check_type(const std::string& file, const data::Array& array, const engine::Port& input) {
  const auto wanted = numpy_name(input.element), found = numpy_name(array);
  if (wanted == found) return {};
  if (input.element == Element::text)
    return fail(ErrorCode::unsupported, "input '{}' is text, which {} cannot hold", input.name, file);
  return fail(ErrorCode::invalid_argument,
              "{}: '{}' is {}, and the model's input is {}; write {}.astype('{}')", file, array.name, found,
              wanted, array.name, wanted);
}

/// An array as examples of one input.
struct Cut {
  std::vector<std::int64_t> shape;  ///< of one
  std::int64_t count = 1;
  std::int64_t left_over = 0;  ///< rows at the end that make no whole example
};

bool fits(const std::vector<std::int64_t>& shape, std::span<const std::int64_t> found) {
  return std::equal(shape.begin(), shape.end(), found.begin(), found.end());
}

/// `open`: dimensions that were assumed may be the array's own.
Result<Cut> cut_of(const std::string& file, const data::Array& array, const engine::Port& input,
                   const std::vector<bool>& open) {
  auto shape = input.shape;
  const auto& found = array.shape;
  const std::size_t lead = found.size() == shape.size() + 1 ? 1 : 0;
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument, "{}: '{}' has the shape {}, and the model's input takes {}{}",
                file, array.name, engine::shape_text(found), engine::shape_text(input.shape), why);
  };
  if (found.size() != shape.size() + lead) return wrong("");
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (open[i]) shape[i] = found[i + lead];
  if (lead == 1)
    return fits(shape, std::span(found).subspan(1)) && found[0] > 0 ? Result<Cut>(Cut{shape, found[0], 0})
                                                                    : wrong("");
  if (shape.empty()) return Cut{};
  if (!fits({shape.begin() + 1, shape.end()}, std::span(found).subspan(1))) return wrong("");
  if (shape[0] < 1 || found[0] < shape[0])
    return shape[0] == found[0] ? Result<Cut>(Cut{shape, 1, 0})
                                : wrong("; it needs as many rows, or several times as many");
  return Cut{shape, found[0] / shape[0], found[0] % shape[0]};
}

/// How many examples the cuts are: an array of one goes with all others. Arrays whose numbers of rows differ,
/// where the model leaves all of them open and nobody said a batch, are parts of one example (atoms and bonds
/// of one graph), whole.
Result<std::int64_t> examples_in(const std::string& file, const std::vector<engine::Port>& model,
                                 const std::vector<engine::Port>& inputs,
                                 const std::vector<const data::Array*>& arrays, std::vector<Cut>& cuts) {
  const auto several = [](const Cut& cut) { return cut.count > 1; };
  const auto first = std::ranges::find_if(cuts, several);
  if (first == cuts.end()) return 1;
  const auto other =
      std::ranges::find_if(cuts, [&](const Cut& cut) { return several(cut) && cut.count != first->count; });
  if (other == cuts.end()) return first->count;
  const auto is_open_row = [&](std::size_t k) {
    return !model[k].shape.empty() && model[k].shape[0] < 0 && inputs[k].shape[0] == 1 &&
           arrays[k]->shape.size() == inputs[k].shape.size();
  };
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (several(cuts[k]) && !is_open_row(k))
      return fail(
          ErrorCode::invalid_argument,
          "{}: '{}' has {} examples and '{}' has {}; give all inputs as many, or one that goes with all",
          file, arrays[first - cuts.begin()]->name, first->count, arrays[other - cuts.begin()]->name,
          other->count);
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (several(cuts[k])) cuts[k] = {.shape = arrays[k]->shape, .count = 1, .left_over = 0};
  return 1;
}

std::string in_words(const std::string& file, std::int64_t count, const std::vector<Cut>& cuts) {
  auto words = fmt::format("{} of {}", counted(count, "example"), file);
  const auto left = std::ranges::max_element(cuts, {}, &Cut::left_over)->left_over;
  return left > 0 ? fmt::format("{}, and {} left over", words, counted(left, "row")) : words;
}

/// Of integers that are looked up in a table.
Status check_values(const std::string& file, const data::Array& array, const engine::Port& input,
                    const IntegerBounds& bounds) {
  const auto bound = bounds.of.find(input.name);
  if (bound == bounds.of.end() || engine::is_float(input.element)) return {};
  const auto count = array.bytes.size() / array.width;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = engine::element_value(input.element, array.bytes.data(), i);
    if (value >= static_cast<double>(-bound->second) && value < static_cast<double>(bound->second)) continue;
    return fail(ErrorCode::invalid_argument,
                "{}: '{}' has the value {:.0f} at place {}, and the model's table has {} entries, 0 to {}",
                file, array.name, value, i, bound->second, bound->second - 1);
  }
  return {};
}

Result<ExampleTensor> piece(const data::Array& array, const Cut& cut, std::int64_t index) {
  std::size_t bytes = array.width;
  for (const auto size : cut.shape) bytes *= static_cast<std::size_t>(size);
  ExampleTensor tensor{
      .memory = allocate_floats(bytes / sizeof(float) + 1), .bytes = bytes, .shape = cut.shape};
  if (!tensor.memory) return fail(ErrorCode::unavailable, "no memory for '{}'", array.name);
  if (bytes > 0)
    std::memcpy(tensor.memory.get(), array.bytes.data() + static_cast<std::size_t>(index) * bytes, bytes);
  return tensor;
}

/// Which dimensions of each input the plan has assumed.
std::vector<std::vector<bool>> assumed_dimensions(const std::vector<engine::Port>& model,
                                                  const InputPlan& plan) {
  std::vector<std::vector<bool>> all;
  for (std::size_t k = 0; k < model.size(); ++k) {
    const auto& port = model[k];
    const auto& sized = plan.inputs[k];
    const bool was_assumed =
        std::ranges::find(plan.assumed, shapes_text({{sized.name, sized.shape}})) != plan.assumed.end();
    auto& open = all.emplace_back(sized.shape.size(), false);
    for (std::size_t i = 1; was_assumed && i < open.size(); ++i)
      open[i] = port.open_rank || port.shape[i] < 0;
  }
  return all;
}

}  // namespace

Result<Examples> read_examples(const std::filesystem::path& path, const std::vector<engine::Port>& model,
                               const IntegerBounds& bounds, InputPlan& plan) {
  const auto file = path.string();
  NEPH_TRY(auto arrays, data::read_arrays(path));
  const bool is_unnamed =
      path.extension() == ".npy" || arrays.front().name == "arr_0";  // as savez() names one
  if (is_unnamed && arrays.size() == 1 && plan.inputs.size() == 1) arrays[0].name = plan.inputs[0].name;
  NEPH_CHECK(check_names(file, arrays, plan.inputs));
  const auto open = assumed_dimensions(model, plan);
  std::vector<const data::Array*> of_input;
  std::vector<Cut> cuts;
  for (std::size_t k = 0; k < plan.inputs.size(); ++k) {
    const auto& input = plan.inputs[k];
    const auto& array = *std::ranges::find(arrays, input.name, &data::Array::name);
    NEPH_CHECK(check_type(file, array, input));
    NEPH_CHECK(check_values(file, array, input, bounds));
    NEPH_TRY(auto cut, cut_of(file, array, input, open[k]));
    of_input.push_back(&array);
    cuts.push_back(std::move(cut));
  }
  NEPH_TRY(const auto count, examples_in(file, model, plan.inputs, of_input, cuts));
  for (std::size_t k = 0; k < plan.inputs.size(); ++k) {
    plan.inputs[k].shape = cuts[k].shape;
    if (!plan.shapes.empty()) plan.shapes[plan.inputs[k].name] = cuts[k].shape;
  }
  plan.assumed.clear();
  Examples examples{.names = {}, .all = {}, .turns = 1, .what = in_words(file, count, cuts)};
  for (std::int64_t i = 0; i < count; ++i) {
    examples.names.push_back(fmt::format("example {}", i));
    auto& example = examples.all.emplace_back();
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      NEPH_TRY(auto tensor, piece(*of_input[k], cuts[k], i % cuts[k].count));
      example.push_back(std::move(tensor));
    }
  }
  return examples;
}

}  // namespace neph::workload
