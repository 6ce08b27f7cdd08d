#include "host/host.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/outline.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {

void declare_host(Command& command) {
  struct Options {
    bool json = false, peaks = false;
  };
  auto options = std::make_shared<Options>();
  command.flag("json", options->json, "as JSON on stdout");
  command.flag(
      "peaks", options->peaks,
      "also measure what it can do at most: arithmetic in f32 and bytes to and from memory; a second");
  command.action([options]() -> Status {
    auto machine = to_json(host::take_fingerprint());
    if (options->peaks) machine["peaks"] = to_json(host::measure_roof(host::usable_cores()));
    fmt::print("{}", options->json ? dump_json(machine, true) + "\n" : outline(machine));
    return {};
  });
}

}  // namespace neph::cli
