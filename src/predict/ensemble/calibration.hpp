// A model that a few more measured rows are added to: five of a new machine, say.
#pragma once

#include "predict/ensemble/model.hpp"

namespace neph::predict {

/// The points of a model and of `rows`, which have its columns and its target. A row with the features of a
/// known point is one more repeat of it. Errors: not_found (a column is missing, or the target),
/// invalid_argument (a target that is no number above 0, and what Design::apply refuses).
Result<Profile> with_rows(const Model& model, const table::Table& rows);

/// The model fitted anew to those points, in the same way. Errors: those of with_rows and Model::fit.
Result<Model> calibrated(const Model& model, const table::Table& rows, const FitOptions& options);

}  // namespace neph::predict
