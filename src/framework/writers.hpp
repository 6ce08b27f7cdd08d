// How each framework writes a network, and names and lays out its weights. Only for files of this module.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/data.hpp"
#include "framework/framework.hpp"

namespace neph::framework {

/// "3" where both are the same, else "(3, 5)".
std::string extent(std::int64_t height, std::int64_t width);
/// The file of src/framework/scripts, by its name without the ending.
const std::string& script_part(std::string_view name);
/// A text as Python writes it, which reads JSON's texts as its own.
std::string quoted(const std::string& text);
/// Runs the environment's Python to its end. Errors: unavailable, with its last line.
Status run_python(const Installed& installed, const std::vector<std::string>& arguments);

/// "(1, 28, 28)".
std::string tuple(const std::vector<std::int64_t>& sizes);
/// A number as Python writes it: 0.001, 1e-05.
std::string number(double value);

/// The lines that compute the layers one after the other, with variables of Python for the tensors: `x` for
/// what only the next layer reads. `call` writes one layer applied to its arguments; `nests`: whether a layer
/// may stand around the call of the one before it.
std::vector<std::string> statements(
    const Layers& layers, const std::string& input,
    const std::function<std::string(const Layer&, const std::vector<std::string>&)>& call,
    const std::function<bool(const Layer&)>& nests);

/// Of floats.
data::Array array(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values);
/// The elements with their dimensions in another order: that of the result's dimension i is `order[i]` here.
std::vector<float> rearranged(const std::vector<float>& values, const std::vector<std::int64_t>& shape,
                              const std::vector<std::size_t>& order);

std::string pytorch_network(const Layers& layers);
/// Whether Keras' padding "same" pads a window as ONNX does: where nothing is skipped.
bool is_same(const Sliding& window);

std::vector<data::Array> pytorch_weights(const Model& model);

std::string keras_network(const Layers& layers, bool channels_first);
std::vector<data::Array> keras_weights(const Model& model, bool channels_first);

}  // namespace neph::framework
