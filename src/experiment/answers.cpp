#include "experiment/answers.hpp"

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "record/answer_summary.hpp"

namespace neph::experiment {
namespace {

void add_close(const RunResult& result, std::set<std::size_t>& close) {
  const auto text = get(result.facts, fact::close_answers).value_or("");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::size_t item = 0;
    const auto [behind, error] = std::from_chars(at, end, item);
    if (error != std::errc()) return;
    close.insert(item);
    at = behind + 1;  // the comma
  }
}

std::size_t differing(const RunResult& a, const RunResult& b) {
  std::set<std::size_t> close;
  add_close(a, close);
  add_close(b, close);
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    count += a.outputs[i] != b.outputs[i] && !close.contains(i);
  return count;
}

bool has_close(const RunResult& result) { return get(result.facts, fact::close_answers).has_value(); }

}  // namespace

bool answer_alike(const RunResult& a, const RunResult& b) {
  if (a.outputs_checksum == b.outputs_checksum) return true;
  if (a.outputs.empty() && b.outputs.empty()) return has_close(a) || has_close(b);
  return a.outputs.size() == b.outputs.size() && differing(a, b) == 0;
}

std::string how_many_differ(const RunResult& a, const RunResult& b) {
  if (a.outputs.empty() || b.outputs.empty()) return "the answers";
  if (a.outputs.size() != b.outputs.size())
    return fmt::format("the number of answers ({} and {})", a.outputs.size(), b.outputs.size());
  return fmt::format("{} of {} answers", differing(a, b), a.outputs.size());
}

}  // namespace neph::experiment
