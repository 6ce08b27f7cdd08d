// Times that were not measured, from a table of those that were.
//
// How a row becomes a number: a table (table/table.hpp) is profiled (profile/): roles of columns, copies of
// the target, repeats joined to points, noise. A design (features/) makes of points what models
// compute with. Members (models/) are each fitted to all points, and to hold-outs (ensemble/) that leave the
// table the way a query does; what they do there says how far to trust each, and how wide an interval is. A
// model (ensemble/model.hpp) answers with the weighted median of its members. explain/ says how well that
// goes and what would help; model_file/ keeps a model as JSON.
//
// What it does not do: measure, read clocks, open the store, print. Nothing in it knows a column by its name.
//
// Threads: all is pure but for the files that are named. Ownership: plain values. Cost: stated where it is
// more than a pass.
#pragma once

#include "predict/ensemble/calibration.hpp"
#include "predict/explain/devices.hpp"
#include "predict/explain/fit_summary.hpp"
#include "predict/explain/learning_curve.hpp"
#include "predict/explain/machine_times.hpp"
#include "predict/explain/neighbours.hpp"
#include "predict/explain/next_experiments.hpp"
#include "predict/explain/permutation_importance.hpp"
#include "predict/explain/predictions.hpp"
#include "predict/explain/validate_table.hpp"
#include "predict/explain/validation.hpp"
#include "predict/features/machine_columns.hpp"
#include "predict/model_file/model_file.hpp"
#include "predict/profile/profile.hpp"
#include "predict/profile/run_numbers.hpp"
#include "predict/profile/table_options.hpp"
