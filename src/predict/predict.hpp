// Times that were not measured, from a table of those that were.
//
// A table (table/table.hpp) is surveyed (survey.hpp): kinds of columns, copies of the target
// (target_copies.hpp), repeats joined to points, noise, oddities. A design (design.hpp) makes of points what
// the methods compute with. A candidate (candidate.hpp) is one method: a backbone that says what a time is
// made of, and a Gaussian process (process.hpp) for what it leaves. Hold-outs (hold_out.hpp) leave the table
// the way a query does, and say which candidate to believe there.
//
// What it does not do: measure, read clocks, open the store, print. Nothing in it knows a column by its name.
//
// Threads: all is pure but for the files that are named. Ownership: plain values. Cost: stated where it is
// more than a pass.
#pragma once

#include "predict/calibration.hpp"
#include "predict/contributions.hpp"
#include "predict/fit_summary.hpp"
#include "predict/learning_curve.hpp"
#include "predict/model_file.hpp"
#include "predict/neighbours.hpp"
#include "predict/predictions.hpp"
#include "predict/proposals.hpp"
#include "predict/survey.hpp"
#include "predict/table_options.hpp"
#include "predict/validate_table.hpp"
#include "predict/validation.hpp"
