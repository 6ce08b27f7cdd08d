#include <cstdlib>

#include <unistd.h>

#include "launch/answer.hpp"
#include "launch/launch.hpp"

namespace neph::launch {
namespace {

using Words = std::vector<std::string>;

constexpr double longest_answer_s = 10;

class InContainer final : public Child {
 public:
  InContainer(Process docker, std::size_t max_line_bytes, std::string name)
      : Child(std::move(docker), max_line_bytes), name_(std::move(name)) {}

  Result<int> id() const override {
    NEPH_TRY(const auto answer,
             answer_of({"docker", "inspect", "--format", "{{.State.Pid}}", name_}, longest_answer_s));
    if (const int id = std::atoi(answer.c_str()); id > 0) return id;
    return fail(ErrorCode::unavailable, "container {} has no process: {}", name_, stderr_tail());
  }

 protected:
  void kill() override {
    static_cast<void>(answer_of({"docker", "kill", name_}, longest_answer_s));
    Child::kill();
  }

 private:
  std::string name_;
};

class Docker final : public Launcher {
 public:
  explicit Docker(Container container) : container_(std::move(container)) {}

  /// Apart from all that the image has.
  std::string path_there(const std::filesystem::path& path) const override {
    return "/neph" + std::filesystem::absolute(path).lexically_normal().string();
  }

  Result<std::unique_ptr<Child>> start(const Command& command) override {
    const auto name = fmt::format("neph-{}-{}", ::getpid(), ++started_);
    NEPH_TRY(auto process, Process::start(words(command, name)));
    return std::make_unique<InContainer>(std::move(process), command.max_line_bytes, name);
  }

 private:
  Words words(const Command& command, const std::string& name) const {
    const auto user = fmt::format("{}:{}", ::getuid(), ::getgid());  // whose files they are
    Words all{"docker", "run", "--rm",   "-i", "--network",  "host",
              "--name", name,  "--user", user, "--read-only"};
    const auto add = [&](const Words& more) { all.insert(all.end(), more.begin(), more.end()); };
    for (const auto& file : command.files)
      add({"--volume",
           fmt::format("{}:{}:ro", std::filesystem::absolute(file.path).string(), path_there(file.path))});
    if (container_.cpus > 0) add({"--cpus", fmt::format("{}", container_.cpus)});
    if (container_.memory_bytes > 0) add({"--memory", std::to_string(container_.memory_bytes)});
    add({container_.image});
    add(command.arguments);
    return all;
  }

  Container container_;
  int started_ = 0;
};

}  // namespace

std::unique_ptr<Launcher> in_docker(Container container) {
  return std::make_unique<Docker>(std::move(container));
}

}  // namespace neph::launch
