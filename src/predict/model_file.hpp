// A model as JSON: readable, versioned, and the same answers to the last bit wherever it is read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "predict/model.hpp"

namespace neph::predict {

std::string write_model(const Model& model);
/// Errors: corrupt (no model, cut short, edited so that its parts contradict each other), unsupported (of a
/// newer version).
Result<Model> read_model(std::string_view text, std::string_view source);

Status save_model(const Model& model, const std::filesystem::path& path);
Result<Model> load_model(const std::filesystem::path& path);

}  // namespace neph::predict
