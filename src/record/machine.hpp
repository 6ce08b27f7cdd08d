// A machine that runs were made on: what makes it the same as another, and its whole fingerprint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace neph {

namespace machine_field {

inline constexpr std::string_view processor = "processor";
inline constexpr std::string_view model = "model";            ///< of the processor: its name
inline constexpr std::string_view generation = "generation";  ///< of the processor: "EPYC Milan"
inline constexpr std::string_view online = "online";  ///< of the processor: logical processors that are on
inline constexpr std::string_view effective_cores = "effective_cores";

}  // namespace machine_field

/// A field of the processor; null: the fingerprint does not have it.
inline Json processor_field(const Json& machine, std::string_view field) {
  const std::string processor(machine_field::processor), name(field);
  if (!machine.is_object() || !machine.contains(processor)) return nullptr;
  const auto& fields = machine[processor];
  return fields.is_object() && fields.contains(name) ? fields[name] : Json();
}

/// One row of the store's machines. What is not known is empty.
struct Machine {
  std::int64_t id = 0;          ///< given by the store
  std::string provider;         ///< "Amazon EC2", where the machine tells
  std::string instance_type;    ///< "m5.large", where the machine tells
  std::string processor;        ///< its model
  std::optional<double> cores;  ///< that a process can keep busy: the least of processors, affinity and quota
  std::optional<std::int64_t> memory_bytes;  ///< of the machine, or of its container where that has less
  std::string gpu;                           ///< model; "a, b" where they differ
  std::int64_t gpus = 0;
  Json fingerprint;  ///< as the first of its runs found it
};

template <class Visit, Describes<Machine> Self>
void describe(Visit&& v, Self& s) {
  v("id", s.id, "number in the store");
  v("provider", s.provider, "whose machine it is, where it tells");
  v("instance_type", s.instance_type, "what the provider calls its size");
  v("processor", s.processor, "model of the processor");
  v("cores", s.cores, "cores that a process can keep busy");
  v("memory_bytes", s.memory_bytes, "memory that a process can have");
  v("gpu", s.gpu, "model of the GPUs");
  v("gpus", s.gpus, "how many GPUs");
  v("fingerprint", s.fingerprint, "all that was found out about it");
}

/// From a host's fingerprint (host/fingerprint.hpp), of any version; what it lacks stays empty.
Machine machine_of(Json fingerprint);

/// Whether two fingerprints are of the same machine, or of two that are alike: all of the identity agrees.
/// A provider or a type that one of them does not know is no difference (older fingerprints lack both), nor
/// is memory that differs by less than 1/64: the kernel's own share changes from start to start.
bool is_same(const Machine& a, const Machine& b);

/// What tells it from others, by name, as columns of a table of runs. A text that is not known is "unknown",
/// a category of its own: a machine whose provider is unknown is not like any other's. No GPU: "none".
/// Numbers that are not known are null.
Json machine_columns(const Machine& machine);

/// What of it a run computed on, as data sheets call it (device/device.hpp): its GPUs, "2x Tesla T4", or
/// without any its physical cores, "2 cores of EPYC Milan".
std::string hardware_text(const Machine& machine, std::int64_t gpus);

/// "Amazon EC2 m5.large, Intel Xeon, 2 cores, 7.63 GiB, 1 GPU Tesla T4"
std::string machine_text(const Machine& machine);

}  // namespace neph
