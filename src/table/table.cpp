#include "table/table.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <new>
#include <set>

#include "core/json.hpp"
#include "core/lines.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "table/cells.hpp"

namespace neph::table {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{16} << 20;
constexpr auto more_cells = ": name each column, and put a cell with the separator in it in quotes";
constexpr std::size_t fewest_letters = 3;  ///< of a name's part that may be meant for the name
constexpr std::size_t most_piped = std::size_t{1} << 30;

/// Something that takes the text of a table in pieces.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual Status take(std::string_view piece) = 0;
  virtual Status end() = 0;
};

/// RFC 4180, and what people make of it.
class CsvReader final : public Reader {
 public:
  explicit CsvReader(Cells& cells) : cells_(cells) {}

  Status take(std::string_view piece) override {
    for (const char c : piece) NEPH_CHECK(take(c));
    return {};
  }
  Status end() override {
    if (quoted_) return fail(ErrorCode::corrupt, "line {}: a quote is opened and never closed", line_begin_);
    if (!cell_.empty() || !line_.empty() || was_quoted_) NEPH_CHECK(end_line());
    return {};
  }

 private:
  Status take(char c) {
    const bool was_return = std::exchange(after_return_, c == '\r' && !quoted_);
    if (was_return && c != '\n') NEPH_CHECK(take_new_line());  // lines of old end so
    if (cell_.size() > longest_line)
      return fail(ErrorCode::corrupt, "line {}: a cell of more than {} bytes; is a quote missing?",
                  line_begin_, longest_line);
    if (quoted_) {
      if (c == '\n') ++lines_;
      if (c != '"') {
        cell_ += c;
      } else {
        quoted_ = false;
        was_quoted_ = true;
      }
    } else if (c == '"' && (cell_.empty() || was_quoted_)) {
      if (was_quoted_) cell_ += '"';  // two quotes within quotes are one
      quoted_ = true;
    } else if (c == '\n') {
      return take_new_line();
    } else if (is_separator(c)) {
      end_cell();
    } else if (c != '\r') {
      cell_ += c;
    }
    return {};
  }
  Status take_new_line() {
    ++lines_;
    return end_line();
  }
  /// The first of the three that the heading has.
  bool is_separator(char c) {
    if (separator_ != 0) return c == separator_;
    if (c != ',' && c != ';' && c != '\t') return false;
    separator_ = c;
    return true;
  }
  void end_cell() {
    line_.push_back(std::move(cell_));
    cell_.clear();
    was_quoted_ = false;
  }
  Status end_line() {
    const auto number = std::exchange(line_begin_, lines_ + 1);
    const bool is_blank = line_.empty() && cell_.empty() && !was_quoted_;
    end_cell();
    auto line = std::exchange(line_, {});
    while (has_heading_ && line.size() > width_ && trimmed(line.back()).empty()) line.pop_back();
    if (is_blank) return {};
    if (!has_heading_) return take_heading(line);
    if (line.size() != width_)
      return cells_.end_unread_row(
          {ErrorCode::corrupt,
           fmt::format("line {} has {} and the heading {}{}", number, counted(std::ssize(line), "cell"),
                       width_, line.size() < width_ ? "" : more_cells)});
    for (std::size_t i = 0; i < width_; ++i) cells_.set(i, line[i]);
    return cells_.end_row();
  }
  Status take_heading(const std::vector<std::string>& line) {
    has_heading_ = true;
    width_ = line.size();
    for (std::size_t i = 0; i < width_; ++i) {
      const auto name = trimmed(line[i]);
      if (name.empty() && (i > 0 || width_ == 1))
        return fail(ErrorCode::corrupt, "column {} of the heading has no name", i + 1);
      NEPH_CHECK(cells_.add_column(std::string(name)));
    }
    if (separator_ == 0) separator_ = ',';
    return {};
  }

  Cells& cells_;
  std::string cell_;
  std::vector<std::string> line_;
  bool quoted_ = false, was_quoted_ = false, after_return_ = false, has_heading_ = false;
  char separator_ = 0;
  std::size_t width_ = 0, lines_ = 0, line_begin_ = 1;
};

/// One flat object a line; what is missing in a line is an empty cell.
class JsonLinesReader final : public Reader {
 public:
  explicit JsonLinesReader(Cells& cells) : cells_(cells) {}

  Status take(std::string_view piece) override {
    lines_.add(piece, [this](std::string_view line) { see(line); });
    return status_;
  }
  Status end() override {
    lines_.finish([this](std::string_view line) { see(line); });
    return status_;
  }

