// A comparison as it is asked for, and the exit code that says the same.
#pragma once

#include <string>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "record/comparison.hpp"

namespace neph::cli {

enum class ComparisonFormat { text, markdown, json, junit };
constexpr auto enum_names(ComparisonFormat) {
  return std::array{Named{ComparisonFormat::text, "text"}, Named{ComparisonFormat::markdown, "markdown"},
                    Named{ComparisonFormat::json, "json"}, Named{ComparisonFormat::junit, "junit"}};
}

struct ComparisonOutput {
  ComparisonFormat format = ComparisonFormat::text;
  std::string out;
  std::string html;
};
template <class Visit, Describes<ComparisonOutput> Self>
void describe(Visit&& v, Self& s) {
  v("format", s.format, "text: for people; markdown: a comment of a pull request; junit: a test report");
  v("out", s.out, "file to write instead of stdout");
  v("html", s.html, "file to write a page to, which loads nothing from anywhere");
}

/// Errors, before anything is measured: files that cannot be written.
Status check(const ComparisonOutput& output);

/// Writes it and says how it went: 0 not worse, 1 worse, 10 undecided, 11 not comparable.
Result<int> write(const Comparison& comparison, const ComparisonOutput& output);

/// Keeps how far a thing was from itself; where that cannot be written it is only said.
void keep_noise_of(const Comparison& comparison);

/// For --help.
inline constexpr std::string_view comparison_codes =
    "Exit codes: 0 not worse, 1 worse, 10 undecided, 11 not comparable; 2 to 9 are errors.";

}  // namespace neph::cli
