// The words of other tools for what an option of ours does: whoever knows those should not have to guess.
#pragma once

#include <string>
#include <string_view>

namespace neph::cli {

/// "load has no -m: the model is --model NAME"; empty where the word means nothing certain. `verb`:
/// load, infer, serve; `word`: an option as it was typed, with its value behind "=" or without.
std::string foreign_word(std::string_view verb, std::string_view word);

}  // namespace neph::cli
