// What a run really used, as it was told by who used it (an engine, a server, the workload): text by name in
// results and stores. Each fact has a type here; set() and get() are the only way between the two.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace neph {

using Facts = std::map<std::string, std::string>;

/// T: std::string or std::int64_t.
template <class T>
struct Fact {
  std::string_view name;
};

namespace fact {

// Of an engine's session, and of a server's model; those that the runtime does not tell are left out.
inline constexpr Fact<std::string> device{"device"};
inline constexpr Fact<std::string> device_name{"device_name"};
inline constexpr Fact<std::string> engine{"engine"};
inline constexpr Fact<std::string> provider{"provider"};
inline constexpr Fact<std::string> fallback{"fallback"};  ///< nodes that another provider computes
inline constexpr Fact<std::string> hint{"hint"};
inline constexpr Fact<std::string> precision{"precision"};
inline constexpr Fact<std::string> kernel{"kernel"};
inline constexpr Fact<std::string> threads{"threads"};
inline constexpr Fact<std::string> streams{"streams"};
inline constexpr Fact<std::int64_t> requests{"requests"};  ///< in flight, that keep the device busy
inline constexpr Fact<std::string> pinning{"pinning"};
inline constexpr Fact<std::string> spinning{"spinning"};  ///< of threads that wait for work
inline constexpr Fact<std::string> amx{"amx"};
inline constexpr Fact<std::string> allocator{"allocator"};  ///< the library that malloc is from
inline constexpr Fact<std::string> service{"service"};
inline constexpr Fact<std::int64_t> max_batch{"max_batch"};
inline constexpr Fact<std::string> batching{"batching"};

// Of infer.
inline constexpr Fact<std::string> model_file{"model_file"};
inline constexpr Fact<std::string> model_hash{"model_hash"};  ///< of the contents of its files
inline constexpr Fact<std::string> batch{"batch"};
inline constexpr Fact<std::string> protocol{"protocol"};
inline constexpr Fact<std::string> platform{"platform"};
inline constexpr Fact<std::int64_t> usable_pictures{"usable_pictures"};
inline constexpr Fact<std::int64_t> distinct_pictures{"distinct_pictures"};
inline constexpr Fact<std::int64_t> loaders{"loaders"};
inline constexpr Fact<std::string> last_batch{"last_batch"};  ///< where it has fewer images than the others
inline constexpr Fact<std::int64_t> in_flight{"in_flight"};

// Of load; server of infer too.
inline constexpr Fact<std::string> server{"server"};
inline constexpr Fact<std::string> model{"model"};
inline constexpr Fact<std::string> what_was_sent{"requests"};
inline constexpr Fact<std::string> loop{"loop"};
inline constexpr Fact<std::string> in_flight_limit{in_flight.name};
inline constexpr Fact<std::int64_t> arrival_seed{"arrival_seed"};
inline constexpr Fact<std::int64_t> workers{"workers"};
inline constexpr Fact<std::string> ended{"ended"};
inline constexpr Fact<std::string> search{"search"};
inline constexpr Fact<std::string> raw_samples{"raw_samples"};

// Of train.
inline constexpr Fact<std::string> network{"network"};
inline constexpr Fact<std::string> data{"data"};  ///< the set's name, and the form of its files
inline constexpr Fact<std::int64_t> train_samples{"train_samples"};
inline constexpr Fact<std::int64_t> test_samples{"test_samples"};  ///< that an epoch was verified with
inline constexpr Fact<std::string> test_note{"test_note"};         ///< what they are, if not the set's own
inline constexpr Fact<std::int64_t> steps_per_epoch{"steps_per_epoch"};
inline constexpr Fact<std::int64_t> steps_measured{"steps_measured"};
inline constexpr Fact<std::int64_t> epochs_learnt{"epochs_learnt"};
inline constexpr Fact<std::int64_t> parameters{"parameters"};  ///< elements that training changes
inline constexpr Fact<std::string> loss{"loss"};
inline constexpr Fact<std::string> optimizer{"optimizer"};
inline constexpr Fact<std::string> learning_rate{"learning_rate"};
inline constexpr Fact<std::string> omp_wait_policy{"omp_wait_policy"};
inline constexpr Fact<std::int64_t> cores{"cores"};                 ///< that the run was bound to
inline constexpr Fact<std::string> training_time{"training_time"};  ///< measured, or from how many steps
inline constexpr Fact<std::int64_t> processes{"processes"};         ///< that learnt together
inline constexpr Fact<std::string> exchange{"exchange"};            ///< how their gradients travelled
inline constexpr Fact<std::string> checkpoint{"checkpoint"};        ///< the files that it was written to

// Of a command.
inline constexpr Fact<std::string> steps_told_by{"steps_told_by"};
inline constexpr Fact<std::string> epochs_told_by{"epochs_told_by"};

}  // namespace fact

inline void set(Facts& facts, Fact<std::string> fact, std::string value) {
  facts[std::string(fact.name)] = std::move(value);
}
inline void set(Facts& facts, Fact<std::int64_t> fact, std::int64_t value) {
  facts[std::string(fact.name)] = std::to_string(value);
}

/// Empty: it was not told.
inline std::optional<std::string> get(const Facts& facts, Fact<std::string> fact) {
  const auto found = facts.find(std::string(fact.name));
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}
/// Empty: it was not told, or is no number.
inline std::optional<std::int64_t> get(const Facts& facts, Fact<std::int64_t> fact) {
  const auto found = facts.find(std::string(fact.name));
  if (found == facts.end()) return std::nullopt;
  std::int64_t value = 0;
  const auto* end = found->second.data() + found->second.size();
  const auto read = std::from_chars(found->second.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace neph
