#include "workload/train/cores.hpp"

#include <algorithm>

#include "os/cores.hpp"

namespace neph::workload {

Result<std::int64_t> bind_to_cores(std::int64_t count, std::int64_t rank, std::int64_t ranks) {
  const auto allowed = allowed_cores();
  auto all = std::min(usable_cores(allowed.size()), std::ssize(allowed));
  if (count > 0) all = std::min(all, count);
  if (all < ranks)
    return fail(ErrorCode::unavailable, "{} processes need {} cores, and there are {}", ranks, ranks, all);
  const auto begin = all * rank / ranks, end = all * (rank + 1) / ranks;
  NEPH_CHECK(bind_this_thread({allowed.begin() + begin, allowed.begin() + end}));
  return end - begin;
}

}  // namespace neph::workload
