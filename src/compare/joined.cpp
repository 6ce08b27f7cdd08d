// Several files of one tool as one source.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "compare/source.hpp"

namespace neph::compare {
namespace {

std::int64_t next_block(const Source& source) {
  std::int64_t next = 0;
  for (const auto& configuration : source.configurations)
    for (const auto& run : configuration.runs) next = std::max(next, run.block + 1);
  return next;
}

/// A file's mean is one number for what it measured: one run of many.
void make_runs_of_means(Configuration& configuration) {
  MeasuredRun run;
  for (const auto& [metric, mean] : configuration.means) run.metrics[metric] = mean.value;
  if (!run.metrics.empty()) configuration.runs.push_back(std::move(run));
  configuration.means.clear();
}

void add_facts(const Configuration& from, Configuration& to) {
  for (const auto& [name, value] : from.facts) {
    auto& known = to.facts[name];
    if (known.empty())
      known = value;
    else if ((" and " + known + " and ").find(" and " + value + " and ") == std::string::npos)
      known += " and " + value;
  }
}

void add(Configuration from, std::int64_t first_block, Configuration& to) {
  make_runs_of_means(from);
  for (auto& run : from.runs) run.block += first_block;
  std::ranges::move(from.runs, std::back_inserter(to.runs));
  add_facts(from, to);
  add_remarks(from, to);
}

Status check(const Source& all, const Source& next) {
  if (next.kind != all.kind)
    return fail(ErrorCode::invalid_argument, "{} is of {}, {} of {}; join files of one kind", all.name,
                all.kind, next.name, next.kind);
  if (!next.identity.empty() && next.identity == all.identity)
    return fail(ErrorCode::invalid_argument, "{} and {} are the same runs ({}); name one of them", all.name,
                next.name, next.identity);
  return {};
}

}  // namespace

void add_remarks(const Configuration& from, Configuration& to) {
  for (const auto remarks : {&Configuration::doubts, &Configuration::failures})
    for (const auto& each : from.*remarks)
      if (std::ranges::find(to.*remarks, each) == (to.*remarks).end()) (to.*remarks).push_back(each);
}

Result<Source> joined(std::vector<Source> sources) {
  if (sources.empty()) return fail(ErrorCode::invalid_argument, "no file to compare; name at least one");
  if (sources.size() == 1) return std::move(sources.front());
  for (auto one = sources.begin(); one != sources.end(); ++one)
    for (auto other = one + 1; other != sources.end(); ++other) NEPH_CHECK(check(*one, *other));
  Source all{.name = fmt::format("{} and {} more", sources.front().name, sources.size() - 1),
             .kind = sources.front().kind};
  for (auto& source : sources) {
    const auto first_block = next_block(all);
    for (auto& configuration : source.configurations) {
      auto found = std::ranges::find(all.configurations, configuration.label, &Configuration::label);
      if (found == all.configurations.end())
        found = all.configurations.insert(found, {.label = configuration.label,
                                                  .question = configuration.question,
                                                  .factors = configuration.factors});
      add(std::move(configuration), first_block, *found);
    }
  }
  return all;
}

}  // namespace neph::compare
