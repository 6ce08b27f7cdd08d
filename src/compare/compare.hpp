// Is it slower than yesterday? Two sides, matched by configuration and metric, with a verdict for each.
//
// What it is: results of this program and of others in one shape (source.hpp), what is said of two of them,
// and pairs of commands that are run until that can be said.
//
// What it does not do: open stores, render, print.
//
// The unit is a run. Runs of one block were measured side by side, and are compared as pairs: what moves both
// cancels. Others are compared as two samples, and what has moved between the two (a neighbour, a clock, a
// day) is in no interval: Comparison::notes say so. docs/method/comparing.md has the method.
#pragma once

#include "compare/history.hpp"
#include "compare/noise.hpp"
#include "compare/pairs.hpp"
#include "compare/sides.hpp"
#include "compare/source.hpp"
