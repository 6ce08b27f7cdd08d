// What the small programs share that ./dev bench runs beside other people's: their words, and what they cost.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <sys/resource.h>

#include "core/json.hpp"

namespace neph {

/// CPU time of all threads of this process.
inline double process_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

/// MODEL --name value ..., the fields of a Spec that has a `model`; the others are as `spec` has them.
template <class Spec>
Result<Spec> spec_of_words(std::string_view program, std::span<char*> words, Spec spec) {
  if (words.empty() || words.size() % 2 == 0)
    return fail(ErrorCode::invalid_argument, "usage: {} MODEL [--name value]...", program);
  spec.model = words.front();
  Json fields = Json::object();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string_view flag = words[i];
    if (!flag.starts_with("--")) return fail(ErrorCode::invalid_argument, "'{}' should be a --name", flag);
    const auto number = Json::parse(words[i + 1], nullptr, false);
    fields[std::string(flag.substr(2))] = number.is_number() ? number : Json(words[i + 1]);
  }
  NEPH_CHECK(from_json(fields, spec, ""));
  return spec;
}

/// What main() returns of a program that has run.
inline int exit_code_of(std::string_view program, const Status& status) {
  if (status) return 0;
  std::fprintf(stderr, "%s: %s\n", std::string(program).c_str(), status.error().text().c_str());
  return exit_code(status.error().code);
}

}  // namespace neph
