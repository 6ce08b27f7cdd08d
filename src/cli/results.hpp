// What the store holds of an experiment, summed up for people and reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/money.hpp"
#include "core/result.hpp"
#include "report/report.hpp"
#include "store/store.hpp"

namespace neph::cli {

/// The experiment with its summaries and runs; `id` 0: the newest. Where its machine has a price, with what
/// it costs; `money` goes before the price that the store has.
Result<report::Document> load_document(const store::Store& store, std::int64_t id, store::Detail detail,
                                       const MoneyOptions& money = {});

/// Seconds that a run of the cell took from its start to its end, on average; empty: none ended well.
std::optional<double> run_s_of(const report::Document& document, std::int64_t cell);

/// Prints the table of the cells, what it says in words and every warning, as `neph infer` ends.
void print_summary(const report::Document& document);

}  // namespace neph::cli
