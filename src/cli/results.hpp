// What the store holds of an experiment, summed up for people and reports.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "report/report.hpp"
#include "store/store.hpp"

namespace neph::cli {

/// The experiment with its summaries and runs; `id` 0: the newest.
Result<report::Document> load_document(const store::Store& store, std::int64_t id, store::Detail detail);

/// Prints the table of the cells, what it says in words and every warning, as `neph infer` ends.
void print_summary(const report::Document& document);

}  // namespace neph::cli
