#include "cli/advise_measured.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "cli/advise_model.hpp"
#include "cli/advise_store.hpp"
#include "cli/advise_table.hpp"
#include "cli/results.hpp"
#include "record/views.hpp"
#include "table/table.hpp"

namespace neph::cli {
namespace {

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

/// What is measured.
Result<Measured> measured_only(const AdviseOptions& options) {
  const auto number = options.measured.empty() ? std::optional<std::int64_t>(0) : number_in(options.measured);
  if (number) {
    if (!options.time.empty())
      return fail(ErrorCode::invalid_argument, "--time is of a table, and {} is an experiment",
                  options.measured.empty() ? "the newest" : options.measured);
    NEPH_TRY(const auto document, experiment_of(options, *number));
    if (document.experiment.workload == view::load.workload)
      return fail(ErrorCode::invalid_argument,
                  "experiment {} is of load, which has no end; ask for a rate: --infer {} --rate 200",
                  document.experiment.id, document.experiment.id);
    Measured measured{.source = fmt::format("experiment {} of {}", document.experiment.id, options.store)};
    if (document.experiment.workload == view::train.workload) measured.noun = "training";
    NEPH_TRY(measured.configurations, configurations_of(document, options.where));
    return measured;
  }
  if (table::is_store(options.measured))
    return fail(ErrorCode::invalid_argument, "{} is a store: neph advise 12 --store {} takes experiment 12",
                options.measured, options.measured);
  NEPH_TRY(const auto table, table::read_table(options.measured));
  NEPH_TRY(auto times, times_in(table, options.time, options.where, options.use));
  return Measured{.source = options.measured,
                  .time = std::move(times.time),
                  .configurations = std::move(times.configurations),
                  .notes = std::move(times.notes)};
}

}  // namespace

Result<report::Document> experiment_of(const AdviseOptions& options, std::int64_t id) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  return load_document(store, id, store::Detail::full);
}

Result<Measured> measured_by(const AdviseOptions& options) {
  if (options.model.empty() != options.rows.empty())
    return fail(ErrorCode::invalid_argument,
                "--model and --rows go together: what predicts, and what is to be predicted");
  NEPH_TRY(auto measured, measured_only(options));
  if (options.model.empty()) return measured;
  NEPH_TRY(auto predicted, predicted_times(options.model, options.rows, options.where));
  if (!measured.time.empty() && predicted.time != measured.time)
    return fail(ErrorCode::invalid_argument,
                "{} predicts '{}', and the measured times are '{}': no choice between them", options.model,
                predicted.time, measured.time);
  if (measured.time.empty())
    measured.notes.push_back(fmt::format("Predicted is '{}'; it is set beside whole jobs.", predicted.time));
  std::ranges::move(predicted.configurations, std::back_inserter(measured.configurations));
  for (auto& note : predicted.notes)
    if (std::ranges::find(measured.notes, note) == measured.notes.end())
      measured.notes.push_back(std::move(note));
  return measured;
}

}  // namespace neph::cli
