#include "price/offers/rows.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace neph::price {
namespace {

/// The first of the three that the heading has.
char separator_of(std::string_view text) {
  const auto found = text.substr(0, text.find('\n')).find_first_of(",;\t");
  return found == std::string_view::npos ? ',' : text[found];
}

}  // namespace

Rows::Rows(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  separator_ = separator_of(text_);
}

Result<bool> Rows::next() {
  do {
    if (at_ == text_.size()) return false;
    row_line_ = line_;
    NEPH_CHECK(read_row());
  } while (cells_.size() == 1 && trimmed(cells_.front()).empty());
  return true;
}

Status Rows::read_row() {
  cells_.clear();
  unquoted_.clear();
  for (;;) {
    if (at_ < text_.size() && text_[at_] == '"') {
      NEPH_TRY(const auto cell, take_quoted());
      cells_.push_back(cell);
    } else {
      cells_.push_back(take_plain());
    }
    if (at_ == text_.size()) return {};
    if (text_[at_] != separator_) return take_line_end(), Status{};
    ++at_;
  }
}

void Rows::take_line_end() {
  if (text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
}

std::string_view Rows::take_plain() {
  const auto begin = at_;
  while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
  return text_.substr(begin, at_ - begin);
}

/// What stands between quotes, and what people leave behind them; two quotes within are one.
Result<std::string_view> Rows::take_quoted() {
  const auto begin = ++at_;
  bool has_quotes = false;
  for (;;) {
    const auto quote = text_.find('"', at_);
    if (quote == std::string_view::npos)
      return fail(ErrorCode::corrupt, "line {}: a quote is opened and never closed; is the file cut short?",
                  row_line_);
    line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                        text_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
    at_ = quote + 1;
    if (at_ == text_.size() || text_[at_] != '"') break;
    has_quotes = true;
    ++at_;
  }
  const auto inside = text_.substr(begin, at_ - 1 - begin);
  const auto behind = take_plain();
  if (!has_quotes && behind.empty()) return inside;
  auto& cell = unquoted_.emplace_back();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    cell += inside[i];
    if (inside[i] == '"') ++i;
  }
  cell += behind;
  return std::string_view(cell);
}

}  // namespace neph::price
