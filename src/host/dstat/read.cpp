#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "host/dstat/columns.hpp"
#include "host/dstat/dstat.hpp"
#include "host/dstat/lines.hpp"
#include "host/dstat/times.hpp"

namespace neph::host {
namespace {

constexpr std::size_t most_columns = 4096;
constexpr double most_apart_s = 1e10;                     // of two moments: no clock that is right shows more
constexpr std::string_view title_ending = " CSV output";  // "Dstat 0.8.0 CSV output"

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_blank(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.empty(); });
}

bool has_number(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const auto& cell) { return number_of(cell).has_value(); });
}

/// The delay that the command asks for: "dstat -tcm --output x.csv 5 100". Its last word is a count where
/// the one before is a number too.
std::optional<double> delay_of(std::string_view command) {
  const auto take = [&]() -> std::optional<double> {
    command = trimmed(command);
    const auto space = command.find_last_of(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto number = number_of(command.substr(space + 1));
    if (number) command = command.substr(0, space);
    return number;
  };
  const auto last = take();
  if (!last) return std::nullopt;
  const auto delay = take().value_or(*last);
  return delay >= 0.1 && delay <= 86400 ? std::optional(delay) : std::nullopt;
}

/// One recording, row by row.
class Rows {
 public:
  Rows(std::vector<std::string> groups, const std::vector<std::string>& columns, Recording about,
       std::optional<Heading> date)
      : plan_(plan_columns(groups, columns)),
        width_(columns.size()),
        recording_(std::move(about)),
        times_(date ? std::optional(date->at_s) : std::nullopt),
        is_ours_(recording_.command.starts_with("neph")) {
    if (date) {
      recording_.begin_s = date->at_s;
      recording_.zone = date->zone;
    }
    if (is_ours_) recording_.program = "neph";  // which writes as dstat does
    recording_.notes = plan_.notes;
    for (const auto& series : plan_.series)
      recording_.series.push_back({.target = std::string(target::machine),
                                   .name = std::string(series.quantity.name),
                                   .unit = std::string(series.quantity.unit)});
    const auto delay = is_ours_ ? std::optional(1.0) : delay_of(recording_.command);
    delay_s_ = delay.value_or(1);
    recording_.is_interval_told = delay.has_value() || plan_.time || plan_.epoch;
  }

  void add(std::vector<std::string>& cells, std::size_t line) {
    while (cells.size() > width_ && cells.back().empty()) cells.pop_back();  // a spreadsheet's commas
    if (cells.size() != width_) return leave_out(line, "more or fewer cells than there are columns");
    const auto at = moment(cells);
    if (!at) return leave_out(line, "no time that can be read");
    const bool is_first = at_.empty();
    if (is_first) first_ = *at;
    at_.push_back(*at - first_);
    for (std::size_t i = 0; i < plan_.series.size(); ++i) add_value(i, cells, is_first);
  }
  void cut_short() {
    recording_.notes.emplace_back("the last line has no end and is left out: it may be cut short");
  }

  bool has_rows() const { return !at_.empty(); }
  bool has_quantities() const { return !plan_.series.empty(); }

  Recording finish() && {
    recording_.rows = std::ssize(at_);
    if (plan_.epoch || plan_.time) {
      recording_.begin_s.reset();
      if (plan_.epoch || times_.are_dated()) recording_.begin_s = std::llround(first_);
    }
    if (plan_.epoch) recording_.zone = "UTC";
    say_interval();
    add_notes();
    std::erase_if(recording_.series, [](const auto& series) { return series.values.empty(); });
    return std::move(recording_);
  }

 private:
  void leave_out(std::size_t line, std::string_view why) {
    if (left_out_++ == 0) first_left_out_ = fmt::format("line {} has {}", line, why);
  }

  /// A clock that is set back, as in autumn, does not make time run backwards.
  std::optional<double> moment(const std::vector<std::string>& cells) {
    if (!plan_.time && !plan_.epoch) return static_cast<double>(at_.size()) * delay_s_;
    const auto told = plan_.epoch ? number_of(cells[*plan_.epoch]) : times_.read(cells[*plan_.time]);
    if (!told || std::fabs(*told) > most_apart_s) return std::nullopt;
    double at = *told + set_back_;
    if (!at_.empty() && at < first_ + at_.back()) {
      const double next = first_ + at_.back() + delay_s_;
      set_back_ += next - at;
      at = next;
      ++times_set_back_;
    }
    return at;
  }

  void add_value(std::size_t i, const std::vector<std::string>& cells, bool is_first) {
    const auto& planned = plan_.series[i];
    double sum = 0;
    for (const auto column : planned.columns) {
      const auto number = number_of(cells[column]);
      if (!number) {
        unread_cells_ += !cells[column].empty();
        return;
      }
      sum += *number;
    }
    // since the machine's start
    if (is_first && !planned.is_state && !is_ours_) {
      is_first_left_out_ = true;
      return;
    }
    recording_.series[i].at_s.push_back(at_.back());
    recording_.series[i].values.push_back(sum * planned.scale);
  }

  void say_interval() {
    recording_.length_s = at_.empty() ? 0 : at_.back();
    recording_.interval_s = delay_s_;
    std::vector<double> steps;
    for (std::size_t i = 1; i < at_.size(); ++i) steps.push_back(at_[i] - at_[i - 1]);
    if (steps.empty()) return;
    auto sorted = steps;
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (*middle > 0) recording_.interval_s = *middle;
    for (const double step : steps)
      if (step > 3 * recording_.interval_s) {
        ++recording_.gaps;
        recording_.gaps_s += step;
      }
  }

  void add_notes() {
    auto& notes = recording_.notes;
    if (left_out_ > 0)
      notes.push_back(fmt::format("{} left out: {}", counted(left_out_, "line"), first_left_out_));
    if (unread_cells_ > 0)
      notes.push_back(fmt::format("{} without a number that can be read", counted(unread_cells_, "cell")));
    if (times_set_back_ > 0)
      notes.push_back(
          fmt::format("the clock went back {}: rows are counted on", counted(times_set_back_, "time")));
    if (is_first_left_out_)
      notes.emplace_back("the first row's rates are averages since the machine's start and left out");
  }

  ColumnPlan plan_;
  std::size_t width_;
  Recording recording_;
  RowTimes times_;
  bool is_ours_;
  double delay_s_ = 1;
  std::vector<double> at_;  ///< of the rows, from the first
  double first_ = 0, set_back_ = 0;
  std::int64_t left_out_ = 0, unread_cells_ = 0, times_set_back_ = 0;
  bool is_first_left_out_ = false;
  std::string first_left_out_;
};

class Reader {
 public:
  explicit Reader(const std::string& source) { about_.source = source; }

  Result<std::vector<Recording>> read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.find('\0') != std::string_view::npos)
      return fail(ErrorCode::corrupt, "{}: it is no text: it has bytes of value 0", about_.source);
    TextLines lines(text);
    for (std::string_view line; lines.next(line);) {
      split_cells(line, cells_);
      if (is_blank(cells_)) continue;
      if (!lines.was_ended() && rows_ && rows_->has_rows()) {
        rows_->cut_short();
        break;
      }
      NEPH_CHECK(see(lines.number()));
    }
    end_recording();
    if (recordings_.empty())
      return fail(ErrorCode::corrupt, "{}: {}", about_.source,
                  columns_seen_ ? "it has headings of dstat and no row that can be read"
                                : "it is no CSV of dstat or dool: their lines of headings are missing");
    return std::move(recordings_);
  }

 private:
  Status see(std::size_t line) {
    const std::string_view first = cells_.front();
    if (first.ends_with(title_ending)) {
      end_recording();
      about_ = {.source = about_.source,
                .program = std::string(first.substr(0, first.size() - title_ending.size()))};
      return {};
    }
    if (first == "Author:") return {};
    if (first == "Host:") {
      end_recording();
      date_.reset();
      about_.command.clear();
      about_.host = cells_.size() > 1 ? cells_[1] : "";
      return {};
    }
    if (first == "Cmdline:") {
      about_.command = cells_.size() > 1 ? cells_[1] : "";
      date_ = heading_date(cells_.back());
      return {};
    }
    return rows_ ? see_row(line) : see_heading(line);
  }

  Status see_heading(std::size_t line) {
    if (groups_.empty()) {
      if (has_number(cells_))
        return fail(ErrorCode::corrupt,
                    "{}: it is no CSV of dstat or dool: line {} has numbers before any headings",
                    about_.source, line);
      groups_ = cells_;
      return {};
    }
    if (cells_.size() > most_columns)
      return fail(ErrorCode::unsupported, "{}: line {} names more than {} columns", about_.source, line,
                  most_columns);
    rows_.emplace(groups_, cells_, about_, date_);
    if (!rows_->has_quantities())
      return fail(
          ErrorCode::corrupt,
          "{}: line {} names no column of dstat's or dool's that is known: processors, memory, disks, "
          "network, paging",
          about_.source, line);
    columns_seen_ = true;
    return {};
  }

  Status see_row(std::size_t line) {
    if (cells_ == groups_) {  // headings again
      const auto groups = groups_;
      end_recording();
      groups_ = groups;
      return {};
    }
    rows_->add(cells_, line);
    return {};
  }

  void end_recording() {
    if (rows_ && rows_->has_rows()) recordings_.push_back(std::move(*rows_).finish());
    rows_.reset();
    groups_.clear();
  }

  Recording about_;
  std::optional<Heading> date_;
  std::vector<std::string> cells_, groups_;
  std::optional<Rows> rows_;
  bool columns_seen_ = false;
  std::vector<Recording> recordings_;
};

}  // namespace

Result<std::vector<Recording>> read_dstat(std::string_view text, const std::string& source) {
  return Reader(source).read(text);
}

}  // namespace neph::host
