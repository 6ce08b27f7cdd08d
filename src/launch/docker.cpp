#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include <unistd.h>

#include "launch/answer.hpp"
#include "launch/launch.hpp"

namespace neph::launch {
namespace {

using Words = std::vector<std::string>;

constexpr double longest_answer_s = 10;
constexpr double longest_pull_s = 3600;
constexpr auto longest_making = std::chrono::milliseconds(500);  // of a container, once it was asked for

/// Where the bundle lies in a container: no image has anything there.
constexpr const char* bundle_there = "/neph-bundle";

/// What tools/image tells of the build that an image was made of.
constexpr const char* build_label = R"({{index .Config.Labels "neph.build"}})";

/// What Docker's own exit code of a container adds to the signal that ended it.
constexpr int signal_base = 128;

/// The client, "docker run", stands for the container; but Docker ends the one by itself and not the other.
class InContainer final : public Child {
 public:
  InContainer(Process docker, std::size_t max_line_bytes, std::string name)
      : Child(std::move(docker), max_line_bytes), name_(std::move(name)) {}
  ~InContainer() override {
    if (exit()) return;
    kill();
    remove();
  }
  InContainer(const InContainer&) = delete;
  InContainer& operator=(const InContainer&) = delete;

  Result<int> id() const override {
    NEPH_TRY(const auto answer,
             answer_of({"docker", "inspect", "--format", "{{.State.Pid}}", name_}, longest_answer_s));
    if (const int id = std::atoi(answer.c_str()); id > 0) return id;
    return fail(ErrorCode::unavailable, "container {} has no process: {}", name_, stderr_tail());
  }

 protected:
  /// A client that was killed, by whomever, leaves its container behind. Others are not heard meanwhile; but
  /// what still runs in it would disturb the next run.
  void has_ended(const Exit& client) override {
    if (client.signal != 0) remove();
  }

  int signal_of(const Exit& exit) const override {
    if (exit.signal != 0 || exit.code <= signal_base || exit.code - signal_base > SIGRTMAX)
      return exit.signal;
    return exit.code - signal_base;
  }

 private:
  /// After the client is dead. A container that is not there may be one that Docker is still making for it:
  /// so once more, a moment later.
  void remove() const {
    const Words words{"docker", "rm", "--force", name_};
    if (answer_of(words, longest_answer_s)) return;
    std::this_thread::sleep_for(longest_making);
    static_cast<void>(answer_of(words, longest_answer_s));
  }

  std::string name_;
};

/// That no container of another process of this number has, here or in a container beside this one.
std::string new_name() {
  std::random_device random;
  return fmt::format("neph-{}-{:08x}{:08x}", ::getpid(), random(), random());
}

std::filesystem::path whole_path(const std::filesystem::path& path) {
  std::error_code error;
  auto whole = std::filesystem::absolute(path, error);
  return error ? path : whole;
}

/// Where a path lies there that lies there as here: spelt in one way.
std::filesystem::path same_path(const std::filesystem::path& path) {
  auto spelt = whole_path(path).lexically_normal();
  return spelt.has_filename() || spelt == spelt.root_path() ? spelt : spelt.parent_path();
}

/// A field of a line of CSV, as --mount reads it: a comma in a file's name ends nothing.
std::string csv(std::string_view field) {
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

class Docker final : public Launcher {
 public:
  explicit Docker(Container container) : container_(std::move(container)) {}

  /// Apart from all that the image has.
  std::string path_there(const std::filesystem::path& path) const override {
    return "/neph" + whole_path(path).lexically_normal().string();
  }

  /// Pulls the image where it is not here yet; no run does.
  Status check() override {
    const auto name = new_name();
    Words words{"docker", "run", "--rm", "--no-healthcheck", "--name", name};
    add_program(words);
    words.insert(words.end(), {container_.image, "--version"});
    auto said = answer_of(words, longest_pull_s);
    if (!said) {
      static_cast<void>(answer_of({"docker", "rm", "--force", name}, longest_answer_s));
      return fail_in(fmt::format("cannot run in {}", container_.image), std::move(said).error());
    }
    is_here_ = true;
    return check_build();
  }

  Result<std::unique_ptr<Child>> start(const Command& command) override {
    const auto name = new_name();
    NEPH_TRY(auto process, Process::start(words(command, name)));
    return std::make_unique<InContainer>(std::move(process), command.max_line_bytes, name);
  }

 private:
  /// Another build is another program: what it measures, and what it says, need not be what this one does.
  Status check_build() const {
    if (container_.build.empty()) return {};
    const auto has = answer_of({"docker", "image", "inspect", "--format", build_label, container_.image},
                               longest_answer_s);
    if (has && *has == container_.build) return {};
    return fail(ErrorCode::unavailable,
                "cannot run in {}: it has another build of neph than this one; ./dev image makes neph:latest "
                "anew",
                container_.image);
  }

  enum class Access { read, write };
  static Words mount(const std::filesystem::path& here, const std::filesystem::path& there, Access access) {
    return {"--mount",
            fmt::format("type=bind,{},{}{}", csv("source=" + whole_path(here).string()),
                        csv("target=" + there.string()), access == Access::read ? ",readonly" : "")};
  }

  /// Whose entry point it is: the bundle's, or the image's own.
  void add_program(Words& words) const {
    if (container_.bundle.empty()) return;
    const auto bundle = mount(container_.bundle, bundle_there, Access::read);
    words.insert(words.end(), bundle.begin(), bundle.end());
    words.insert(words.end(), {"--entrypoint", fmt::format("{}/bin/neph", bundle_there)});
  }

  /// The image's health check would run inside what is measured, and nobody reads a log.
  Words words(const Command& command, const std::string& name) const {
    const auto user = fmt::format("{}:{}", ::getuid(), ::getgid());  // whose files they are
    Words all{"docker",       "run",    "--rm",      "-i",   "--no-healthcheck",
              "--log-driver", "none",   "--network", "host", "--name",
              name,           "--user", user};
    const auto add = [&](const Words& more) { all.insert(all.end(), more.begin(), more.end()); };
    if (!container_.may_write) add({"--read-only"});
    if (is_here_) add({"--pull", "never"});
    add_program(all);
    std::set<std::filesystem::path> there;  // Docker refuses one that is mounted twice
    for (const auto& file : command.files)
      if (there.insert(path_there(file.path)).second)
        add(mount(file.path, path_there(file.path), Access::read));
    for (const auto& path : container_.writable)
      if (there.insert(same_path(path)).second) add(mount(path, same_path(path), Access::write));
    for (const auto& path : container_.readable)
      if (there.insert(same_path(path)).second) add(mount(path, same_path(path), Access::read));
    if (!container_.folder.empty()) add({"--workdir", whole_path(container_.folder).string()});
    for (const auto& variable : container_.environment) add({"--env", variable});
    if (container_.gpus) add({"--gpus", "all"});
    if (container_.cpus > 0) add({"--cpus", fmt::format("{}", container_.cpus)});
    if (container_.memory_bytes > 0) add({"--memory", std::to_string(container_.memory_bytes)});
    add({container_.image});
    add(command.arguments);
    return all;
  }

  Container container_;
  bool is_here_ = false;  ///< the image
};

}  // namespace

std::unique_ptr<Launcher> in_docker(Container container) {
  return std::make_unique<Docker>(std::move(container));
}

}  // namespace neph::launch
