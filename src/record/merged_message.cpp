#include "record/merged_message.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace neph {
namespace {

struct Figure {
  double value = 0;
  std::string text;  ///< as it was written
};

/// Words, and the figures behind them: none, one, or the two ends of a range.
struct Part {
  std::string words;
  std::vector<Figure> figures;
};

constexpr std::array<std::string_view, 6> naming_words{"code", "status", "signal", "row", "line", "port"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a figure may end where this follows.
bool follows_figure(std::string_view rest) {
  if (rest.starts_with(" min ") || rest.starts_with(" h ")) return false;  // the larger half of a time
  if (rest.empty() || std::string_view(" )%;:").find(rest[0]) != std::string_view::npos) return true;
  return (rest[0] == '.' || rest[0] == ',') && (rest.size() == 1 || rest[1] == ' ');
}

/// Characters of the number that `text` begins with, commas between thousands included; 0: there is none.
std::size_t number_size(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  const auto digit_at = [&](std::size_t at) { return at < text.size() && is_digit(text[at]); };
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  auto end = digits_from(sign);
  if (end == sign) return 0;
  while (text.substr(end).starts_with(',') && digits_from(end + 1) == end + 4) end += 4;
  if (text.substr(end).starts_with('.') && digit_at(end + 1)) end = digits_from(end + 1);
  for (const std::string_view exponent : {"e+", "e-"})
    if (text.substr(end).starts_with(exponent) && digit_at(end + 2)) end = digits_from(end + 2);
  return end;
}

std::optional<Figure> take_figure(std::string_view& rest) {
  const auto size = number_size(rest);
  if (size == 0 || !follows_figure(rest.substr(size))) return std::nullopt;
  Figure figure{.text = std::string(rest.substr(0, size))};
  auto plain = figure.text.substr(figure.text[0] == '+' ? 1 : 0);
  std::erase(plain, ',');
  std::from_chars(plain.data(), plain.data() + plain.size(), figure.value);
  rest.remove_prefix(size);
  return figure;
}

std::vector<Figure> take_figures(std::string_view& rest) {
  constexpr std::string_view between = " to ";
  std::vector<Figure> figures;
  if (auto first = take_figure(rest)) figures.push_back(*std::move(first));
  if (figures.empty() || !rest.starts_with(between)) return figures;
  auto ahead = rest.substr(between.size());
  if (auto second = take_figure(ahead)) {
    figures.push_back(*std::move(second));
    rest = ahead;
  }
  return figures;
}

/// A number behind one of these is a name: exit codes 1 and 139 are no range.
bool ends_with_naming_word(std::string_view words) {
  if (!words.ends_with(' ')) return false;
  words.remove_suffix(1);
  const auto before = words.find_last_of(" (");
  const auto last = before == std::string_view::npos ? words : words.substr(before + 1);
  return std::find(naming_words.begin(), naming_words.end(), last) != naming_words.end();
}

std::vector<Part> parts_of(std::string_view message) {
  std::vector<Part> parts(1);
  bool begins_word = true;
  while (!message.empty()) {
    if (begins_word && !ends_with_naming_word(parts.back().words))
      parts.back().figures = take_figures(message);
    if (!parts.back().figures.empty()) parts.emplace_back();
    if (message.empty()) break;
    parts.back().words += message[0];
    begins_word = message[0] == ' ' || message[0] == '(';
    message.remove_prefix(1);
  }
  return parts;
}

std::string range_text(std::vector<Figure> figures) {
  if (figures.empty()) return {};
  const auto [low, high] = std::minmax_element(
      figures.begin(), figures.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return low->value == high->value ? low->text : low->text + " to " + high->text;
}

}  // namespace

std::optional<std::string> merged_message(std::string_view a, std::string_view b) {
  auto all = parts_of(a);
  const auto others = parts_of(b);
  const auto same_words = [](const Part& one, const Part& other) {
    return one.words == other.words && one.figures.empty() == other.figures.empty();
  };
  if (!std::equal(all.begin(), all.end(), others.begin(), others.end(), same_words)) return std::nullopt;
  std::string merged;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& figures = all[i].figures;
    figures.insert(figures.end(), others[i].figures.begin(), others[i].figures.end());
    merged += all[i].words + range_text(std::move(figures));
  }
  return merged;
}

}  // namespace neph