 private:
  void see(std::string_view line) {
    ++number_;
    if (status_ && !trimmed(line).empty()) status_ = add(line);
  }
  Status add(std::string_view line) {
    const auto object = object_of(line);
    if (!object) return cells_.end_unread_row(object.error());
    for (const auto& [name, value] : object->items()) {
      auto column = cells_.column(name);
      if (!column) {
        NEPH_TRY(column, cells_.add_column(name));
      }
      if (value.is_number()) {
        cells_.set(*column, value.get<double>());
      } else if (!value.is_null()) {
        cells_.set(*column, value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
    return cells_.end_row();
  }

  /// Of numbers and texts.
  Result<Json> object_of(std::string_view line) const {
    NEPH_TRY(auto object, parse_json(line, fmt::format("line {}", number_)));
    if (!object.is_object()) return fail(ErrorCode::corrupt, "line {} is no JSON object", number_);
    for (const auto& [name, value] : object.items())
      if (value.is_structured())
        return fail(ErrorCode::corrupt, "line {}: '{}' is neither a number nor text", number_,
                    printable(name));
    return object;
  }

  Cells& cells_;
  Lines lines_{longest_line};
  std::size_t number_ = 0;
  Status status_;
};

/// Gives the text from its beginning, in pieces.
using Taker = std::function<Status(std::string_view)>;
using Pieces = std::function<Status(const Taker&)>;

/// "[{", which is no heading.
bool is_json_array(std::string_view text) {
  text = trimmed(text);
  return text.starts_with('[') && trimmed(text.substr(1)).starts_with('{');
}

/// Passes the text to the reader that its first character asks for.
Status read_once(const Pieces& pieces, Cells& cells) {
  std::unique_ptr<Reader> reader;
  std::string begin;
  NEPH_CHECK(pieces([&](std::string_view piece) -> Status {
    if (piece.find('\0') != std::string_view::npos)
      return fail(ErrorCode::corrupt, "it is no text: it has bytes of value 0; a table is saved as UTF-8");
    if (reader) return reader->take(piece);
    begin += piece;
    if (begin.size() < 3) return {};
    if (begin.starts_with("\xEF\xBB\xBF")) begin.erase(0, 3);
    if (trimmed(begin).empty()) return {};
    if (is_json_array(begin))
      return fail(ErrorCode::corrupt, "it is an array of JSON; JSON lines are read, one object a line");
    if (trimmed(begin).front() == '{') {
      reader = std::make_unique<JsonLinesReader>(cells);
    } else {
      reader = std::make_unique<CsvReader>(cells);
    }
    return reader->take(begin);
  }));
  if (!reader) {
    reader = std::make_unique<CsvReader>(cells);
    NEPH_CHECK(reader->take(begin));
  }
  return reader->end();
}

Status read_twice_at_most(const Pieces& pieces, Cells& cells, const TableLimits& limits) {
  NEPH_CHECK(read_once(pieces, cells));
  cells.take_infinities_for_text();
  if (!cells.must_be_read_again()) return {};
  cells = Cells(cells.text_columns(), limits);
  return read_once(pieces, cells);
}

/// A first column without a name, as pandas and R write the rows' names, which differ in all rows.
Status leave_out_row_names(Table& table) {
  if (table.columns.empty() || !table.columns.front().name.empty()) return {};
  const auto& names = table.columns.front();
  std::set<double> different;
  std::size_t named = 0;
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (names.is_empty(row)) continue;
    different.insert(names.is_text() ? names.codes[row] : names.numbers[row]);
    ++named;
  }
  if (different.size() < named)
    return fail(ErrorCode::corrupt, "{}: the first column has no name, and does not number the rows: name it",
                table.source);
  table.columns.erase(table.columns.begin());
  return {};
}

Result<Table> read_pieces(const Pieces& pieces, std::string source, const TableLimits& limits) {
  const auto named = [&](const Status& status) { return fail_in(source, status.error()); };
  Cells cells({}, limits);
  try {
    if (const auto status = read_twice_at_most(pieces, cells, limits); !status) return named(status);
  } catch (const std::bad_alloc&) {
    const auto rows = cells.rows();
    cells = Cells({}, limits);  // room for the words
    return named(
        fail(ErrorCode::unsupported,
             "there is no memory for more than its first {} rows; give a part of it, or fewer columns",
             format_grouped(static_cast<std::int64_t>(rows))));
  }
  auto table = std::move(cells).finish(std::move(source));
  if (table.rows > 0 && table.unread.size() == table.rows)
    return fail(ErrorCode::corrupt, "{}: {}", table.source, table.unread.begin()->second);
  NEPH_CHECK(leave_out_row_names(table));
  if (table.columns.empty()) return fail(ErrorCode::corrupt, "{}: it is empty", table.source);
  if (table.rows == 0) return fail(ErrorCode::corrupt, "{}: it has a heading and no rows", table.source);
  return table;
}

Status pieces_of(const std::filesystem::path& path, const Taker& take) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, "it is a folder, not a table");
  std::ifstream file(path, std::ios::binary);
  if (!file) return tl::unexpected(system_error("it cannot be read", errno));
  std::string piece(piece_bytes, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    NEPH_CHECK(take(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount()))));
  if (file.bad()) return tl::unexpected(system_error("it cannot be read to its end", errno));
  return {};
}

}  // namespace

