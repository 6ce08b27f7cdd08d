#include "record/answer_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace neph {
namespace {

constexpr std::string_view separator = "; ";

/// The number behind `key` in the text.
std::optional<double> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.rfind(key);
  if (at == text.npos) return std::nullopt;
  const std::string rest(text.substr(at + key.size()));
  char* end = nullptr;
  const double value = std::strtod(rest.c_str(), &end);
  return end == rest.c_str() ? std::nullopt : std::optional(value);
}

std::optional<AnswerSummary> parse_one(std::string_view text) {
  const auto numbers = text.rfind("]: mean ");
  const auto shape = text.rfind(" [", numbers);
  if (numbers == text.npos || shape == text.npos) return std::nullopt;
  const auto element = text.rfind(' ', shape - 1);
  if (shape == 0 || element == text.npos) return std::nullopt;
  const auto mean = number_behind(text, ": mean "), rms = number_behind(text, ", rms "),
             mark = number_behind(text, ", mark ");
  if (!mean || !rms || !mark) return std::nullopt;
  return AnswerSummary{.name = std::string(text.substr(0, element)),
                       .element = std::string(text.substr(element + 1, shape - element - 1)),
                       .shape = std::string(text.substr(shape + 1, numbers - shape)),
                       .mean = *mean,
                       .rms = *rms,
                       .mark = *mark};
}

}  // namespace

std::string answers_text(const std::vector<AnswerSummary>& outputs) {
  std::string text;
  for (const auto& output : outputs) {
    if (!text.empty()) text += separator;
    text += fmt::format("{} {} {}: mean {:.6g}, rms {:.6g}, mark {:.6g}", output.name, output.element,
                        output.shape, output.mean, output.rms, output.mark);
  }
  return text;
}

std::vector<AnswerSummary> parse_answers(std::string_view text) {
  std::vector<AnswerSummary> all;
  while (!text.empty()) {
    const auto end = text.find(separator);
    const auto one = parse_one(text.substr(0, end));
    if (!one) return {};
    all.push_back(*one);
    if (end == text.npos) break;
    text.remove_prefix(end + separator.size());
  }
  return all;
}

std::string how_answers_differ(const std::vector<AnswerSummary>& one, const std::vector<AnswerSummary>& other,
                               double tolerance) {
  if (one.size() != other.size()) return fmt::format("they have {} and {} outputs", one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto &a = one[i], &b = other[i];  // by place: engines name some outputs otherwise
    if (a.shape != b.shape) return fmt::format("output '{}' is {} and {}", a.name, a.shape, b.shape);
    const double size = std::max(a.rms, b.rms);
    const double off =
        std::max({std::abs(a.rms - b.rms), std::abs(a.mean - b.mean), std::abs(a.mark - b.mark)});
    if (off > tolerance * size)
      return fmt::format("output '{}' differs by {:.2g} of its root mean square {:.4g}", a.name, off / size,
                         size);
  }
  return {};
}

}  // namespace neph
