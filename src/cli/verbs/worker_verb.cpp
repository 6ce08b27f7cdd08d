#include "cli/command.hpp"
#include "cli/verbs.hpp"
#include "cli/worker.hpp"

namespace neph::cli {

void declare_worker(Command& command) { command.action(work); }

}  // namespace neph::cli
