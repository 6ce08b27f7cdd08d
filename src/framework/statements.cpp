// The layers as lines of Python.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "framework/writers.hpp"

namespace neph::framework {
namespace {

constexpr std::size_t longest_line = 110;

struct Use {
  std::size_t count = 0, first = 0, last = 0;  ///< of layers that read a tensor, by their numbers
};

class Writer {
 public:
  Writer(const Layers& layers, const std::string& input) : layers_(layers) {
    for (std::size_t i = 0; i < layers.all.size(); ++i)
      for (const auto& tensor : layers.all[i].inputs) {
        auto& use = uses_[tensor];
        if (use.count++ == 0) use.first = i;
        use.last = i;
      }
    texts_[layers.input] = input;
  }

  std::vector<std::string> lines(const auto& call, const auto& nests) {
    for (std::size_t i = 0; i < layers_.all.size(); ++i) {
      const auto& layer = layers_.all[i];
      std::vector<std::string> arguments;
      for (const auto& tensor : layer.inputs) arguments.push_back(texts_.at(tensor));
      const auto text = call(layer, arguments);
      const bool is_next_alone = is_read_once_by(layer.output, i + 1);
      if (is_next_alone && nests(layers_.all[i + 1]) && text.size() < longest_line)
        texts_[layer.output] = text;
      else
        assign(layer.output, text, i);
    }
    const auto last = texts_.at(layers_.output) + " = ";
    const bool is_assigned_last = !lines_.empty() && lines_.back().starts_with(last);
    const auto result = is_assigned_last ? lines_.back().substr(last.size()) : texts_.at(layers_.output);
    if (is_assigned_last) lines_.pop_back();
    lines_.push_back("return " + result);
    return std::move(lines_);
  }

 private:
  bool is_read_once_by(const std::string& tensor, std::size_t layer) const {
    const auto use = uses_.find(tensor);
    return use != uses_.end() && use->second.count == 1 && use->second.first == layer;
  }

  void assign(const std::string& tensor, const std::string& text, std::size_t at) {
    const auto use = uses_.find(tensor);
    const bool is_last = use == uses_.end();
    auto name = std::string("x");
    if (!is_last && !is_read_once_by(tensor, at + 1))
      name = free_name(use->second.count > 1 ? "block" : "branch", at, use->second.last);
    if (name != text) lines_.push_back(fmt::format("{} = {}", name, text));
    texts_[tensor] = name;
  }

  /// A variable that holds nothing that is read after the layer `at`.
  std::string free_name(const std::string& base, std::size_t at, std::size_t last_use) {
    auto name = base;
    for (int i = 2; busy_until_.contains(name) && busy_until_.at(name) > at; ++i)
      name = base + std::to_string(i);
    busy_until_[name] = last_use;
    return name;
  }

  const Layers& layers_;
  std::map<std::string, Use> uses_;
  std::map<std::string, std::string> texts_;  ///< variable or expression of each tensor
  std::map<std::string, std::size_t> busy_until_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string extent(std::int64_t height, std::int64_t width) {
  return height == width ? std::to_string(height) : fmt::format("({}, {})", height, width);
}

std::string number(double value) {
  auto text = fmt::format("{}", value);
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

std::vector<std::string> statements(
    const Layers& layers, const std::string& input,
    const std::function<std::string(const Layer&, const std::vector<std::string>&)>& call,
    const std::function<bool(const Layer&)>& nests) {
  return Writer(layers, input).lines(call, nests);
}

}  // namespace neph::framework
