#include "data/packed.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/ranges.h>

#include "data/byte_source.hpp"

namespace neph::data {
namespace {

class PackedSplit final : public Split {
 public:
  explicit PackedSplit(Half half) : half_(std::move(half)), values_(values_in(half_.shape)) {}

  std::int64_t size() const override { return half_.count; }
  std::int64_t labels_per_example() const override { return 1; }
  Status fill(std::span<const std::int64_t> rows, std::span<float> inputs,
              std::span<std::int64_t> labels) const override {
    NEPH_CHECK(check_fill(*this, values_, rows, inputs.size(), labels.size()));
    const auto each = static_cast<std::size_t>(values_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      copy(row * each, each, inputs.data() + i * each);
      labels[i] = half_.labels[row];
    }
    return {};
  }

 private:
  void copy(std::size_t from, std::size_t count, float* out) const {
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&half_.values))
      to_floats({bytes->data() + from, count}, out);
    else
      std::memcpy(out, std::get<std::vector<float>>(half_.values).data() + from, count * sizeof(float));
  }

  Half half_;
  std::int64_t values_;
};

/// One more than the highest label.
Result<std::int64_t> check_labels(const Half& half, std::size_t named, const Options& options) {
  std::int64_t classes = 0;
  for (std::size_t row = 0; row < half.labels.size(); ++row) {
    const auto label = half.labels[row];
    if (label < 0 || (named > 0 && static_cast<std::size_t>(label) >= named))
      return fail(ErrorCode::corrupt, "{}: label {} of example {} is no class{}", half.labels_name, label,
                  row, named > 0 ? fmt::format(": they are 0 to {}", named - 1) : "");
    if (options.classes > 0 && label >= options.classes)
      return fail(ErrorCode::invalid_argument,
                  "{}: label {} of example {} is no class of the network, which tells {} apart",
                  half.labels_name, label, row, options.classes);
    classes = std::max<std::int64_t>(classes, label + 1);
  }
  return classes;
}

Status check_halves(const Half& train, const Half& test) {
  for (const auto* half : {&train, &test})
    if (half->count == 0) return fail(ErrorCode::corrupt, "{} has no examples", half->examples_name);
  if (train.shape != test.shape)
    return fail(ErrorCode::corrupt, "{} has examples of {} and {} of {}", train.examples_name,
                shape_text(train.shape), test.examples_name, shape_text(test.shape));
  return {};
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::int64_t values_in(const std::vector<std::int64_t>& shape) {
  std::int64_t values = 1;
  for (const auto size : shape) values *= size;
  return values;
}

Result<std::vector<std::int64_t>> fitting_shape(const std::string& name,
                                                const std::vector<std::int64_t>& examples,
                                                const Options& options) {
  const auto& wanted = options.example_shape;
  if (wanted.empty() || wanted == examples) return examples;
  if (wanted.size() == 1 && wanted[0] == values_in(examples)) return wanted;
  return fail(ErrorCode::invalid_argument,
              "examples of {} are {} and the network takes {}; take a network of that input, or another set",
              name, shape_text(examples), shape_text(wanted));
}

Status check_class_count(const std::string& name, std::int64_t classes, const Options& options) {
  if (options.classes <= 0 || classes <= options.classes) return {};
  return fail(ErrorCode::invalid_argument, "{} has {} classes and the network tells {} apart", name, classes,
              options.classes);
}

Status check_fill(const Split& split, std::int64_t values, std::span<const std::int64_t> rows,
                  std::size_t inputs, std::size_t labels) {
  const auto wanted = rows.size() * static_cast<std::size_t>(values);
  const auto wanted_labels = rows.size() * static_cast<std::size_t>(split.labels_per_example());
  if (inputs != wanted || labels != wanted_labels)
    return fail(ErrorCode::invalid_argument, "{} examples are {} values and {} labels, not {} and {}",
                rows.size(), wanted, wanted_labels, inputs, labels);
  for (const auto row : rows)
    if (row < 0 || row >= split.size())
      return fail(ErrorCode::invalid_argument, "there is no example {} among {}", row, split.size());
  return {};
}

void to_floats(std::span<const std::uint8_t> values, float* out) {
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]) / 255.0F;
}

std::unique_ptr<Split> packed_split(Half half) { return std::make_unique<PackedSplit>(std::move(half)); }

Result<Set> packed_set(Set set, Half train, Half test, std::vector<std::string> classes,
                       const Options& options) {
  NEPH_CHECK(check_halves(train, test));
  NEPH_TRY(set.example_shape, fitting_shape(set.name, train.shape, options));
  NEPH_CHECK(check_class_count(set.name, static_cast<std::int64_t>(classes.size()), options));
  NEPH_TRY(const auto seen, check_labels(train, classes.size(), options));
  NEPH_TRY(const auto seen_in_test, check_labels(test, classes.size(), options));
  for (auto next = static_cast<std::int64_t>(classes.size()); next < std::max(seen, seen_in_test); ++next)
    classes.push_back(std::to_string(next));
  set.classes = std::move(classes);
  if (train.labels.empty()) return set;  // only headers were read
  set.train = std::make_unique<PackedSplit>(std::move(train));
  set.test = std::make_unique<PackedSplit>(std::move(test));
  return set;
}

}  // namespace neph::data
