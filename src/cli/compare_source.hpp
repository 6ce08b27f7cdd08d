// What a side of a comparison is, as people say it: a file, an experiment of a store.
#pragma once

#include <string>

#include "compare/compare.hpp"
#include "core/result.hpp"
#include "store/store.hpp"

namespace neph::cli {

/// "3%" or "0.03" as 0.03. `option` is what messages call it. Error: invalid_argument (no number, not above
/// 0, 100 % or more).
Result<double> parse_threshold(std::string_view option, std::string_view text);

/// "a,b" as two; of an empty text none.
std::vector<std::string> listed(const std::string& text);

/// An experiment of the store, which messages call `name`, with all of its runs; 0: the newest.
Result<compare::Source> source_of(const store::Store& store, std::string_view name, std::int64_t experiment);

/// A number is an experiment of `store`; "FILE.db" is the newest of that store, "FILE.db:3" its third. Any
/// other text is a file, or several of one kind with commas between. Errors: those of store and file.
Result<compare::Source> source_at(const std::string& text, const std::string& store);

}  // namespace neph::cli
