#include "workload/library_settings.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace neph::workload {

std::string own_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

void add_library_settings(Facts& facts, const Variables& variable) {
  auto allocator = variable("LD_PRELOAD");
  if (allocator.empty()) allocator = "the C library's";
  for (const char* name : {"MALLOC_CONF", "GLIBC_TUNABLES"})
    if (const auto value = variable(name); !value.empty()) allocator += fmt::format(", {}={}", name, value);
  set(facts, fact::allocator, allocator);
  auto policy = variable("OMP_WAIT_POLICY");
  if (policy.empty()) policy = "not set";
  if (const auto count = variable("GOMP_SPINCOUNT"); !count.empty())
    policy += fmt::format(", GOMP_SPINCOUNT={}", count);
  set(facts, fact::omp_wait_policy, policy);
}

}  // namespace neph::workload
