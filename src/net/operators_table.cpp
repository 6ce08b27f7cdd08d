// Text, sequences of tensors, and the classical learning of ai.onnx.ml, which works on rows of features.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// Rows of [rows, features]; a single row of features is one.
std::int64_t rows_of(const MaybeShape& features) {
  if (!features) return kUnknown;
  return features->size() == 1 ? 1 : features->empty() ? kUnknown : features->front();
}

std::int64_t count_of(std::size_t count) { return static_cast<std::int64_t>(count); }

/// A row of so many numbers for each row of features.
template <int type>
Effect row_each(const Call& call, std::int64_t numbers) {
  return made(Shape{rows_of(call.shape(0)), numbers}, type);
}

/// SequenceLength, OptionalHasElement: one number.
template <int type>
Result<Effect> single(const Call&) {
  return made(Shape{}, type);
}

/// Words [..., words]: how many of them are no stop words, only they tell.
Result<Effect> normalized_words(const Call& call) {
  MaybeShape shape = call.shape(0);
  if (shape && !shape->empty() && call.text_count("stopwords") > 0) shape->back() = kUnknown;
  return made(std::move(shape), kString);
}

/// Each text's parts, in an axis as long as the most of them, and how many there are.
Result<Effect> split_words(const Call& call) {
  MaybeShape shape = call.shape(0);
  if (shape) shape->push_back(kUnknown);
  return Effect{
      .outputs = {{.shape = std::move(shape), .type = kString}, {.shape = call.shape(0), .type = kInt64}}};
}

/// How often each known sequence of words stands in a row.
Result<Effect> counted_words(const Call& call) {
  MaybeShape shape = call.shape(0);
  const auto places = call.integers("ngram_indexes");
  if (!shape || shape->empty() || places.empty()) return made(std::nullopt, kFloat);
  shape->back() = std::max(*std::max_element(places.begin(), places.end()), std::int64_t{-1}) + 1;
  return made(std::move(shape), kFloat);
}

/// Labels for labels, of the type of those that it holds.
Result<Effect> labels(const Call& call) {
  int type = kString;
  if (const Tensor* values = call.tensor("values_tensor")) type = values->type;
  if (!call.integers("values_int64s").empty()) type = kInt64;
  if (call.reals("values_floats", call.input_count())) type = kFloat;
  return made(call.shape(0), type);
}

/// CategoryMapper: numbers for names, or names for numbers.
Result<Effect> categories(const Call& call) {
  return made(call.shape(0), call.input(0).type == kString ? kInt64 : kString);
}

/// Features scaled, filled in, held against a limit: as floats.
Result<Effect> features(const Call& call) { return made(call.shape(0), kFloat); }

/// ArrayFeatureExtractor: the columns that the second input names.
Result<Effect> chosen_features(const Call& call) {
  const auto &shape = call.shape(0), &columns = call.shape(1);
  if (!shape || shape->empty()) return made(std::nullopt, call.input(0).type);
  Shape chosen = *shape;
  chosen.back() = kUnknown;
  if (is_known(columns)) {
    NEPH_TRY(chosen.back(), element_count(*columns));
  }
  if (chosen.size() == 1) chosen.insert(chosen.begin(), 1);
  return made(std::move(chosen), call.input(0).type);
}

/// FeatureVectorizer: rows of several tensors side by side.
Result<Effect> joined_features(const Call& call) {
  std::int64_t width = 0;
  const auto widths = call.integers("inputdimensions");
  for (const auto each : widths) {
    NEPH_TRY(width, checked_sum(width, each));
  }
  return row_each<kFloat>(call, widths.empty() ? kUnknown : width);
}

/// OneHotEncoder: an axis more, as long as there are categories.
Result<Effect> categories_apart(const Call& call) {
  MaybeShape shape = call.shape(0);
  const auto known = std::max(call.integers("cats_int64s").size(), call.text_count("cats_strings"));
  if (shape) shape->push_back(count_of(known));
  return made(std::move(shape), kFloat);
}

/// LinearRegressor, LinearClassifier: each row is multiplied with all of the coefficients.
Status multiply_rows(const Call& call, Effect& effect) {
  const auto rows = rows_of(call.shape(0));
  const auto coefficients = call.reals("coefficients", call.input_count());
  effect.macs.reset();
  if (rows == kUnknown || !coefficients) return {};
  NEPH_TRY(effect.macs, checked_product(rows, count_of(coefficients->size())));
  return {};
}

