#include "os/clock_name.hpp"

#include <filesystem>

#include "os/file.hpp"

namespace neph {

std::string monotonic_clock_name() {
  const auto boot = read_file("/proc/sys/kernel/random/boot_id");
  if (!boot || boot->empty()) return {};
  std::error_code none;  // before Linux 5.6 there are no time namespaces
  const auto space = std::filesystem::read_symlink("/proc/self/ns/time", none);
  return boot->substr(0, boot->find('\n')) + " " + space.string();
}

}  // namespace neph
