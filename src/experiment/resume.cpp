// Which stored experiment a new one continues.
#include <algorithm>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "record/cells.hpp"
#include "store/store.hpp"

namespace neph::experiment {
namespace {

/// Where its runs are made, which its command says since there is more than one place. No column of the
/// store's: stores of this schema are read by a neph that knows of none.
std::string place_of(const Experiment& experiment) {
  const auto words = shell_words(experiment.command);
  const auto option = std::ranges::find(words, "--on");
  return option == words.end() || option + 1 == words.end() ? "here" : *(option + 1);
}

/// What makes two experiments the same, as text: keys sorted, because their order means nothing. The order
/// of factors and of their values stays, because it numbers the cells that stored runs refer to.
std::string canonical(const Experiment& experiment) {
  const Json whole = {{"workload", experiment.workload},
                      {"spec", experiment.spec},
                      {"factors", to_json(experiment.factors)},
                      {"idle", to_json(experiment.idle)},
                      {"on", place_of(experiment)}};
  const nlohmann::json sorted = whole;
  return sorted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<Experiment> begin(const Experiment& experiment, store::Store& store) {
  NEPH_TRY(const auto cells, expand(experiment));
  auto begun = experiment;
  NEPH_TRY(begun.id, store.create_experiment(experiment, cells));
  return begun;
}

Result<std::optional<Experiment>> find_resumable(const store::Store& store, const Experiment& experiment,
                                                 std::optional<std::uint64_t> seed) {
  NEPH_TRY(auto stored, store.experiments());
  const auto wanted = canonical(experiment);
  const auto found = std::find_if(stored.rbegin(), stored.rend(), [&](const Experiment& other) {
    return (!seed || other.seed == *seed) && canonical(other) == wanted;
  });
  if (found == stored.rend()) return std::nullopt;
  found->repeat = experiment.repeat;
  return std::move(*found);
}

}  // namespace neph::experiment
