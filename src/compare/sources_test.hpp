// What the readers' tests share.
#pragma once

#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "compare/source.hpp"

namespace neph::compare {

/// Files that the tools wrote, shortened and with their hosts' names changed: google-benchmark 1.7.1,
/// hyperfine 1.15.0 and 1.20.0, perf_analyzer 2.48.0 at `neph serve`.
inline Source golden(const std::string& file) {
  auto source = read_source("tests/golden/compare/" + file);
  EXPECT_TRUE(source) << source.error().text();
  return source ? *std::move(source) : Source{.configurations = {{}}};
}

inline Source parsed(std::string_view text) {
  auto source = parse_source(text, "t");
  EXPECT_TRUE(source) << source.error().text();
  return source ? *std::move(source) : Source{.configurations = {{}}};
}

/// Of what is refused.
inline std::string message(std::string_view text) {
  const auto source = parse_source(text, "t");
  EXPECT_FALSE(source) << text;
  return source ? "" : source.error().text();
}

inline std::vector<std::string> labels(const Source& source) {
  std::vector<std::string> all;
  for (const auto& configuration : source.configurations) all.push_back(configuration.label);
  return all;
}

/// Of each run, in its order.
inline std::vector<double> values(const Configuration& configuration, const std::string& metric) {
  std::vector<double> all;
  for (const auto& run : configuration.runs)
    if (const auto found = run.metrics.find(metric); found != run.metrics.end()) all.push_back(found->second);
  return all;
}

inline std::vector<std::int64_t> blocks(const Configuration& configuration) {
  std::vector<std::int64_t> all;
  for (const auto& run : configuration.runs) all.push_back(run.block);
  return all;
}

}  // namespace neph::compare
