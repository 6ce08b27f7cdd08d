// Places that are a program of this machine's, and the names of all.
#include "launch/launch.hpp"

namespace neph::launch {
namespace {

class Here final : public Launcher {
 public:
  explicit Here(std::vector<std::string> program) : program_(std::move(program)) {}

  Result<std::unique_ptr<Child>> start(const Command& command) override {
    auto words = program_;
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    NEPH_TRY(auto process, Process::start(words));
    return std::make_unique<Child>(std::move(process), command.max_line_bytes);
  }

 private:
  std::vector<std::string> program_;
};

}  // namespace

std::unique_ptr<Launcher> here(std::vector<std::string> program) {
  return std::make_unique<Here>(std::move(program));
}

Result<std::unique_ptr<Launcher>> launcher_at(std::string_view place) {
  const auto colon = place.find(':');
  const auto kind = place.substr(0, colon);
  const auto rest = std::string(colon == place.npos ? "" : place.substr(colon + 1));
  if (place == "here") return here();
  if (kind == "docker" && !rest.empty()) return in_docker({.image = rest, .build = build_hash()});
  return fail(ErrorCode::invalid_argument, "'{}' is no place to run in: here, or docker:IMAGE", place);
}

}  // namespace neph::launch
