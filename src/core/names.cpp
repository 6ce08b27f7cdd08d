#include "core/names.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace neph {
namespace {

/// Longer ones were not typed by a person who made a slip.
constexpr std::size_t longest_name = 200;

bool same_letter(char x, char y) {
  return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
}

/// Optimal string alignment distance (Damerau-Levenshtein without repeated edits), three rows of memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// In so short a word another letter makes another word: GPU is no slip of CPU, but CUP may be one.
bool is_another_word(std::string_view name, std::string_view candidate) {
  constexpr std::size_t longest_short_word = 3;
  if (name.size() > longest_short_word || name.size() != candidate.size()) return false;
  return !std::is_permutation(name.begin(), name.end(), candidate.begin(), same_letter);
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > longest_name) return std::nullopt;  // the comparison takes its length times theirs
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (is_another_word(name, candidate)) continue;
    const auto distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

tl::unexpected<Error> unknown_name(ErrorCode code, std::string_view kind, std::string_view name,
                                   const std::vector<std::string>& known, std::string_view where) {
  const auto shown = std::min<std::size_t>(known.size(), 20);
  Error error{.code = code, .subject = std::string(name)};
  error.message = fmt::format("unknown {} '{}{}'{}{}", kind, name.substr(0, longest_name),
                              name.size() > longest_name ? "..." : "", where.empty() ? "" : " in ", where);
  if (const auto near = nearest_name(name, known))
    error.hint = fmt::format("did you mean '{}'?", *near);
  else
    error.hint =
        fmt::format("known: {}{}", fmt::join(known.begin(), known.begin() + static_cast<long>(shown), ", "),
                    shown < known.size() ? ", ..." : "");
  return tl::unexpected(std::move(error));
}

}  // namespace neph
