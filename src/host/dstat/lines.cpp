#include "host/dstat/lines.hpp"

#include "core/text.hpp"

namespace neph::host {

bool TextLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  ++number_;
  const auto end = rest_.find_first_of("\r\n");
  line = rest_.substr(0, end);
  ended_ = end != std::string_view::npos;
  if (!ended_) {
    rest_ = {};
    return true;
  }
  const bool is_pair = rest_.substr(end).starts_with("\r\n");
  rest_.remove_prefix(end + (is_pair ? 2 : 1));
  return true;
}

void split_cells(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  std::string cell;
  bool is_quoted = false;
  const auto take = [&] {
    cells.emplace_back(trimmed(cell));
    cell.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && line.substr(i + 1).starts_with('"')) {
      cell += '"';
      ++i;
    } else if (c == '"' && is_quoted) {  // within a command a quote is followed by more of it
      const auto behind = trimmed(line.substr(i + 1));
      is_quoted = !behind.empty() && !behind.starts_with(',');
      if (is_quoted) cell += '"';
    } else if (c == '"' && trimmed(cell).empty()) {
      is_quoted = true;
    } else if (c == ',' && !is_quoted) {
      take();
    } else {
      cell += c;
    }
  }
  take();
}

}  // namespace neph::host