bool Column::is_empty(std::size_t row) const { return is_text() ? codes[row] < 0 : std::isnan(numbers[row]); }

std::string Column::text(std::size_t row) const {
  if (is_empty(row)) return {};
  return is_text() ? levels[static_cast<std::size_t>(codes[row])] : fmt::format("{}", numbers[row]);
}

std::vector<Json> cells_of(const Column& column) {
  std::vector<Json> cells;
  for (std::size_t row = 0; row < column.rows(); ++row) {
    if (column.is_empty(row))
      cells.emplace_back(nullptr);
    else
      cells.push_back(column.is_text() ? Json(column.text(row)) : to_json(column.numbers[row]));
  }
  return cells;
}

Status none_refused(const Refusals& refused, const std::string& source) {
  if (refused.empty()) return {};
  return fail(ErrorCode::invalid_argument, "{}: {}", source, refused.begin()->second);
}

std::string_view without_unit(std::string_view name) {
  for (const auto& [open, close] : {std::pair{'(', ')'}, std::pair{'[', ']'}})
    if (const auto begin = name.rfind(open);
        begin != std::string_view::npos && begin > 0 && name.ends_with(close))
      return trimmed(name.substr(0, begin));
  return trimmed(name);
}

Result<std::size_t> Table::find(std::string_view name) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return i;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (lowered(columns[i].name) == lowered(name) || lowered(without_unit(columns[i].name)) == lowered(name))
      found.push_back(i);
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return fail(ErrorCode::invalid_argument,
                "{}: '{}' may be the column '{}' or '{}'; give one of them whole", source, name,
                columns[found[0]].name, columns[found[1]].name);
  std::vector<std::string> names, parts;  // "latency" is meant for "batch_latency"
  for (const auto& column : columns) {
    names.push_back(column.name);
    if (name.size() >= fewest_letters && lowered(column.name).find(lowered(name)) != std::string::npos)
      parts.push_back(column.name);
  }
  auto unknown = unknown_name(ErrorCode::not_found, "column", name, names, source);
  if (parts.size() == 1 && !nearest_name(name, names))
    unknown.value().hint = fmt::format("did you mean '{}'?", parts.front());
  return unknown;
}

Result<std::size_t> Table::find_fitted(std::string_view name) const {
  auto place = find(name);
  if (!place && place.error().code == ErrorCode::not_found)
    place.error().add_hint("the model was fitted to it");
  if (!place || columns[*place].name == name) return place;
  return fail(ErrorCode::not_found,
              "{}: the model was fitted to the column '{}', and here is '{}': call it the same if it is",
              source, name, columns[*place].name);
}

Result<Table> read_table(const std::filesystem::path& path, const TableLimits& limits) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error))
    return read_pieces([&](const Taker& take) { return pieces_of(path, take); }, path.string(), limits);
  std::string text;  // what a pipe has can be read only once
  const auto status = pieces_of(path, [&text](std::string_view piece) -> Status {
    text += piece;
    if (text.size() <= most_piped) return {};
    return fail(ErrorCode::unsupported, "it gives more than {}; a table of that size must be a file",
                format_bytes(static_cast<double>(most_piped)));
  });
  if (!status) return fail_in(path.string(), status.error());
  return parse_table(text, path.string(), limits);
}

Result<Table> parse_table(std::string_view text, std::string source, const TableLimits& limits) {
  return read_pieces([&](const Taker& take) { return take(text); }, std::move(source), limits);
}

Table rows_of(const Table& table, const std::vector<std::size_t>& rows) {
  Table part{.source = table.source, .rows = rows.size()};
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto unread = table.unread.find(rows[i]); unread != table.unread.end())
      part.unread.emplace(i, unread->second);
  for (const auto& column : table.columns) {
    Column taken{.name = column.name, .levels = column.levels};
    for (const auto row : rows) {
      if (column.is_text()) {
        taken.codes.push_back(column.codes[row]);
      } else {
        taken.numbers.push_back(column.numbers[row]);
      }
    }
    part.columns.push_back(std::move(taken));
  }
  return part;
}

}  // namespace neph::table