Result<Effect> linear_regression(const Call& call) {
  auto effect = row_each<kFloat>(call, std::max(call.integer("targets", 1), kUnknown));
  NEPH_CHECK(multiply_rows(call, effect));
  return effect;
}

Result<Effect> regression(const Call& call) {
  return row_each<kFloat>(call, std::max(call.integer("n_targets", 1), kUnknown));
}

/// TreeEnsemble: numbers of its input's type.
Result<Effect> trees(const Call& call) {
  NEPH_TRY(auto effect, regression(call));
  effect.outputs[0].type = call.input(0).type;
  return effect;
}

/// Of each row its class, whose type the labels tell, and its scores.
Result<Effect> classification(const Call& call) {
  const bool numbers =
      !call.integers("classlabels_int64s").empty() || !call.integers("classlabels_ints").empty();
  return Effect{.outputs = {{.shape = Shape{rows_of(call.shape(0))}, .type = numbers ? kInt64 : kString},
                            {.shape = Shape{rows_of(call.shape(0)), kUnknown}, .type = kFloat}}};
}

Result<Effect> linear_classification(const Call& call) {
  NEPH_TRY(auto effect, classification(call));
  NEPH_CHECK(multiply_rows(call, effect));
  return effect;
}

/// The same, whose multiply-accumulates depend on the kernel.
template <Rule rule>
Result<Effect> by_vectors(const Call& call) {
  auto effect = rule(call);
  if (effect) effect->macs.reset();
  return effect;
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"StringNormalizer", Kind::movement, normalized_words, kNone},
    Operator{"StringSplit", Kind::movement, split_words, kNone},
    Operator{"TfIdfVectorizer", Kind::movement, counted_words, kNone},
    Operator{"SequenceConstruct", Kind::movement, untold, kNone},
    Operator{"SequenceEmpty", Kind::movement, untold, kNone},
    Operator{"SequenceInsert", Kind::movement, untold, kNone},
    Operator{"SequenceErase", Kind::movement, untold, kNone},
    Operator{"SequenceAt", Kind::movement, untold, kNone},
    Operator{"SequenceLength", Kind::movement, single<kInt64>, kNone},
    Operator{"SplitToSequence", Kind::movement, untold, kNone},
    Operator{"ConcatFromSequence", Kind::movement, untold, kNone},
    Operator{"Optional", Kind::movement, untold, kNone},
    Operator{"OptionalGetElement", Kind::movement, same, kNone},
    Operator{"OptionalHasElement", Kind::movement, single<kBool>, kNone},
    Operator{"ai.onnx.ml.ArrayFeatureExtractor", Kind::movement, chosen_features, kNone},
    Operator{"ai.onnx.ml.Binarizer", Kind::elementwise, same, kNone},
    Operator{"ai.onnx.ml.CastMap", Kind::movement, untold, kNone},
    Operator{"ai.onnx.ml.CategoryMapper", Kind::movement, categories, kNone},
    Operator{"ai.onnx.ml.DictVectorizer", Kind::movement, untold, kNone},
    Operator{"ai.onnx.ml.FeatureVectorizer", Kind::movement, joined_features, kNone},
    Operator{"ai.onnx.ml.Imputer", Kind::elementwise, same, kNone},
    Operator{"ai.onnx.ml.LabelEncoder", Kind::movement, labels, kNone},
    Operator{"ai.onnx.ml.LinearClassifier", Kind::dense, linear_classification, kNone},
    Operator{"ai.onnx.ml.LinearRegressor", Kind::dense, linear_regression, kNone},
    Operator{"ai.onnx.ml.Normalizer", Kind::normalization, features, kNone},
    Operator{"ai.onnx.ml.OneHotEncoder", Kind::movement, categories_apart, kNone},
    Operator{"ai.onnx.ml.Scaler", Kind::normalization, features, kNone},
    Operator{"ai.onnx.ml.SVMClassifier", Kind::dense, by_vectors<classification>, kNone},
    Operator{"ai.onnx.ml.SVMRegressor", Kind::dense, by_vectors<regression>, kNone},
    Operator{"ai.onnx.ml.TreeEnsemble", Kind::elementwise, trees, kNone},
    Operator{"ai.onnx.ml.TreeEnsembleClassifier", Kind::elementwise, classification, kNone},
    Operator{"ai.onnx.ml.TreeEnsembleRegressor", Kind::elementwise, regression, kNone},
    Operator{"ai.onnx.ml.ZipMap", Kind::movement, untold, kNone},
};

}  // namespace

std::span<const Operator> table_operators() { return kOperators; }

}  // namespace neph::net
