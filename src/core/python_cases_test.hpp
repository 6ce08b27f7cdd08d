// Random problems with what other people's software makes of them: a Python script's JSON list on stdout, one
// start for all tests of a program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph {

class ReferenceCases {
 public:
  /// Fails the test where there is no Python, or what it says is no list.
  explicit ReferenceCases(const std::string& script) {
    const char* python = std::getenv("NEPH_PYTHON");
    if (!python) {
      ADD_FAILURE() << "NEPH_PYTHON names no Python with the tests' packages; run this through ctest";
      return;
    }
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((std::string(python) + " " + script).c_str(), "r"),
                                                     pclose);
    std::string all, buffer(1 << 16, '\0');
    while (const auto read = pipe ? fread(buffer.data(), 1, buffer.size(), pipe.get()) : 0)
      all.append(buffer, 0, read);
    const auto document = parse_json(all, script);
    if (!document) {
      ADD_FAILURE() << document.error().message;
      return;
    }
    for (const auto& each : *document) cases_[each["kind"]].push_back(each);
  }

  /// Those of one kind, of which at least so many are expected.
  const std::vector<Json>& of(const std::string& kind, std::size_t expected) {
    EXPECT_GE(cases_[kind].size(), expected) << kind;
    return cases_[kind];
  }

 private:
  std::map<std::string, std::vector<Json>> cases_;
};

}  // namespace neph
