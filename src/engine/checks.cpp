#include <unistd.h>

#include "core/units.hpp"
#include "engine/engine.hpp"

namespace neph::engine {
namespace {

Status check_count(const char* what, std::int64_t count) {
  if (count >= 0 && count <= 65'536) return {};
  return fail(ErrorCode::invalid_argument, "{} {}: it must be between 0 (the engine chooses) and 65536", what,
              count);
}

double machine_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Status check_counts(const Options& options) {
  NEPH_CHECK(check_count("threads", options.threads));
  return check_count("streams", options.streams);
}

Status check_memory(double needed, std::int64_t batch) {
  if (needed <= machine_bytes()) return {};
  return fail(ErrorCode::invalid_argument,
              "batch {} needs at least {} of memory, and this machine has {}; use a smaller batch", batch,
              format_bytes(needed), format_bytes(machine_bytes()));
}

Status check_binding(const char* kind, const std::vector<Port>& ports, std::size_t port, const void* data,
                     std::size_t bytes) {
  if (port >= ports.size())
    return fail(ErrorCode::invalid_argument, "there is no {} {}; the model has {}", kind, port, ports.size());
  if (data == nullptr || bytes != ports[port].bytes())
    return fail(ErrorCode::invalid_argument, "{} '{}' of shape {} takes {} bytes, not {}", kind,
                ports[port].name, shape_text(ports[port].shape), ports[port].bytes(),
                data == nullptr ? 0 : bytes);
  return {};
}

}  // namespace neph::engine
