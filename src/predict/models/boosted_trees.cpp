#include "predict/models/boosted_trees.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "predict/models/level_factors.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t most_own_columns = 64;   ///< levels of a category that have a column each
constexpr double rows_an_effect_is_worth = 2;  ///< of no effect, beside those of a level
constexpr int rounds = 200;
constexpr std::array<std::pair<const char*, const char*>, 10> parameters{{{"nthread", "1"},
                                                                          {"seed", "1"},
                                                                          {"tree_method", "hist"},
                                                                          {"max_bin", "128"},
                                                                          {"objective", "reg:squarederror"},
                                                                          {"base_score", "0"},
                                                                          {"max_depth", "6"},
                                                                          {"eta", "0.1"},
                                                                          {"subsample", "0.8"},
                                                                          {"verbosity", "0"}}};

/// The nearest number of single precision that is not infinite.
float single(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

/// Its errors end with a trace of its stack, which is nobody's business here.
Status checked(int code) {
  if (code == 0) return {};
  const std::string said = XGBGetLastError();
  return fail(ErrorCode::internal, "XGBoost: {}", said.substr(0, said.find("\nStack trace")));
}

using Handle = std::shared_ptr<void>;

Result<Handle> rows_for(const TreeColumns& columns, const VectorXd& target) {
  DMatrixHandle handle = nullptr;
  NEPH_CHECK(checked(XGDMatrixCreateFromMat_omp(columns.data(), static_cast<bst_ulong>(columns.rows()),
                                                static_cast<bst_ulong>(columns.cols()),
                                                std::numeric_limits<float>::quiet_NaN(), &handle, 1)));
  Handle rows(handle, [](void* all) { XGDMatrixFree(all); });
  const Eigen::VectorXf labels = target.cast<float>();
  NEPH_CHECK(
      checked(XGDMatrixSetFloatInfo(handle, "label", labels.data(), static_cast<bst_ulong>(labels.size()))));
  return rows;
}

Result<Handle> booster_on(const Handle& rows) {
  BoosterHandle handle = nullptr;
  const DMatrixHandle known = rows.get();
  NEPH_CHECK(checked(XGBoosterCreate(&known, rows ? 1 : 0, &handle)));
  Handle booster(handle, [](void* all) { XGBoosterFree(all); });
  for (const auto& [name, value] : parameters) NEPH_CHECK(checked(XGBoosterSetParam(handle, name, value)));
  return booster;
}

Result<VectorXd> asked(void* booster, const TreeColumns& columns) {
  if (columns.rows() == 0) return VectorXd(0);
  const auto array =
      fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                  reinterpret_cast<std::uintptr_t>(columns.data()), columns.rows(), columns.cols());
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  NEPH_CHECK(checked(XGBoosterPredictFromDense(
      booster, array.c_str(),
      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,)"
      R"("cache_id":0,"missing":NaN})",
      nullptr, &shape, &dimensions, &values)));
  return VectorXd(Eigen::Map<const Eigen::VectorXf>(values, columns.rows()).cast<double>());
}

}  // namespace

LevelColumns LevelColumns::learn(const FeatureMatrix& rows, const VectorXd& target) {
  LevelColumns columns;
  for (Index c = 0; c < rows.levels.cols(); ++c) {
    std::vector<int> own(static_cast<std::size_t>(level_count(rows, c)));
    std::iota(own.begin(), own.end(), 0);
    const bool has_more = own.size() > most_own_columns;
    if (has_more) {
      std::vector<int> counts(own.size());
      for (const int level : rows.levels.col(c))
        if (level >= 0) ++counts[static_cast<std::size_t>(level)];
      std::ranges::stable_sort(own, std::greater(), [&](int level) { return counts[std::size_t(level)]; });
      own.resize(most_own_columns);
    }
    columns.own.push_back(std::move(own));
    columns.effects.push_back(has_more ? level_means(target, rows.levels.col(c), rows_an_effect_is_worth)
                                       : VectorXd());
  }
  return columns;
}

