#include "cli/advise_measured.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

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

}  // namespace

Result<Measured> measured_by(const AdviseOptions& options) {
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
                  .configurations = std::move(times.configurations),
                  .notes = std::move(times.notes)};
}

Result<report::Document> experiment_of(const AdviseOptions& options, std::int64_t id) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  return load_document(store, id, store::Detail::full);
}

}  // namespace neph::cli
