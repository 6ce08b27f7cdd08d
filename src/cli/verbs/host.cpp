#include "host/host.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/outline.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {

void declare_host(Command& command) {
  auto json = std::make_shared<bool>(false);
  command.flag("json", *json, "as JSON on stdout");
  command.action([json]() -> Status {
    const auto fingerprint = to_json(host::take_fingerprint());
    fmt::print("{}", *json ? dump_json(fingerprint, true) + "\n" : outline(fingerprint));
    return {};
  });
}

}  // namespace neph::cli
