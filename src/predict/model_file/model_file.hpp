// A model as JSON: readable, versioned. Answers may differ by 1e-6 of themselves between machines.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "predict/ensemble/model.hpp"

namespace neph::predict {

std::string write_model(const Model& model);
/// Errors: corrupt (no model, cut short, edited so that its parts contradict each other), unsupported (of a
/// newer version).
Result<Model> read_model(std::string_view text, std::string_view source);

Status save_model(const Model& model, const std::filesystem::path& path);
Result<Model> load_model(const std::filesystem::path& path);

}  // namespace neph::predict
