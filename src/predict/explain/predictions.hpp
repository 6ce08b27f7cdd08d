// Predictions with the measured points nearest to them, for people and for programs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/explain/neighbours.hpp"

namespace neph::predict {

/// Places of the rows without an answer.
std::vector<std::size_t> refused_in(const std::vector<Prediction>& predictions);

/// "refused: WHY", or how the row leaves the table, in few words: "batch: 256, measured up to 64"; empty: it
/// does not.
std::string warning_in_words(const Prediction& prediction);

/// "batch 64: 0.0123": the very nearest one of a row, by what differs, and what was measured there; empty:
/// there is none.
std::string nearest_in_words(const Neighbours& neighbours, std::size_t row);

/// All of them as one JSON document, a line for each row, which `write` takes in pieces, one after the other.
/// Rows without an answer are listed by their numbers, as messages and people count: the first row below the
/// heading is 1. `asked`: rows that the user does not have, and which are written too; nullptr: he has them.
void write_json(const std::string& target, const std::vector<Prediction>& predictions,
                const Neighbours& neighbours, const std::function<void(std::string_view)>& write,
                std::size_t threads = 2, const table::Table* asked = nullptr);

}  // namespace neph::predict
