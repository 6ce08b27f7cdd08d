#include "workload/library_settings.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::workload {
namespace {

using testing::Optional;

Facts told(std::map<std::string, std::string> variables) {
  Facts facts;
  add_library_settings(facts, [&](const std::string& name) { return variables[name]; });
  return facts;
}

TEST(LibrarySettings, AreThoseOfTheCLibraryWhereNothingIsSet) {
  const auto facts = told({});
  EXPECT_THAT(get(facts, fact::allocator), Optional(std::string("the C library's")));
  EXPECT_THAT(get(facts, fact::omp_wait_policy), Optional(std::string("not set")));
}

TEST(LibrarySettings, NameThePreloadedAllocatorWithItsOptions) {
  const auto facts = told({{"LD_PRELOAD", "/lib/libjemalloc.so.2"},
                           {"MALLOC_CONF", "thp:always"},
                           {"OMP_WAIT_POLICY", "passive"}});
  EXPECT_THAT(get(facts, fact::allocator),
              Optional(std::string("/lib/libjemalloc.so.2, MALLOC_CONF=thp:always")));
  EXPECT_THAT(get(facts, fact::omp_wait_policy), Optional(std::string("passive")));
}

TEST(LibrarySettings, TellHowLongThreadsSpin) {
  EXPECT_THAT(get(told({{"GOMP_SPINCOUNT", "5000"}}), fact::omp_wait_policy),
              Optional(std::string("not set, GOMP_SPINCOUNT=5000")));
}

}  // namespace
}  // namespace neph::workload
