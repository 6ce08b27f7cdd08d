#include "workload/command/output_tail.hpp"

#include <utility>

#include "core/text.hpp"

namespace neph::workload::command {
namespace {

constexpr std::size_t most_lines = 20;
constexpr std::size_t longest_line = 300;

/// torchrun's own exception; that of the process which failed came before it.
constexpr std::string_view child_failed = "ChildFailedError:";

/// What Python writes above the traceback of an exception that does not end the program.
bool is_of_another(std::string_view line) {
  return line.starts_with("Exception ignored") || line.starts_with("Exception in thread") ||
         line.starts_with("Error in atexit") || (line.starts_with("Process ") && line.ends_with(":"));
}

/// PyTorch puts "[rank1]: " before the lines of an exception in a group of processes.
std::string_view without_rank(std::string_view line) {
  const auto end = line.find("]: ");
  return line.starts_with("[rank") && end != line.npos ? line.substr(end + 3) : line;
}

}  // namespace

void OutputTail::add(std::string_view line) {
  if (trimmed(line).empty()) return;
  lines_.push_back(printable(line.substr(0, longest_line)));
  if (lines_.size() > most_lines) lines_.pop_front();
}

std::string OutputTail::last() const { return lines_.empty() ? "" : std::string(trimmed(lines_.back())); }

std::string OutputTail::text() const {
  std::string all;
  for (const auto& line : lines_) all += (all.empty() ? "" : "\n") + line;
  return all;
}

void PythonError::add(std::string_view line) {
  line = without_rank(line);
  if (line.starts_with("Traceback (most recent call last)") ||
      line.starts_with("  + Exception Group Traceback (most recent call last)")) {
    is_inside_ = true;
    is_other_ = is_of_another(before_);
    if (!is_other_) earlier_ = std::exchange(text_, {});
  } else if (is_inside_) {
    const auto said = line.starts_with("  | ") ? line.substr(4) : line;
    if (!said.empty() && said.front() != ' ') {
      if (!is_other_) text_ += (text_.empty() ? "" : " ") + printable(trimmed(said.substr(0, longest_line)));
      if (text_.find(child_failed) != text_.npos && !earlier_.empty()) text_ = earlier_;
      is_inside_ = !is_other_ && text_.ends_with(':');  // the message begins in the next line
    }
  }
  before_ = line;
}

}  // namespace neph::workload::command
