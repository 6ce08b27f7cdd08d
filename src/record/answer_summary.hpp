// What an output came to, in a few numbers: what is kept of answers that are no classes, and what engines are
// compared by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/facts.hpp"

namespace neph {

namespace fact {
// Of infer.
inline constexpr Fact<std::string> inputs{"inputs"};  ///< tensors that went in: generated, or of a file
inline constexpr Fact<std::string> answers{
    "answers"};  ///< answers_text() of the first inference, if no classes
/// Items, by number, whose two best classes are so close that rounding may exchange them: "3,17".
inline constexpr Fact<std::string> close_answers{"close_answers"};
}  // namespace fact

struct AnswerSummary {
  std::string name, element, shape;  ///< "[1, 128, 768]"
  double mean = 0;                   ///< of its elements that are numbers
  double rms = 0;                    ///< root of their mean square
  double mark = 0;  ///< their sum, each with a sign that its place decides, over the root of their count:
                    ///< another order of the same elements has another mark
  bool operator==(const AnswerSummary&) const = default;
};

/// "logits f32 [1, 2]: mean 0.1, rms 1.2, mark -0.3; ..."
std::string answers_text(const std::vector<AnswerSummary>& outputs);
/// Its inverse; empty: it is no such text.
std::vector<AnswerSummary> parse_answers(std::string_view text);

/// How the answers of one model by two engines differ, beyond rounding, as a sentence; empty: they do not.
/// `tolerance`: of an output's root mean square.
std::string how_answers_differ(const std::vector<AnswerSummary>& one, const std::vector<AnswerSummary>& other,
                               double tolerance);

}  // namespace neph
