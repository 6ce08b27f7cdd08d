#include "launch/answer.hpp"
#include "launch/launch.hpp"
#include "os/plugin.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;

/// What the bundle's bin/neph starts.
constexpr const char* program = "lib/neph/neph";
/// The hashes of the parts that it was made of, as tools/staging.py writes them.
constexpr const char* parts = "lib/neph/parts.sha256";

constexpr const char* hash_of_parts = R"(cd "$1" && sha256sum <"$2")";
/// The same list of a build: what a bundle or an image has of it, but for libraries that are the system's.
constexpr const char* hash_of_build =
    R"(cd "$1" && sha256sum bin/neph bin/neph-wire-grpc.so bin/engines/neph-engine-*.so | LC_ALL=C sort -k 2 | sha256sum)";
constexpr double longest_s = 60;

Result<std::string> hash_by(const char* script, const fs::path& folder) {
  NEPH_TRY(const auto line,
           answer_of({"sh", "-c", script, "sh", folder.string(), parts}, longest_s, Complaints::believed));
  return line.substr(0, line.find(' '));
}

fs::path around_program() { return program_folder().parent_path(); }

bool is_there(const fs::path& path) {
  std::error_code absent;
  return fs::exists(path, absent);
}

}  // namespace

std::string build_hash() {
  static const auto hash = [] {
    const auto around = around_program();
    return hash_by(is_there(around / parts) ? hash_of_parts : hash_of_build, around);
  }();
  return hash.value_or(std::string{});
}

Result<fs::path> bundle_folder() {
  if (auto own = own_bundle(); !own.empty()) return own;
  const auto made = around_program().parent_path() / "bundle";  // beside build/release
  if (!is_there(made / program))
    return fail(ErrorCode::not_found,
                "another image needs this program's bundle, which is not in {}; ./dev bundle makes it",
                made.string());
  if (const auto its = hash_by(hash_of_parts, made); !its || *its != build_hash())
    return fail(ErrorCode::unavailable,
                "the bundle in {} is of another build than this program with its engines; ./dev bundle makes "
                "a new one",
                made.string());
  return made;
}

}  // namespace neph::launch
