// The fields of a machine's fingerprint (host/fingerprint.hpp describes all) that others read from its JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/json.hpp"

namespace neph {

namespace machine_field {

inline constexpr std::string_view processor = "processor";
inline constexpr std::string_view model = "model";    ///< of the processor: its name
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

}  // namespace neph
