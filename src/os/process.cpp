#include "os/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
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

/// Between fork and exec, where only async-signal-safe functions may be called: another thread of the
/// controller may have held any lock at the moment of the fork.
class Child {
 public:
  Child(const char* program, char* const* arguments, const Pipe& input, const Pipe& output,
        const Pipe& errors, const Pipe& failure)
      : program_(program),
        arguments_(arguments),
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
    ::execv(program_, arguments_);
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

  const char* program_;
  char* const* arguments_;
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
}

Result<Process> Process::start(const std::vector<std::string>& command) {
  if (command.empty()) return fail(ErrorCode::invalid_argument, "no command to start");
  NEPH_TRY(const std::string program, find_program(command.front()));
  std::vector<char*> arguments;
  for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  Pipe input, output, errors, failure;
  for (Pipe* pipe : {&input, &output, &errors, &failure}) NEPH_CHECK(open_pipe(*pipe));
  const pid_t id = fork_child(Child(program.c_str(), arguments.data(), input, output, errors, failure));
  if (id < 0)
    return fail(ErrorCode::unavailable, "cannot start {}: {}", program, system_error("fork", errno).message);
  Process process(id);
  failure.write.close();
  int number = 0;
  ssize_t got = 0;
  do got = ::read(failure.read.get(), &number, sizeof number);
  while (got < 0 && errno == EINTR);
  if (got == sizeof number)
    return tl::unexpected(system_error(fmt::format("cannot start {}", program), number));

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
  ::waitpid(std::exchange(id_, -1), &status, 0);
  if (WIFSIGNALED(status)) return Exit{.signal = WTERMSIG(status)};
  return Exit{.code = WEXITSTATUS(status)};
}

}  // namespace neph
