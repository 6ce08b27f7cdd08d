#include "host/process_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace neph::host {

std::optional<ProcessCounts> parse_process_stat(std::string_view text) {
  const auto name_end = text.rfind(')');  // the name may hold blanks and brackets
  if (name_end == text.npos) return std::nullopt;
  Scanner scanner(text.substr(name_end + 1));
  const auto number = [&] { return static_cast<double>(scanner.number().value_or(0)); };
  if (!scanner.skip(7)) return std::nullopt;  // state ppid pgrp session tty tpgid flags
  ProcessCounts counts;
  counts.minor_faults = number();
  counts.minor_faults += number();
  counts.major_faults = number();
  counts.major_faults += number();
  counts.user_ticks = number();
  counts.system_ticks = number();
  counts.waited_user_ticks = number();
  counts.waited_system_ticks = number();
  scanner.skip(2);  // priority nice
  counts.threads = number();
  scanner.skip(1);  // itrealvalue
  const auto start = scanner.number();
  if (!start) return std::nullopt;
  counts.start_ticks = static_cast<double>(*start);
  return counts;
}

ProcessTree::ProcessTree(const Records& records, int pid, bool descendants)
    : proc_(records.path("proc")),
      root_pid_(pid),
      descendants_(descendants),
      loadavg_(proc_ / "loadavg", 128) {
  add(pid);
}

const ProcessTree::Member* ProcessTree::root() const {
  return !members_.empty() && members_.front().pid == root_pid_ ? &members_.front() : nullptr;
}

void ProcessTree::also(int pid) {
  add(pid);
  last_born_ = 0;  // nobody is new, but this one's descendants were never looked for
}

void ProcessTree::refresh() {
  if (anybody_new()) walk();
  // A child that ends between its parent's reading and its own would be missing from both: then read all
  // again.
  for (int attempt = 0; attempt < 3; ++attempt)
    if (read_counts()) return;
}

// The last word of /proc/loadavg is the number that was last given to a process or thread: as long as it
// stays, nobody was born, and the tree need not be walked.
bool ProcessTree::anybody_new() {
  const auto text = loadavg_.read();
  if (!text) return true;
  const auto blank = text->rfind(' ');
  const auto last =
      blank == text->npos ? 0 : Scanner(text->substr(blank)).number().value_or(0);  // 0: unknown
  const bool same = walks_ > 0 && last != 0 && last == last_born_;
  last_born_ = last;
  return !same;
}

void ProcessTree::walk() {
  ++walks_;
  for (std::size_t i = 0; i < members_.size(); ++i) {  // grows while it is walked
    members_[i].tids.clear();
    std::error_code error;
    for (std::filesystem::directory_iterator entry(members_[i].folder / "task", error), end;
         !error && entry != end; entry.increment(error)) {
      const auto tid = to_number(entry->path().filename().string());
      if (!tid) continue;
      members_[i].tids.push_back(static_cast<int>(*tid));
      if (!descendants_) continue;
      CounterFile children(entry->path() / "children", 256);
      const auto text = children.read();
      if (!text) continue;
      Scanner scanner(*text);
      while (const auto child = scanner.number()) add(static_cast<int>(*child));
    }
  }
}

void ProcessTree::add(int pid) {
  const auto known = [pid](const Member& member) { return member.pid == pid; };
  if (std::any_of(members_.begin(), members_.end(), known)) return;
  const auto folder = proc_ / fmt::format("{}", pid);
  members_.push_back({.pid = pid,
                      .folder = folder,
                      .stat = CounterFile(folder / "stat", 512),
                      .status = CounterFile(folder / "status", 4096),
                      .io = CounterFile(folder / "io", 256)});
}

bool ProcessTree::read_counts() {
  const auto ended = [this](Member& member) {
    const auto text = member.stat.read();
    const auto counts = text ? parse_process_stat(*text) : std::nullopt;
    if (counts) member.counts = *counts;
    if (!descendants_) member.counts.waited_user_ticks = member.counts.waited_system_ticks = 0;
    return !counts;
  };
  return std::erase_if(members_, ended) == 0;
}

}  // namespace neph::host
