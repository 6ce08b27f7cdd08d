// A half of a data set whose examples lie in memory as the set has them: one byte a value, or floats. Only
// for files of this module.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "data/data.hpp"

namespace neph::data {

/// As it was read, before it is held against the network. Where only headers were read, both vectors are
/// empty.
struct Half {
  std::vector<std::int64_t> shape{};  ///< of an example: [channels, height, width]
  std::int64_t count = 0;
  std::variant<std::vector<std::uint8_t>, std::vector<float>> values{};  ///< count x shape
  std::vector<std::int32_t> labels{};
  std::string examples_name{}, labels_name{};  ///< files or members, for messages
};

/// [1, 28, 28] → "[1, 28, 28]".
std::string shape_text(const std::vector<std::int64_t>& shape);
std::int64_t values_in(const std::vector<std::int64_t>& shape);

/// The shape in which the network gets the examples: its own, if it is theirs, or has all their values in one
/// dimension; theirs where the options have none. Errors: invalid_argument.
Result<std::vector<std::int64_t>> fitting_shape(const std::string& name,
                                                const std::vector<std::int64_t>& examples,
                                                const Options& options);
/// Errors: invalid_argument where the set has more classes than the network tells apart.
Status check_class_count(const std::string& name, std::int64_t classes, const Options& options);
/// What every fill() asks first. Errors: invalid_argument.
Status check_fill(const Split& split, std::int64_t values, std::span<const std::int64_t> rows,
                  std::size_t inputs, std::size_t labels);

/// values / 255, as torchvision's ToTensor has them to the bit.
void to_floats(std::span<const std::uint8_t> values, float* out);

/// Of a half that was checked.
std::unique_ptr<Split> packed_split(Half half);

/// Checks both halves and joins them. `classes`: the names, empty where the set has none. `set` has name,
/// form and bytes. Errors: corrupt (a label that is no class of a set that names its classes, counts, shapes
/// that differ), invalid_argument.
Result<Set> packed_set(Set set, Half train, Half test, std::vector<std::string> classes,
                       const Options& options);

}  // namespace neph::data
