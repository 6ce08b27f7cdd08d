#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "data/scratch_test.hpp"

namespace neph::data {
namespace {

struct Half {
  std::vector<float> inputs;
  std::vector<std::int64_t> labels;
};

template <class T>
std::vector<T> elements(const Array& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

/// The training half and the other.
std::array<Half, 2> halves_of(const Options& options) {
  const auto arrays = make_synth(options);
  EXPECT_TRUE(arrays) << arrays.error().text();
  EXPECT_EQ(arrays->size(), 4U);
  std::array<Half, 2> halves;
  for (std::size_t i = 0; i < 2; ++i)
    halves[i] = {elements<float>(arrays->at(2 * i)), elements<std::int64_t>(arrays->at(2 * i + 1))};
  return halves;
}

/// Share of the test half whose nearest class mean of the training half is their own: what the simplest
/// learner gets.
double nearest_mean_accuracy(const Options& options) {
  const auto [train, test] = halves_of(options);
  const auto values = train.inputs.size() / train.labels.size();
  std::vector<std::vector<double>> means(static_cast<std::size_t>(options.classes),
                                         std::vector<double>(values));
  std::vector<double> counts(means.size());
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(train.labels[i]);
    counts[label] += 1;
    for (std::size_t k = 0; k < values; ++k) means[label][k] += train.inputs[i * values + k];
  }
  int right = 0;
  for (std::size_t i = 0; i < test.labels.size(); ++i) {
    std::vector<double> distances(means.size());
    for (std::size_t c = 0; c < means.size(); ++c)
      for (std::size_t k = 0; k < values; ++k) {
        const double away = means[c][k] / counts[c] - test.inputs[i * values + k];
        distances[c] += away * away;
      }
    right += std::min_element(distances.begin(), distances.end()) - distances.begin() == test.labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(test.labels.size());
}

TEST(Synth, CanBeLearntInAnyShape) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {1, 28, 28}, {3, 32, 32}, {100}, {12, 16}, {2, 3, 8, 8}, {5, 1, 1, 40}}) {
    const Options options{.example_shape = shape, .classes = 10, .synth_train = 300, .synth_test = 100};
    EXPECT_GT(nearest_mean_accuracy(options), 0.95) << shape.size();
  }
}

TEST(Synth, IsInRangeBalancedAndTheSameAgain) {
  const Options options{.example_shape = {3, 9, 7}, .classes = 4, .synth_train = 40, .synth_test = 8};
  const auto arrays = make_synth(options);
  ASSERT_TRUE(arrays);
  EXPECT_EQ(arrays->at(0).name, "x_train");
  EXPECT_EQ(arrays->at(0).shape, (std::vector<std::int64_t>{40, 3, 9, 7}));
  EXPECT_EQ(arrays->at(3).name, "y_test");
  EXPECT_EQ(arrays->at(3).shape, std::vector<std::int64_t>{8});
  const auto [train, test] = halves_of(options);
  EXPECT_EQ(train.inputs, halves_of(options)[0].inputs);
  for (const float value : train.inputs) ASSERT_TRUE(value >= 0 && value <= 1) << value;
  std::map<std::int64_t, int> counts;
  for (const auto label : train.labels) ++counts[label];
  EXPECT_EQ(counts, (std::map<std::int64_t, int>{{0, 10}, {1, 10}, {2, 10}, {3, 10}}));
  EXPECT_NE(std::vector(train.inputs.begin(), train.inputs.begin() + 189),
            std::vector(test.inputs.begin(), test.inputs.begin() + 189));
  auto other = options;
  other.seed = 2;
  EXPECT_NE(halves_of(other)[0].inputs, train.inputs);
}

TEST(Synth, SequencesHaveNoBlankAndNoDoubles) {
  const Options options{.example_shape = {1, 16, 60}, .classes = 5, .synth_train = 50, .synth_labels = 6};
  EXPECT_EQ(make_synth(options)->at(1).shape, (std::vector<std::int64_t>{50, 6}));
  const auto train = halves_of(options)[0];
  for (std::size_t i = 0; i < train.labels.size(); ++i) {
    EXPECT_TRUE(train.labels[i] >= 1 && train.labels[i] < 5);
    if (i % 6 != 0) {
      EXPECT_NE(train.labels[i], train.labels[i - 1]);
    }
  }
}

TEST(Synth, ASequencesMomentsLookLikeTheirLetter) {
  // Time is the longer dimension, wherever it stands; letters take 10 moments each.
  for (const bool time_first : {false, true}) {
    const Options options{
        .example_shape = time_first ? std::vector<std::int64_t>{60, 16} : std::vector<std::int64_t>{16, 60},
        .classes = 3,
        .synth_train = 40,
        .synth_labels = 6};
    const auto train = halves_of(options)[0];
    std::map<std::int64_t, std::vector<double>> sums;
    std::map<std::int64_t, double> counts;
    const auto at = [&](std::size_t i, std::size_t moment, std::size_t place) {
      return train.inputs[i * 960 + (time_first ? moment * 16 + place : place * 60 + moment)];
    };
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t moment = 0; moment < 60; ++moment) {
        auto& sum = sums[train.labels[i * 6 + moment / 10]];
        sum.resize(16);
        for (std::size_t place = 0; place < 16; ++place) sum[place] += at(i, moment, place);
        counts[train.labels[i * 6 + moment / 10]] += 1;
      }
    double apart = 0;
    for (std::size_t place = 0; place < 16; ++place) {
      const double mean1 = sums[1][place] / counts[1], mean2 = sums[2][place] / counts[2];
      apart = std::max(apart, std::abs(mean1 - mean2));
      for (const double mean : {mean1, mean2})  // 0.25 of noise, and 0.5 or nothing of the pattern
        EXPECT_TRUE(std::abs(mean - 0.25) < 0.05 || std::abs(mean - 0.75) < 0.05) << mean;
    }
    EXPECT_GT(apart, 0.4);
  }
}

TEST(Synth, RefusesWhatMakesNoSense) {
  const auto refused = [](const Options& options) { return code_of(look("synth", options)); };
  EXPECT_EQ(refused({.example_shape = {}, .classes = 10}), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {3, -1, 4}, .classes = 10}), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {1 << 30, 1 << 30, 1 << 30}, .classes = 10}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {4}, .classes = 0}), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {4}, .classes = 2, .synth_test = 0}), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {4, 9}, .classes = 2, .synth_labels = 2}), ErrorCode::invalid_argument);
  EXPECT_EQ(refused({.example_shape = {4, 9}, .classes = 9, .synth_labels = 10}),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace neph::data
