// The measured points nearest to rows: what was measured there, and in what they differ from the row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "predict/predict.hpp"

namespace neph::cli {

class NearestPoints {
 public:
  /// The `count` nearest of each row. Errors: those of Model::nearest. Model and rows must outlive it.
  static Result<NearestPoints> of(const predict::Model& model, const predict::Table& rows, std::size_t count,
                                  std::size_t threads);

  /// "batch 64: 0.0123": the very nearest one, by what differs, and what was measured there.
  std::string words(std::size_t row) const;
  /// [{"value":0.0123,"repeats":9,"differs":{"batch":64}}], the nearest first.
  void append_json(std::size_t row, fmt::memory_buffer& text) const;

 private:
  NearestPoints(const predict::Model& model, const predict::Table& rows,
                std::vector<std::vector<std::size_t>> places);
  /// Features of the model in which a point is another than the row.
  std::vector<std::size_t> differences(std::size_t row, std::size_t point) const;

  const predict::Points* points_;
  const predict::Table* rows_;
  std::vector<std::vector<std::size_t>> places_;  ///< of the points nearest to each row
  std::vector<std::optional<std::size_t>>
      column_;  ///< of the rows, for each feature; nothing: they have none
  std::vector<std::optional<std::vector<double>>> measured_, asked_;  ///< of each feature; nothing: text
};

}  // namespace neph::cli
