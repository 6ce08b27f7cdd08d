// What the store holds of an experiment, summed up for people and reports.
#pragma once

#include <cstdint>
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

/// Prints the table of the cells, what it says in words and every warning, as `neph infer` ends.
void print_summary(const report::Document& document);

}  // namespace neph::cli
