// Names of devices, as drivers, catalogues and people write them.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/ranges.h>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "device/device.hpp"

namespace neph::device {
namespace {

using Words = std::vector<std::string_view>;

/// Maker, brand and socket do not change the model.
bool is_of_no_model(std::string_view word) {
  constexpr std::array<std::string_view, 34> known{
      "",          "nvidia", "tesla",  "geforce",    "quadro",   "amd",       "intel",
      "google",    "aws",    "gpu",    "radeon",     "rtx",      "gtx",       "instinct",
      "baremetal", "pci",    "secure", "generation", "cpu",      "processor", "tensor",
      "core",      "r",      "tm",     "oam",        "graphics", "cloud",     "edition",
      "only",      "dgpu",   "nvlink", "lambda",     "linode",   "superchip"};
  return std::ranges::find(known, word) != known.end() || word.starts_with("hbm");
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() < 7 && std::ranges::all_of(word, is_digit);
}

/// 80 for "80GB", "80GiB" and "80G"; empty if the word is not a memory size.
std::string_view memory_in(std::string_view word) {
  const auto number = word.substr(0, word.find('g'));
  const auto unit = word.substr(number.size());
  return is_number(number) && (unit == "gib" || unit == "gb" || unit == "g") ? number : std::string_view();
}

/// "sxm" of "sxm5", of "h100sxm5" too, from which it is taken off; empty: the word has none.
std::string_view take_form(std::string_view& word) {
  for (const std::string_view form : {"sxm", "pcie", "nvl"}) {
    const auto at = word.rfind(form);
    if (at == std::string_view::npos || !std::ranges::all_of(word.substr(at + form.size()), is_digit))
      continue;
    if (at > 0 && !is_digit(word[at - 1])) continue;
    word = word.substr(0, at);
    return form;
  }
  return {};
}

/// How many of them, taken off where it stands: "8x", "8 x", "x8".
double take_count(Words& words) {
  const auto number_before_x = [](std::string_view word) {
    const auto number = word.substr(0, word.find('x'));
    return number.size() < word.size() && number.size() < 4 && is_number(number) ? number
                                                                                 : std::string_view();
  };
  if (words.size() > 2 && words[1] == "x" && is_number(words[0])) {
    const auto count = std::stod(std::string(words[0]));
    words.erase(words.begin(), words.begin() + 2);
    return count;
  }
  if (words.empty()) return 1;
  if (const auto number = number_before_x(words.front()); !number.empty()) {
    const auto count = std::stod(std::string(number));
    words.front().remove_prefix(number.size() + 1);
    return count;
  }
  const auto last = words.back();
  if (words.size() > 1 && last.starts_with('x') && last.size() < 4 && is_number(last.substr(1))) {
    words.pop_back();
    return std::stod(std::string(last.substr(1)));
  }
  return 1;
}

/// Its count, of "V100:8", and the letters and digits before it.
double split_words(std::string_view name, std::string& text, Words& words) {
  double count = 1;
  if (const auto colon = name.rfind(':');
      colon != std::string_view::npos && is_number(name.substr(colon + 1))) {
    count = std::stod(std::string(name.substr(colon + 1)));
    name = name.substr(0, colon);
  }
  text = lowered(name.substr(0, name.find(" @")));
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0; }, ' ');
  words = split_at(text, ' ');
  std::erase(words, std::string_view());
  return count * take_count(words);
}

}  // namespace

Name name_of(std::string_view spelled) {
  Name name;
  std::string text;
  Words words;
  name.count = split_words(spelled, text, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto word = words[i];
    const bool is_unit =
        (word == "gb" || word == "gib") && !name.words.empty() && is_number(name.words.back());
    if (is_unit) {
      name.memory = name.words.back();
      name.words.pop_back();
      continue;
    }
    if (word == "core" && !name.words.empty() && is_number(name.words.back())) name.words.pop_back();
    if (const auto memory = memory_in(word); !memory.empty()) {
      name.memory = memory;
      continue;
    }
    if (const auto form = take_form(word); !form.empty()) name.form = form;
    if (is_of_no_model(word)) continue;
    if (word.starts_with("rtx") || word.starts_with("gtx")) word.remove_prefix(3);
    const bool is_other_model = word == "ada" || word == "ti" || word == "super";  // than without it
    if (is_other_model && !name.words.empty())
      name.words.back() += word;
    else
      name.words.emplace_back(word);
  }
  return name;
}

std::string Name::model() const { return fmt::format("{}", fmt::join(words, "")); }

bool is_same(std::string_view one, std::string_view other) {
  const auto a = name_of(one), b = name_of(other);
  const auto agree = [](const std::string& x, const std::string& y) {
    return x.empty() || y.empty() || x == y;
  };
  return a.model() == b.model() && agree(a.memory, b.memory) && agree(a.form, b.form);
}

bool is_meant(std::string_view asked, std::string_view name, std::optional<double> gib) {
  constexpr double least = 0.9, most = 1.03;  // GiB that are given as so many GB
  const auto wanted = name_of(asked), has = name_of(name);
  if (!wanted.form.empty() && !has.form.empty() && wanted.form != has.form) return false;
  if (!wanted.memory.empty() && wanted.memory != has.memory) {
    const double gb = std::stod(wanted.memory);
    if (!has.memory.empty() || !gib || *gib < least * gb || *gib > most * gb) return false;
  }
  std::string begin;
  return std::ranges::any_of(
      has.words, [&, model = wanted.model()](const std::string& word) { return (begin += word) == model; });
}

}  // namespace neph::device
