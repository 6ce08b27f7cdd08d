#include "workload/command/told.hpp"

#include <algorithm>

namespace neph::workload::command {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // Clang 14 does not make its own

}  // namespace

void Tellings::add(Told told, double now_s) {
  if (const auto* hello = std::get_if<Hello>(&told.what)) {
    if (std::find(hooked.begin(), hooked.end(), hello->who) == hooked.end()) hooked.push_back(hello->who);
    return;
  }
  auto& story = by[told.by];
  std::visit(Overloaded{[](const Hello&) {},
                        [&](const Steps& steps) {
                          auto& all = story.steps_s[{told.pid, steps.stream}];
                          all.insert(all.end(), steps.ends_s.begin(), steps.ends_s.end());
                        },
                        [&](Span& span) {
                          span.pid = told.pid;
                          story.spans.push_back(span);
                        },
                        [&](const Begin& begin) {
                          story.open[{told.pid, begin.kind}] = begin.at_s;
                        },
                        [&](const End& end) {
                          const auto begun = story.open.find({told.pid, end.kind});
                          if (begun == story.open.end()) return;
                          story.spans.push_back({.kind = end.kind,
                                                 .begin_s = begun->second,
                                                 .end_s = std::max(begun->second, end.at_s),
                                                 .pid = told.pid});
                          story.open.erase(begun);
                        },
                        [&](const Figure& figure) {
                          story.values[figure.value] = figure.number;
                          story.course[figure.value].emplace_back(now_s, figure.number);
                        }},
             told.what);
}

}  // namespace neph::workload::command
