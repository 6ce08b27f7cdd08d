#include "workload/infer/batch_memory.hpp"

#include <algorithm>

#include <unistd.h>

#include "core/units.hpp"

namespace neph::workload {
namespace {

double machine_memory_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<BatchMemory> BatchMemory::allocate(std::int64_t slots, std::size_t values) {
  constexpr auto floats = tensor_alignment / sizeof(float);
  BatchMemory made;
  made.slots_ = slots;
  made.values_ = values;
  made.stride_ = (values + floats - 1) / floats * floats;
  const auto bytes = static_cast<double>(slots) * static_cast<double>(made.stride_) * sizeof(float);
  const auto too_much = [&] {
    return fail(ErrorCode::unavailable,
                "the batches alone need {}, and this machine has {}; take a smaller batch or depth",
                format_bytes(bytes), format_bytes(machine_memory_bytes()));
  };
  if (bytes > machine_memory_bytes()) return too_much();
  const auto floats_in_all = static_cast<std::size_t>(slots) * made.stride_;
  made.memory_ = allocate_floats(floats_in_all);
  if (!made.memory_) return too_much();
  std::fill_n(made.memory_.get(), floats_in_all, 0.0F);
  return made;
}

std::vector<std::span<float>> BatchMemory::slots() const {
  std::vector<std::span<float>> spans;
  for (std::int64_t i = 0; i < slots_; ++i)
    spans.emplace_back(memory_.get() + static_cast<std::size_t>(i) * stride_, values_);
  return spans;
}

}  // namespace neph::workload
