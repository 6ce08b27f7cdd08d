// The measured points nearest to rows, for people and for programs.
#pragma once

#include <string>

#include <fmt/format.h>

#include "predict/predict.hpp"

namespace neph::cli {

/// "batch 64: 0.0123": the very nearest one of a row, by what differs, and what was measured there; empty:
/// there is none.
std::string nearest_words(const predict::Neighbours& neighbours, std::size_t row);

/// [{"value":0.0123,"repeats":9,"differs":{"batch":64}}], the nearest first. Cells that are empty are null.
void append_nearest(const predict::Neighbours& neighbours, std::size_t row, fmt::memory_buffer& json);

}  // namespace neph::cli
