#include "launch/launch.hpp"
#include "os/plugin.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;

/// What the bundle's bin/neph starts.
constexpr const char* program = "lib/neph/neph";

}  // namespace

Result<fs::path> bundle_folder() {
  std::error_code absent;
  const auto around = program_folder().parent_path();
  if (fs::exists(around / program, absent)) return around;
  const auto made = around.parent_path() / "bundle";  // beside build/release
  if (!fs::exists(made / program, absent))
    return fail(ErrorCode::not_found,
                "another image needs this program's bundle, which is not in {}; ./dev bundle makes it",
                made.string());
  if (fs::last_write_time(made / program, absent) < fs::last_write_time(program_folder() / "neph", absent))
    return fail(ErrorCode::unavailable,
                "the bundle in {} is older than this program; ./dev bundle makes a new one", made.string());
  return made;
}

}  // namespace neph::launch
