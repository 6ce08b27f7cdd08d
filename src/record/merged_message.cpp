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

/// What stands between two spaces. Where it is a figure, or the two ends of a range, with what is around it.
struct Word {
  std::string before, after;
  std::vector<Figure> figures;
};

/// A number behind one of these is a name: exit codes 1 and 139 are no range.
constexpr std::array<std::string_view, 6> naming_words{"code", "status", "signal", "row", "line", "port"};

std::optional<Figure> figure_of(std::string_view text) {
  Figure figure{.text = std::string(text)};
  if (text.ends_with('.')) return std::nullopt;
  for (auto comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1))
    if (std::min(text.find_first_not_of("0123456789", comma + 1), text.size()) != comma + 4)
      return std::nullopt;
  auto plain = figure.text.substr(text.starts_with('+') ? 1 : 0);
  std::erase(plain, ',');
  const auto* end = plain.data() + plain.size();
  const auto read = std::from_chars(plain.data(), end, figure.value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(figure) : std::nullopt;
}

Word word_of(std::string_view text) {
  const auto begin = text.rfind('(') + 1;  // 0 where there is none
  auto end = std::min(text.find_first_not_of("+-.,0123456789e", begin), text.size());
  if (end == text.size() && end > begin && (text[end - 1] == '.' || text[end - 1] == ',')) --end;
  const bool may_end = end >= text.size() || std::string_view(")%;:.,").find(text[end]) != text.npos;
  if (auto figure = may_end ? figure_of(text.substr(begin, end - begin)) : std::nullopt)
    return {std::string(text.substr(0, begin)), std::string(text.substr(end)), {*std::move(figure)}};
  return {.before = std::string(text)};
}

std::vector<Word> words_of(std::string_view message) {
  std::vector<std::string_view> texts;
  for (std::size_t begin = 0; begin <= message.size(); begin += texts.back().size() + 1)
    texts.push_back(message.substr(begin, message.find(' ', begin) - begin));
  const auto is_behind = [&](std::size_t place, std::string_view text) {
    return place + 2 < texts.size() && texts[place + 1] == text;
  };
  /// As a word alone where it is a name, or the larger half of a time.
  const auto word_at = [&](std::size_t place) {
    auto word = word_of(texts[place]);
    const auto last = place > 0 ? texts[place - 1].substr(texts[place - 1].rfind('(') + 1) : "";
    const bool is_name = word.before.empty() && std::ranges::count(naming_words, last) > 0;
    const bool is_half = word.after.empty() && (is_behind(place, "min") || is_behind(place, "h"));
    return is_name || is_half ? Word{.before = std::string(texts[place])} : word;
  };
  std::vector<Word> words;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto& word = words.emplace_back(word_at(i));
    if (word.figures.empty() || !word.after.empty() || !is_behind(i, "to")) continue;
    if (auto other = word_at(i + 2); !other.figures.empty() && other.before.empty()) {
      word.figures.push_back(std::move(other.figures.front()));
      word.after = std::move(other.after);
      i += 2;
    }
  }
  return words;
}

std::string range_text(const std::vector<Figure>& figures) {
  if (figures.empty()) return {};
  const auto [low, high] = std::ranges::minmax_element(figures, {}, &Figure::value);
  return low->value == high->value ? low->text : low->text + " to " + high->text;
}

}  // namespace

std::optional<std::string> merged_message(std::string_view a, std::string_view b) {
  auto all = words_of(a);
  const auto others = words_of(b);
  const auto is_same = [](const Word& one, const Word& other) {
    return one.before == other.before && one.after == other.after &&
           one.figures.empty() == other.figures.empty();
  };
  if (!std::ranges::equal(all, others, is_same)) return std::nullopt;
  std::string merged;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& figures = all[i].figures;
    figures.insert(figures.end(), others[i].figures.begin(), others[i].figures.end());
    merged += (i == 0 ? "" : " ") + all[i].before + range_text(figures) + all[i].after;
  }
  return merged;
}

}  // namespace neph