Index LevelColumns::count() const {
  Index count = 0;
  for (std::size_t c = 0; c < own.size(); ++c) count += std::ssize(own[c]) + (effects[c].size() > 0 ? 1 : 0);
  return count;
}

TreeColumns LevelColumns::of(const FeatureMatrix& rows) const {
  const Index numbers = rows.numbers.cols();
  TreeColumns all = TreeColumns::Zero(rows.rows(), numbers + count());
  all.leftCols(numbers) = rows.numbers.unaryExpr(&single);
  Index begin = numbers;
  for (std::size_t c = 0; c < own.size(); ++c) {
    for (Index i = 0; i < all.rows(); ++i) {
      const int level = rows.levels(i, static_cast<Index>(c));
      const auto found = std::ranges::find(own[c], level);
      if (level >= 0 && found != own[c].end()) all(i, begin + (found - own[c].begin())) = 1;
      if (level >= 0 && level < effects[c].size())
        all(i, begin + std::ssize(own[c])) = single(effects[c][level]);
    }
    begin += std::ssize(own[c]) + (effects[c].size() > 0 ? 1 : 0);
  }
  return all;
}

Result<BoostedTrees> BoostedTrees::grow(const FeatureMatrix& rows, const VectorXd& target) {
  if (target.size() == 0 || target.size() != rows.rows())
    return fail(ErrorCode::invalid_argument, "trees need rows, each with a target");
  if (!target.allFinite() || !rows.numbers.allFinite())
    return fail(ErrorCode::invalid_argument, "trees need finite numbers");
  NEPH_CHECK(checked(XGBSetGlobalConfig(R"({"verbosity": 0})")));  // of this thread
  auto levels = LevelColumns::learn(rows, target);
  const auto columns = levels.of(rows);
  NEPH_TRY(const auto grown_on, rows_for(columns, target));
  NEPH_TRY(const auto booster, booster_on(grown_on));
  for (int round = 0; round < rounds; ++round)
    NEPH_CHECK(checked(XGBoosterUpdateOneIter(booster.get(), round, grown_on.get())));
  return BoostedTrees(booster, std::move(levels), columns.cols());
}

Result<BoostedTrees> BoostedTrees::read(LevelColumns levels, const std::string& text) {
  NEPH_CHECK(checked(XGBSetGlobalConfig(R"({"verbosity": 0})")));
  NEPH_TRY(const auto booster, booster_on(nullptr));
  const auto why = [](const Error& error) { return Error{ErrorCode::corrupt, error.message}; };
  NEPH_CHECK(checked(XGBoosterLoadModelFromBuffer(booster.get(), text.data(), text.size())).map_error(why));
  NEPH_CHECK(checked(XGBoosterSetParam(booster.get(), "nthread", "1")));
  bst_ulong columns = 0;
  NEPH_CHECK(checked(XGBoosterGetNumFeature(booster.get(), &columns)));
  const TreeColumns one = TreeColumns::Zero(1, static_cast<Index>(columns));
  NEPH_CHECK(asked(booster.get(), one).map_error(why));  // also sets it up, so that threads may ask
  return BoostedTrees(booster, std::move(levels), one.cols());
}

std::string BoostedTrees::text() const {
  bst_ulong size = 0;
  const char* saved = nullptr;
  const auto status =
      checked(XGBoosterSaveModelToBuffer(booster_.get(), R"({"format":"json"})", &size, &saved));
  return status ? std::string(saved, size) : "";
}

bool BoostedTrees::are_of(Index numbers, Index categories) const {
  return std::ssize(levels_.own) == categories && levels_.effects.size() == levels_.own.size() &&
         numbers + levels_.count() == columns_;
}

VectorXd BoostedTrees::values(const FeatureMatrix& at) const {
  const auto values = asked(booster_.get(), levels_.of(at));
  return values ? *values : VectorXd::Constant(at.rows(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace neph::predict
