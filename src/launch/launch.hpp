// Launchers: this program started as a process of its own, here, in a container, or elsewhere; spoken to by
// lines of its standard input, heard by lines of its standard output and error, ended when it must end.
//
// What it does not do: know what the process does, or judge how it ended. Wherever a process runs, a child of
// this one stands for it ("docker run -i", "ssh host"), whose three streams are its own. That is all that a
// new place needs: a file here with a Launcher that says which child that is, and a line in launcher.cpp.
//
// Threads: a Child is used by one thread at a time; Linux ends it when the thread that started it ends
// (os/process.hpp). Cost: no thread; the caller sleeps in Child::wait() and wakes for each piece that is
// said.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "core/clock.hpp"
#include "core/lines.hpp"
#include "core/result.hpp"
#include "os/process.hpp"

namespace neph::launch {

/// A file or folder that a process reads.
struct File {
  std::string field;  ///< of the workload's description, which names it; empty: it lies beside one that has
  std::filesystem::path path;           ///< here
  std::vector<std::string> obviates{};  ///< fields that it was made from, and that mean nothing beside it
};
using Files = std::vector<File>;

/// What a launcher that copies files has to know of one, to see whether it is there already.
struct Artefact {
  std::int64_t bytes = 0;  ///< of all its files
  std::string sha256;      ///< 64 hexadecimal digits
};
/// Reads all of it, with sha256sum(1); links are followed. Of a folder it is the hash of what that prints for
/// the files, by names relative to the folder ("./a") and sorted by their bytes. Errors: those of reading,
/// also of a single file.
Result<Artefact> artefact(const std::filesystem::path& path);

/// What is started.
struct Command {
  std::vector<std::string> arguments;                 ///< of this program: "worker"
  Files files;                                        ///< what it reads there
  std::size_t max_line_bytes = std::size_t{1} << 30;  ///< of its output; a longer line comes in pieces
};

/// A process that was started.
class Child {
 public:
  Child(Process process, std::size_t max_line_bytes);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills what is still there.
  virtual ~Child() = default;

  /// Hear each line of its standard output and error, without the line feed; called in wait().
  std::function<void(std::string_view)> on_line, on_error_line;

  /// A line to its standard input, written while the caller waits; lost where it no longer reads.
  void say(std::string_view line);
  /// Asks it to end: says "stop" and closes its standard input. What is there `grace_s` later is killed.
  void stop(double grace_s);
  /// stop(), and waits until it has ended.
  void end(double grace_s);

  /// Returns when one of them was heard, has ended or was killed, when `other` is readable, or at `until`.
  static void wait(std::span<Child* const> children, std::optional<Moment> until = {}, int other = -1);

  /// All that it will say on standard output has been said.
  bool has_fallen_silent() const { return !process_.output.is_open(); }
  /// How it ended; empty: it has not. Then all that it said has been heard.
  const std::optional<Exit>& exit() const { return exit_; }
  /// "ended with exit code 3", "was killed by SIGKILL (out of memory? ...)", "did not end when asked to and
  /// was killed"; only after the end.
  std::string how_it_ended() const;
  /// The signal that ended it; 0: none.
  int ended_by() const { return exit_ ? signal_of(*exit_) : 0; }
  /// The last line of its standard error that means something; at most 300 bytes, fit for a message.
  const std::string& stderr_tail() const { return stderr_tail_; }
  /// The number that the process itself has on this machine. Errors: unavailable (it has ended, or has none
  /// here).
  virtual Result<int> id() const;

 protected:
  void kill() { process_.signal_group(SIGKILL); }
  /// Called once, before exit() tells the end: the time to end what the process was only a part of.
  virtual void has_ended(const Exit&) {}
  /// The signal that an exit tells of; 0: none.
  virtual int signal_of(const Exit& exit) const { return exit.signal; }

 private:
  void watch(std::vector<pollfd>& watched, std::optional<Moment>& until) const;
  void hear(const pollfd* watched);
  void end_with(const Exit& exit);
  void write();
  std::size_t read(Descriptor& pipe);
  void read_what_stands(Descriptor& pipe);
  void hear_error_line(std::string_view line);

  Process process_;
  std::string unsaid_;    ///< for its standard input
  std::size_t said_ = 0;  ///< bytes of that which are written
  bool is_asked_to_end_ = false;
  std::optional<Moment> kill_at_;
  bool is_killed_ = false;  ///< because it had not ended by then
  Lines lines_, error_lines_;
  std::string stderr_tail_;
  std::optional<Exit> exit_;
  std::vector<char> piece_;
};

/// A place where processes are started.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Launchers of one machine disturb each other. Empty: this one.
  virtual std::string machine() const { return {}; }
  /// Where a file of a command lies for the process.
  virtual std::string path_there(const std::filesystem::path& path) const { return path.string(); }
  /// Whether this program can be started there, found out once before many starts; brings what all of them
  /// need, which may take minutes. Errors: unavailable.
  virtual Status check() { return {}; }
  /// Brings the files there and starts it. Errors: not_found, unavailable; of the process itself only what is
  /// seen at once: a container that cannot start, or a host that is not there, is a child that ends.
  virtual Result<std::unique_ptr<Child>> start(const Command& command) = 0;
};

/// In this machine's own system. `program`: what is started, with arguments that come before the command's.
std::unique_ptr<Launcher> here(std::vector<std::string> program = {"/proc/self/exe"});

struct Container {
  std::string image;              ///< whose entry point is this program, where there is no bundle
  std::string build{};            ///< build_hash() that the image's program must have; empty: any
  double cpus = 0;                ///< that it may use; 0: all
  std::int64_t memory_bytes = 0;  ///< that it may use; 0: all
  std::filesystem::path bundle;   ///< this program for any image; empty: the image has it
  /// Files and folders that lie there where they lie here, to be read, and to be written too.
  std::vector<std::filesystem::path> readable, writable;
  std::filesystem::path folder;          ///< that it works in; empty: the image's
  std::vector<std::string> environment;  ///< NAME=VALUE, or NAME: as it is here
  bool may_write = false;                ///< into its own file system, which is gone with it
  bool gpus = false;                     ///< all of the machine, by nvidia-container-toolkit
  bool operator==(const Container&) const = default;
};
/// In a Docker container each, which reads the files where they are and ends with the process. It has the
/// machine's own network: what is measured is the container and not a proxy of its ports.
std::unique_ptr<Launcher> in_docker(Container container);

/// Tells this build of the program and its plugins from others; a bundle and an image have that of the build
/// that they were made of. Looked up once; empty: it cannot be told.
std::string build_hash();

/// The folder of this program's bundle: what runs in any image. It is around the program itself where that
/// runs out of one; of a development build it is what ./dev bundle made last. Errors: not_found, and
/// unavailable where that is of another build.
Result<std::filesystem::path> bundle_folder();

/// By its name: "here", "docker:IMAGE". Errors: invalid_argument.
Result<std::unique_ptr<Launcher>> launcher_at(std::string_view place);

}  // namespace neph::launch
