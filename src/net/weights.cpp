#include "net/weights.hpp"

#include <cmath>
#include <numeric>

#include "core/fnv1a.hpp"
#include "core/random.hpp"

namespace neph::net {
namespace {

constexpr float kBranchScale = 0.25F;
constexpr float kGateScale = 0.70710678F;  // the variance 1 / fan-in

/// Rows of `row_size` numbers, each row uniform with variance 2 / row_size and mean 0. All but the last step
/// is done in integers, so that no order of additions and no fused operation can change a bit.
std::vector<float> centred_rows(std::size_t count, std::size_t row_size, std::uint64_t seed) {
  constexpr std::int64_t kLevels = std::int64_t{1} << 24;
  constexpr double kVariance =
      (static_cast<double>(kLevels) * kLevels - 1) / 3;  // of the odd numbers drawn below
  const auto size = static_cast<std::int64_t>(row_size);
  const bool centred = size > 1;
  const double kept = centred ? 1 - 1 / static_cast<double>(size) : 1;  // of the variance after centring
  const double scale =
      std::sqrt(2.0 / static_cast<double>(size) / (kVariance * kept)) / static_cast<double>(size);
  Random random(seed);
  std::vector<float> weights(count);
  std::vector<std::int64_t> row(row_size);
  for (std::size_t start = 0; start + row_size <= count; start += row_size) {
    for (auto& number : row) number = 2 * static_cast<std::int64_t>(random.bits() >> 40) - (kLevels - 1);
    const std::int64_t sum = centred ? std::accumulate(row.begin(), row.end(), std::int64_t{0}) : 0;
    for (std::size_t i = 0; i < row_size; ++i)
      weights[start + i] = static_cast<float>(static_cast<double>(size * row[i] - sum) * scale);
  }
  return weights;
}

/// Columns of what has rows of `row_size` numbers.
std::vector<float> transposed(const std::vector<float>& rows, std::size_t row_size) {
  std::vector<float> columns(rows.size());
  const auto count = rows.size() / row_size;
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t i = 0; i < row_size; ++i) columns[i * count + row] = rows[row * row_size + i];
  return columns;
}

}  // namespace

std::vector<float> draw_weight(const Layer& layer, std::size_t index, bool ends_branch, std::uint64_t seed) {
  const Weight& weight = layer.weights[index];
  std::size_t count = 1;
  for (const auto dimension : weight.shape) count *= static_cast<std::size_t>(dimension);
  if (layer.op == "BatchNormalization") {
    const bool scale = index == 0, variance = index == 3;
    return std::vector<float>(count, scale ? (ends_branch ? kBranchScale : 1.0F) : variance ? 1.0F : 0.0F);
  }
  const bool recurrent = layer.op == "GRU";
  if (layer.op == "Add" || index > (recurrent ? 1 : 0)) return std::vector<float>(count, 0.0F);  // biases
  // Each tensor has its own stream of numbers, whatever the order in which tensors are written.
  std::uint64_t stream = seed ^ fnv1a(weight.name);
  const auto first = static_cast<std::size_t>(weight.shape.front());
  const auto last = static_cast<std::size_t>(weight.shape.back());
  if (layer.op == "MatMul") return transposed(centred_rows(count, first, split_mix(stream)), first);
  auto weights = centred_rows(count, recurrent ? last : count / first, split_mix(stream));
  if (recurrent || ends_branch)
    for (auto& element : weights) element *= recurrent ? kGateScale : kBranchScale;
  return weights;
}

}  // namespace neph::net
