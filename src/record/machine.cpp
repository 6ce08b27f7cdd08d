#include "record/machine.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"

namespace neph {
namespace {

/// The value at the end of the path; null where there is none.
Json at(const Json& object, std::initializer_list<const char*> path) {
  const Json* found = &object;
  for (const auto* key : path) {
    if (!found->is_object() || !found->contains(key)) return {};
    found = &(*found)[key];
  }
  return *found;
}

std::string text_at(const Json& object, std::initializer_list<const char*> path) {
  const auto found = at(object, path);
  return found.is_string() ? found.get<std::string>() : std::string();
}

/// Nothing has no memory and no cores: 0 is as unknown as null.
std::optional<double> positive_at(const Json& object, std::initializer_list<const char*> path) {
  const auto found = at(object, path);
  if (!found.is_number() || found.get<double>() <= 0) return std::nullopt;
  return found.get<double>();
}

std::optional<std::int64_t> memory_of(const Json& fingerprint) {
  auto bytes = positive_at(fingerprint, {"memory", "total_bytes"});
  const auto limit = positive_at(fingerprint, {"container", "memory_limit_bytes"});
  if (limit && (!bytes || *limit < *bytes)) bytes = limit;
  constexpr double beyond_any = 9e18;  // near where the integer ends
  return bytes && *bytes < beyond_any ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

void add_gpus(const Json& fingerprint, Machine& machine) {
  std::vector<std::string> models;
  const auto devices = at(fingerprint, {"gpu", "devices"});
  if (!devices.is_array()) return;
  for (const auto& device : devices) {
    ++machine.gpus;
    if (const auto model = text_at(device, {"name"}); !model.empty()) models.push_back(model);
  }
  std::ranges::sort(models);
  models.erase(std::unique(models.begin(), models.end()), models.end());
  machine.gpu = fmt::format("{}", fmt::join(models, ", "));
}

bool agree_where_known(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

/// The kernel's own share of the memory changes from start to start; whole GiB are what a machine has. The
/// limit of a container is as it was set.
double memory_in_words(const Machine& machine) {
  constexpr std::int64_t gib = std::int64_t{1} << 30, least = 4 * gib;
  const auto bytes = *machine.memory_bytes;
  const auto limit = positive_at(machine.fingerprint, {"container", "memory_limit_bytes"});
  const bool is_limit = limit && std::llround(*limit) == bytes;
  return static_cast<double>(bytes < least || is_limit ? bytes : (bytes - 1) / gib * gib + gib);
}

bool is_near(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a || !b) return a == b;
  const auto larger = static_cast<double>(std::max(*a, *b));
  return larger - static_cast<double>(std::min(*a, *b)) < larger / 64;
}

}  // namespace

Machine machine_of(Json fingerprint) {
  Machine machine{.provider = text_at(fingerprint, {"system", "provider"}),
                  .instance_type = text_at(fingerprint, {"system", "instance_type"}),
                  .processor = text_at(fingerprint, {"processor", "model"}),
                  .cores = positive_at(fingerprint, {"effective_cores"}),
                  .memory_bytes = memory_of(fingerprint)};
  add_gpus(fingerprint, machine);
  machine.fingerprint = std::move(fingerprint);
  return machine;
}

bool is_same(const Machine& a, const Machine& b) {
  return agree_where_known(a.provider, b.provider) && agree_where_known(a.instance_type, b.instance_type) &&
         a.processor == b.processor && a.cores == b.cores && is_near(a.memory_bytes, b.memory_bytes) &&
         a.gpu == b.gpu && a.gpus == b.gpus;
}

Json machine_columns(const Machine& machine) {
  Json columns = Json::object();
  describe(
      [&]<class Member>(std::string_view name, const Member& member, std::string_view) {
        if constexpr (!std::is_same_v<Member, Json>) columns[std::string(name)] = to_json(member);
        if constexpr (std::is_same_v<Member, std::string>)
          if (member.empty()) columns[std::string(name)] = "unknown";
      },
      machine);
  columns.erase("id");  // tells nothing of it
  if (machine.gpus == 0) columns["gpu"] = "none";
  return columns;
}

std::string hardware_text(const Machine& machine, std::int64_t gpus) {
  if (gpus > 0)
    return gpus == 1 || machine.gpu.empty() ? machine.gpu : fmt::format("{}x {}", gpus, machine.gpu);
  auto processor = machine.processor.substr(0, machine.processor.find(" @"));
  const bool has_number = std::ranges::any_of(processor, is_digit);
  const auto generation = processor_field(machine.fingerprint, machine_field::generation);
  if (!has_number && generation.is_string()) processor = generation.get<std::string>();
  if (processor.empty() || !machine.cores) return processor;
  const auto online = positive_at(machine.fingerprint, {"processor", "online"});
  const auto physical = positive_at(machine.fingerprint, {"processor", "cores"});
  const double threads_per_core = online && physical && *online > *physical ? *online / *physical : 1;
  const double cores = *machine.cores / threads_per_core;
  return fmt::format("{:g} core{} of {}", cores, cores == 1 ? "" : "s", processor);
}

std::string machine_text(const Machine& machine) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  add(machine.provider + (machine.provider.empty() || machine.instance_type.empty() ? "" : " ") +
      machine.instance_type);
  add(machine.processor);
  if (machine.cores) add(fmt::format("{} core{}", *machine.cores, *machine.cores == 1 ? "" : "s"));
  if (machine.memory_bytes) add(format_bytes(memory_in_words(machine)));
  if (machine.gpus > 0) add(counted(machine.gpus, "GPU") + (machine.gpu.empty() ? "" : " " + machine.gpu));
  return parts.empty() ? "a machine of which nothing is known" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace neph
