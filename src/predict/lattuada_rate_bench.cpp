// lattuada_rate_bench TABLE TARGET MOST PENALTY [IGNORED]...: the pipeline of lattuada.hpp from a table's
// file to predictions of its own points, at most MOST features and one penalty. Prints seconds, folds,
// features and error as JSON; tests/bench/lattuada_reference.py does the same with scikit-learn and mlxtend.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/clock.hpp"
#include "core/json.hpp"
#include "predict/lattuada.hpp"
#include "predict/survey.hpp"

namespace {

using namespace neph;
using namespace neph::predict;

Status run(const char* path, const char* target, const LattuadaSettings& settings,
           const std::vector<std::string>& ignored) {
  const SteadyClock clock;
  const auto begin = clock.now();
  NEPH_TRY(const auto table, table::read_table(path));
  NEPH_TRY(const auto found, survey(table, target, {.ignored = ignored}));
  NEPH_TRY(const auto design, Design::learn(found.points.features, {}));
  NEPH_TRY(const auto inputs, design.apply(found.points.features));
  Eigen::VectorXd log_target(std::ssize(found.points.target));
  for (Eigen::Index i = 0; i < log_target.size(); ++i)
    log_target[i] = std::log(found.points.target[static_cast<std::size_t>(i)]);
  const auto model = fit_lattuada(inputs, log_target, settings);
  const Eigen::ArrayXd ratios = (model.log_mean(inputs) - log_target).array().exp();
  const double percent = 100 * (ratios - 1).abs().mean();
  const double spent = seconds(clock.now() - begin);

  Json features = Json::array();
  for (const auto& feature : model.features) features.push_back(feature_text(feature, design));
  const Json said{{"seconds", spent},
                  {"features", features},
                  {"percent_error", percent},
                  {"folds", drawn_folds(found.points.target.size(), settings.folds)}};
  std::puts(said.dump().c_str());
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) {
    std::fputs("lattuada_rate_bench TABLE TARGET MOST PENALTY [IGNORED]...\n", stderr);
    return exit_code(ErrorCode::invalid_argument);
  }
  const LattuadaSettings settings{.most_chosen = std::strtoul(words[3], nullptr, 10),
                                  .penalties = {std::strtod(words[4], nullptr)}};
  const auto status = run(words[1], words[2], settings, {words + 5, words + count});
  if (status) return 0;
  std::fprintf(stderr, "lattuada_rate_bench: %s\n", status.error().text().c_str());
  return exit_code(status.error().code);
}
