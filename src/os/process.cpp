#include "os/process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace neph {
namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Never one of the three standard descriptors, even where the controller has closed its own.
Status open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(system_error("cannot make a pipe", errno));
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int higher = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(std::exchange(end, higher));
  }
  pipe.read = Descriptor(ends[0]);
  pipe.write = Descriptor(ends[1]);
  if (ends[0] < 0 || ends[1] < 0) return tl::unexpected(system_error("cannot make a pipe", errno));
  return {};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void stop_blocking(const Descriptor& descriptor) { ::fcntl(descriptor.get(), F_SETFL, O_NONBLOCK); }

/// Before the fork, because a search allocates, and for a clear error.
Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto end = folders.find(':');
    auto candidate = fmt::format("{}/{}", folders.substr(0, end), name);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.remove_prefix(end == std::string_view::npos ? folders.size() : end + 1);
  }
  return fail(ErrorCode::not_found, "cannot start {}: no such program in PATH", name);
}

/// Of a process that was killed before it did it: a temporary one has the process in its name.
void remove_folders_of(pid_t id) {
  std::error_code error, ignored;
  const auto temporary = std::filesystem::temp_directory_path(ignored);
  for (std::filesystem::directory_iterator each(temporary, error), end; !error && each != end;
       each.increment(error))
    if (each->path().filename().string().starts_with(fmt::format("neph-{}-", id)))
      std::filesystem::remove_all(each->path(), ignored);
}

/// "NAME=VALUE", as execve(2) wants them.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> all;
  const auto is_replaced = [&](std::string_view entry) {
    return std::any_of(added.begin(), added.end(),
                       [&](const auto& pair) { return entry.starts_with(pair.first + "="); });
  };
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!is_replaced(*entry)) all.emplace_back(*entry);
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

/// A list as the kernel takes it, into texts that outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// Between fork and exec, where only async-signal-safe functions may be called: another thread of the
/// controller may have held any lock at the moment of the fork.
class Child {
 public:
  struct Image {
    const char* program;
    char* const* arguments;
    char* const* environment;
    const char* folder;  ///< null: where the controller is
  };
  Child(const Image& image, const Pipe& input, const Pipe& output, const Pipe& errors, const Pipe& failure)
      : image_(image),
        standard_{input.read.get(), output.write.get(), errors.write.get()},
        failure_(failure.write.get()),
        controller_(::getpid()) {}

  [[noreturn]] void run() const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != controller_) ::_exit(127);  // it died before the line above
    for (int target = 0; target < 3; ++target) ::dup2(standard_[target], target);
    ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);  // what a library opened without the flag
    forget_signals();
    if (image_.folder == nullptr || ::chdir(image_.folder) == 0)
      ::execve(image_.program, image_.arguments, image_.environment);
    const int number = errno;
    [[maybe_unused]] const auto told = ::write(failure_, &number, sizeof number);
    ::_exit(127);
  }

 private:
  static void forget_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) != 0) continue;
      if (action.sa_handler == SIG_IGN && signal != SIGPIPE) continue;  // nohup
      action = {};
      action.sa_handler = SIG_DFL;
      ::sigaction(signal, &action, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  Image image_;
  int standard_[3];
  int failure_;
  pid_t controller_;
};

/// With all signals blocked: a Ctrl-C before the child has left the controller's group would run the
/// controller's handler in the child, and count twice.
pid_t fork_child(const Child& child) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t id = ::fork();
  if (id == 0) child.run();
  const int number = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return id;
}

}  // namespace

std::string name_of_signal(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool is_program(const std::filesystem::path& path) {
  std::error_code absent;
  return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, absent);
}

std::filesystem::path program_in_path(std::string_view name) {
  const char* const set = std::getenv("PATH");
  std::string_view folders = set != nullptr ? set : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    if (auto path = std::filesystem::path(folders.substr(0, end)) / name; is_program(path)) return path;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

std::string how_it_ended(const Exit& exit) {
  if (exit.signal == 0) return fmt::format("ended with exit code {}", exit.code);
  return fmt::format("was killed by {}{}", name_of_signal(exit.signal),
                     exit.signal == SIGKILL ? " (out of memory? `dmesg` tells)" : "");
}

Process::Process(pid_t id) : id_(id), ended_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))) {
  ::setpgid(id, id);  // as the child does: whoever comes first
}

Process::Process(Process&& other) noexcept
    : input(std::move(other.input)),
      output(std::move(other.output)),
      errors(std::move(other.errors)),
      id_(std::exchange(other.id_, -1)),
      ended_(std::move(other.ended_)) {}

Process::~Process() {
  if (id_ < 0) return;
  signal_group(SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  remove_folders_of(id_);
}

Result<Process> Process::start(const std::vector<std::string>& command, const Surroundings& surroundings) {
  if (command.empty()) return fail(ErrorCode::invalid_argument, "no command to start");
  NEPH_TRY(const std::string program, find_program(command.front()));
  const auto environment = environment_with(surroundings.environment);
  const auto arguments = pointers_to(command);
  const auto variables = pointers_to(environment);
  const auto& folder = surroundings.folder;

  Pipe input, output, errors, failure;
  for (Pipe* pipe : {&input, &output, &errors, &failure}) NEPH_CHECK(open_pipe(*pipe));
  const pid_t id = fork_child(Child({.program = program.c_str(),
                                     .arguments = arguments.data(),
                                     .environment = variables.data(),
                                     .folder = folder.empty() ? nullptr : folder.c_str()},
                                    input, output, errors, failure));
  if (id < 0)
    return fail(ErrorCode::unavailable, "cannot start {}: {}", program, system_error("fork", errno).message);
  Process process(id);
  failure.write.close();
  int number = 0;
  ssize_t got = 0;
  do got = ::read(failure.read.get(), &number, sizeof number);
  while (got < 0 && errno == EINTR);
  if (got == sizeof number)
    return tl::unexpected(system_error(
        fmt::format("cannot start {}{}", program, folder.empty() ? "" : " in " + folder), number));

  process.input = std::move(input.write);
  process.output = std::move(output.read);
  process.errors = std::move(errors.read);
  for (const auto* end : {&process.input, &process.output, &process.errors}) stop_blocking(*end);
  ::fcntl(process.output.get(), F_SETPIPE_SZ, 1 << 20);  // a result can be large; a smaller pipe works too
  return process;
}

void Process::signal_group(int signal) const {
  if (id_ > 0) ::kill(-id_, signal);
}

std::optional<Exit> Process::exit() {
  siginfo_t info{};
  if (id_ < 0 || ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0)
    return std::nullopt;
  signal_group(SIGKILL);  // while the dead leader still holds the group's number
  int status = 0;
  rusage used{};
  ::wait4(std::exchange(id_, -1), &status, 0, &used);
  Exit exit{.cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
            .peak_memory_bytes = std::int64_t{used.ru_maxrss} * 1024};
  if (WIFSIGNALED(status)) {
    exit.signal = WTERMSIG(status);
    remove_folders_of(info.si_pid);
  } else {
    exit.code = WEXITSTATUS(status);
  }
  return exit;
}

}  // namespace neph
