#include "predict/booster.hpp"

#include <charconv>
#include <limits>
#include <vector>

#include <xgboost/c_api.h>

#include "predict/saved_trees.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;

/// Its errors end with a trace of its stack, which is nobody's business here.
Status checked(int code) {
  if (code == 0) return {};
  const std::string said = XGBGetLastError();
  return fail(ErrorCode::internal, "XGBoost: {}", said.substr(0, said.find("\nStack trace")));
}

}  // namespace

void BoosterRows::Free::operator()(void* handle) const { XGDMatrixFree(handle); }
void Booster::Free::operator()(void* handle) const { XGBoosterFree(handle); }

Result<BoosterRows> BoosterRows::of(const TreeColumns& columns, const Eigen::VectorXd& target) {
  NEPH_CHECK(checked(XGBSetGlobalConfig(R"({"verbosity": 0})")));  // of this thread
  DMatrixHandle handle = nullptr;
  constexpr int threads = 1;
  NEPH_CHECK(checked(XGDMatrixCreateFromMat_omp(columns.data(), static_cast<bst_ulong>(columns.rows()),
                                                static_cast<bst_ulong>(columns.cols()),
                                                std::numeric_limits<float>::quiet_NaN(), &handle, threads)));
  BoosterRows rows(handle, columns.rows());
  const Eigen::VectorXf labels = target.cast<float>();
  NEPH_CHECK(
      checked(XGDMatrixSetFloatInfo(handle, "label", labels.data(), static_cast<bst_ulong>(labels.size()))));
  return rows;
}

Result<Booster> Booster::on(const BoosterRows& rows, std::span<const BoosterRows* const> others,
                            const BoosterSettings& settings) {
  NEPH_CHECK(checked(XGBSetGlobalConfig(R"({"verbosity": 0})")));
  std::vector<DMatrixHandle> known{rows.handle()};
  for (const auto* other : others) known.push_back(other->handle());
  BoosterHandle handle = nullptr;
  NEPH_CHECK(checked(XGBoosterCreate(known.data(), known.size(), &handle)));
  Booster booster(handle);
  const std::pair<const char*, std::string> parameters[] = {
      {"nthread", "1"},
      {"seed", "1"},
      {"tree_method", "hist"},
      {"max_bin", "128"},
      {"objective", "reg:squarederror"},
      {"base_score", "0"},
      {"max_depth", fmt::format("{}", settings.depth)},
      {"eta", fmt::format("{}", settings.rate)},
      {"min_child_weight", fmt::format("{}", settings.rows_of_a_leaf)},
      {"subsample", fmt::format("{}", settings.share_of_rows)},
      {"colsample_bytree", fmt::format("{}", settings.share_of_columns)},
  };
  for (const auto& [name, value] : parameters)
    NEPH_CHECK(checked(XGBoosterSetParam(handle, name, value.c_str())));
  return booster;
}

Status Booster::grow(const BoosterRows& rows) {
  return checked(XGBoosterUpdateOneIter(handle_.get(), rounds_++, rows.handle()));
}

Result<double> Booster::error(const BoosterRows& rows) const {
  DMatrixHandle asked[] = {rows.handle()};
  const char* names[] = {"rows"};
  const char* said = nullptr;  // "[12]\trows-rmse:0.0123"
  NEPH_CHECK(checked(XGBoosterEvalOneIter(handle_.get(), rounds_, asked, names, 1, &said)));
  const std::string_view text = said, number = text.substr(text.rfind(':') + 1);
  double value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{})
    return fail(ErrorCode::internal, "XGBoost gives its error as '{}'", text);
  return value;
}

Result<Eigen::VectorXf> Booster::predictions(const BoosterRows& rows) const {
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  NEPH_CHECK(checked(XGBoosterPredictFromDMatrix(
      handle_.get(), rows.handle(),
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})",
      &shape, &dimensions, &values)));
  return Eigen::VectorXf(Eigen::Map<const Eigen::VectorXf>(values, rows.count()));
}

Result<Trees> Booster::trees(std::size_t count) const {
  bst_ulong size = 0;
  const char* saved = nullptr;
  NEPH_CHECK(checked(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "ubj"})", &size, &saved)));
  return read_saved_trees({saved, size}, count);
}

}  // namespace neph::predict
