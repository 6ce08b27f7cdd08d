#include "workload/command/output_tail.hpp"

#include "core/text.hpp"

namespace neph::workload::command {
namespace {

constexpr std::size_t most_lines = 20;
constexpr std::size_t longest_line = 300;

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

}  // namespace neph::workload::command
