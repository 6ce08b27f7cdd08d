#include "cli/advise_model.hpp"

#include <cmath>

#include <fmt/ranges.h>

#include "host/host.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

constexpr double to_95_percent =
    1.959963984540054 / 1.6448536269514722;  ///< predictions have intervals of 90 %

/// With the same middle, on the scale of logarithms.
double widened(double end, double value) { return value * std::pow(end / value, to_95_percent); }

table::Column texts(std::string name, const std::vector<predict::Prediction>& predictions) {
  table::Column column{.name = std::move(name), .numbers = {}, .codes = {}, .levels = {}};
  for (const auto& prediction : predictions) {
    column.codes.push_back(prediction.refused.empty() ? -1 : static_cast<std::int32_t>(column.levels.size()));
    if (!prediction.refused.empty()) column.levels.push_back(prediction.refused);
  }
  return column;
}

/// In place of one of that name.
void put(table::Column column, table::Table& table) {
  std::erase_if(table.columns, [&](const table::Column& other) { return other.name == column.name; });
  table.columns.push_back(std::move(column));
}

void put_predictions(const std::string& time, const std::vector<predict::Prediction>& predictions,
                     table::Table& table) {
  table::Column value{.name = time}, low{.name = time + "_low"}, high{.name = time + "_high"},
      flag{.name = "predicted"};
  for (const auto& prediction : predictions) {
    value.numbers.push_back(prediction.value);
    low.numbers.push_back(widened(prediction.low, prediction.value));
    high.numbers.push_back(widened(prediction.high, prediction.value));
    flag.numbers.push_back(1);
  }
  for (auto* column : {&value, &low, &high, &flag}) put(std::move(*column), table);
  put(texts("refused", predictions), table);
}

}  // namespace

Result<TimesTable> predicted_times(const std::string& file, const std::string& rows,
                                   const std::vector<std::string>& where) {
  const auto threads = static_cast<std::size_t>(host::usable_cores());
  NEPH_TRY(const auto model, predict::load_model(file));
  NEPH_TRY(auto table, table::read_table(rows));
  const auto added = model.add_constants(table);
  NEPH_TRY(const auto predictions, model.predict(table, threads));
  const auto time = model.origin().target;
  put_predictions(time, predictions, table);
  NEPH_TRY(auto times, times_in(table, time, where));
  if (!added.empty())
    times.notes.push_back(fmt::format("{} lacks what was the same in all that was measured: {}.", rows,
                                      fmt::join(added, ", ")));
  return times;
}

}  // namespace neph::cli
