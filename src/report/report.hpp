// Results for people and programs: one HTML file with charts, Markdown, CSV, JSON, and the terminal's table.
//
// What it is: pure functions of what was measured. The same document gives the same bytes.
// What it does not do: measure, summarise runs, open the store, print, or write files.
// Threads: no state; any number may call at once. Ownership: everything is borrowed for the call only.
// Cost: html() of 50 cells × 20 repeats takes well under a second and gives at most about 3 MB, 0.9 MB of
// which is the charts' script; samples and series are thinned to that end, and the page says so.
//
// A new chart is one file in charts/, a new workload's view one in views/. The keys of the JSON and the
// headings of the CSV are explained in docs/RESULTS.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/advice.hpp"
#include "record/comparison.hpp"
#include "record/experiment.hpp"
#include "record/machine.hpp"
#include "record/recording.hpp"
#include "record/validation.hpp"

namespace neph::report {

/// An experiment with all that is known about it. Nothing needs to be complete: cells without a run that
/// ended well, runs without series or samples, and figures that are not finite are shown as what they are.
struct Document {
  Experiment experiment;
  std::vector<Machine> machines;  ///< that runs were made on
  std::vector<CellSummary> cells;
  std::vector<Run> runs;  ///< with samples and series where charts of them are wanted
  std::string currency;   ///< of what things cost; empty: no price is known
};

/// One self-contained page: no request leaves it, enforced by its Content-Security-Policy.
std::string html(const Document& document);
/// The same with telemetry of machines that was recorded by others: charts, figures and words.
std::string html(const Document& document, const std::vector<Recording>& recordings);
/// Of such recordings alone.
std::string html(const std::vector<Recording>& recordings);

/// The same of how well a table is predicted: errors, intervals, residuals, what would help.
std::string html(const Validation& validation);

/// The same of which machine to rent: cost against time, against cores and GPUs, the bill.
std::string html(const Advice& advice);

/// The same of a comparison: the answer, changes with their intervals, what else differs.
std::string html(const Comparison& comparison);
/// The same of a history: a chart of each line with its changes.
std::string html(const History& history);

/// GitHub-flavoured Markdown: findings, table of the cells, warnings with advice, machines, command.
std::string markdown(const Document& document);

/// RFC 4180 with a heading, one row per cell, lines ended by LF. An estimate is four columns: NAME, NAME_low,
/// NAME_high, NAME_n; a telemetry quantity is three: TARGET.NAME_mean, _maximum, _minimum. Empty: not known.
std::string csv(const Document& document);

/// `format`, `findings`, `experiment`, `machine`, `machines`, `cells`, `runs`; see docs/RESULTS.md.
Json json(const Document& document);

struct TableOptions {
  std::size_t width = 80;  ///< columns of the terminal; a table that does not fit loses columns, then its
                           ///< rows become blocks of lines
  bool colour = false;     ///< SGR colours for verdicts and the fastest cell
};

/// A line per cell with the factors that vary, the columns of the workload, the verdict. UTF-8, ends with LF;
/// empty when there are no cells.
std::string text_table(const Document& document, const TableOptions& options);

/// What the terminal shows after a measurement: that table, the first of the findings in words, and what
/// speaks against the numbers, a line for each cause where it fits. Empty when there are no cells.
std::string text_summary(const Document& document, const TableOptions& options);

/// The answer of a comparison in a line: worse, undecided, better or equivalent, of what, and by how much.
std::string headline(const Comparison& comparison);
/// That, a table of the rows, what else differs, and what was left out.
std::string text_summary(const Comparison& comparison, const TableOptions& options);
/// The same as a comment of a pull request.
std::string markdown(const Comparison& comparison);
/// The same as a test report (JUnit's XML): what is worse has failed, what is undecided was skipped.
std::string junit(const Comparison& comparison);
/// Each line's latest value, its course, and where it changed.
std::string text_summary(const History& history, const TableOptions& options);

struct AdviceOptions {
  std::size_t width = 80;  ///< columns of the terminal
  std::size_t limit = 10;  ///< candidates in the table
};
/// The answer, the best candidates, why not the others, where the choice turns, what it rests on.
std::string text_summary(const Advice& advice, const AdviceOptions& options);

/// The same of a validation: errors by what was left out, and what explains them, where that was asked for.
std::string text_summary(const Validation& validation);

}  // namespace neph::report
