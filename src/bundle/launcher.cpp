// bin/neph of the bundle, and of a wheel: starts lib/neph/neph with the bundle's libraries, on any Linux for
// this processor.
//
// It has no C library, because it chooses one: this machine's own where that is as new as the one the program
// was built with, else the bundle's (docs/adr/0017-bundle-brings-its-loader.md). It puts the dynamic loader
// into its own memory and jumps into it, as if the kernel had started `ld.so --library-path LIBRARIES
// lib/neph/neph ARGUMENTS`. So the process stays bin/neph: /proc/self/exe leads here, and with it whatever
// the program starts of itself; `ps` shows what was typed. The libraries' places are an argument and no
// environment: no child inherits them.
#include <elf.h>
#include <features.h>
#include <linux/limits.h>

#include "bundle/kernel.hpp"
#include "bundle/loader.hpp"

namespace neph::bundle {
namespace {

/// Texts one behind the other, in memory that stays.
class Text {
 public:
  const char* begin() const { return text_ + begin_; }
  Text& add(const char* more) { return add(more, length(more)); }
  Text& add(const char* more, std::size_t count) {
    if (end_ + count + 1 > sizeof text_) give_up("a path or LD_LIBRARY_PATH is too long", "");
    for (std::size_t i = 0; i < count; ++i) text_[end_++] = more[i];
    return *this;
  }
  const char* finish() {
    text_[end_++] = '\0';
    const char* const whole = begin();
    begin_ = end_;
    return whole;
  }

 private:
  char text_[1 << 17]{};  // the kernel takes no argument longer than that
  std::size_t begin_ = 0, end_ = 0;
};
Text text;

/// What the kernel laid on the stack.
struct Start {
  std::uint64_t* arguments;
  std::uint64_t count;
  std::uint64_t* environment;
  std::uint64_t variables = 0;
  Elf64_auxv_t* facts;
  std::uint64_t facts_count = 0;  ///< with the last, AT_NULL

  explicit Start(std::uint64_t* stack)
      : arguments(stack + 1), count(*stack), environment(arguments + count + 1) {
    while (environment[variables] != 0) ++variables;
    facts = reinterpret_cast<Elf64_auxv_t*>(environment + variables + 1);
    while (facts[facts_count++].a_type != AT_NULL) {
    }
  }

  std::uint64_t fact(std::uint64_t type) const {
    for (std::uint64_t i = 0; i < facts_count; ++i)
      if (facts[i].a_type == type) return facts[i].a_un.a_val;
    return 0;
  }

  const char* variable(const char* name) const {
    for (std::uint64_t i = 0; i < variables; ++i) {
      const char* at = at_address<const char>(environment[i]);
      const char* letter = name;
      while (*letter != '\0' && *at == *letter) ++at, ++letter;
      if (*letter == '\0' && *at == '=') return at + 1;
    }
    return nullptr;
  }
};

/// FOLDER of FOLDER/bin/neph, through symbolic links: "lib/neph" is beside "bin" there.
const char* bundle_folder() {
  static char path[PATH_MAX];
  const auto size = ask_kernel(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                               reinterpret_cast<long>(path), PATH_MAX - 1);
  if (is_error(size)) give_up("cannot read /proc/self/exe; is /proc mounted?", "");
  auto end = size;
  for (int slashes = 0; slashes < 2 && end > 0;)
    if (path[--end] == '/') ++slashes;
  path[end] = '\0';
  for (const char* letter = path; *letter != '\0'; ++letter)
    if (*letter == ':' || *letter == ';')
      give_up("the loader takes ':' and ';' for an end of a path; move the bundle to a folder without: ",
              path);
  return path;
}

/// pip lays this launcher beside an environment's other programs, and the bundle into its libexec
/// (tools/wheel): the one there is started in our place, so that the process is of the bundle's own folder.
void start_of_pip(const char* folder, const Start& start) {
  const char* const program = text.add(folder).add("/lib/neph/neph").finish();
  if (exists(program)) return;
  const char* const there = text.add(folder).add("/libexec/nephoscope/bin/neph").finish();
  ask_kernel(SYS_execve, reinterpret_cast<long>(there), reinterpret_cast<long>(start.arguments),
             reinterpret_cast<long>(start.environment));
  give_up("this copy is incomplete, unpack or install it again: there is no ", program);
}

/// The program's libraries, then the C library if the bundle's is taken, then where the user says. The last
/// not where the program has rights that its user has not.
const char* library_path(const char* folder, bool carried, const Start& start) {
  text.add(folder).add("/lib/neph/lib");
  if (carried) text.add(":").add(folder).add("/lib/neph/glibc");
  const char* const more = start.variable("LD_LIBRARY_PATH");
  if (more != nullptr && *more != '\0' && start.fact(AT_SECURE) == 0) text.add(":").add(more);
  return text.finish();
}

std::uint64_t word(const char* address) { return reinterpret_cast<std::uint64_t>(address); }

/// The kernel's own facts, as it tells them to a loader that is started by itself.
Elf64_auxv_t told(Elf64_auxv_t fact, const Loader& loader) {
  if (fact.a_type == AT_PHDR) fact.a_un.a_val = loader.headers;
  if (fact.a_type == AT_PHNUM) fact.a_un.a_val = loader.count;
  if (fact.a_type == AT_ENTRY) fact.a_un.a_val = loader.entry;
  return fact;
}

/// What stands on the stack of `ld.so --library-path LIBRARIES PROGRAM ARGUMENTS`.
struct Arranged {
  const Start& start;
  const Loader& loader;
  const char* before[6];

  std::uint64_t own() const { return start.count > 0 ? start.count - 1 : 0; }
  std::uint64_t words() const { return 1 + 6 + own() + 1 + start.variables + 1 + 2 * start.facts_count; }
  void write(std::uint64_t* at) const {
    *at++ = 6 + own();
    for (const char* argument : before) *at++ = word(argument);
    for (std::uint64_t i = 0; i < own(); ++i) *at++ = start.arguments[1 + i];
    *at++ = 0;
    for (std::uint64_t i = 0; i < start.variables; ++i) *at++ = start.environment[i];
    *at++ = 0;
    auto* facts = reinterpret_cast<Elf64_auxv_t*>(at);
    for (std::uint64_t i = 0; i < start.facts_count; ++i) *facts++ = told(start.facts[i], loader);
  }
};

[[noreturn]] void launch(std::uint64_t* stack) {
  const Start start(stack);
  const char* const folder = bundle_folder();
  start_of_pip(folder, start);
  const bool carried = glibc_minor_of(hosts_loader) < __GLIBC_MINOR__;
  const char* const path = carried ? text.add(folder).add(own_loader).finish() : hosts_loader;
  const char* const libraries = library_path(folder, carried, start);
  const char* const program = text.add(folder).add("/lib/neph/neph").finish();
  const char* const name = start.count > 0 ? at_address<const char>(start.arguments[0]) : "neph";
  const auto loader = load(path, start.fact(AT_PAGESZ));
  const Arranged arranged{start, loader, {path, "--library-path", libraries, "--argv0", name, program}};
  auto* const fresh = static_cast<std::uint64_t*>(__builtin_alloca_with_align(arranged.words() * 8, 128));
  arranged.write(fresh);
  jump(loader.entry, fresh);
}

}  // namespace
}  // namespace neph::bundle

extern "C" [[noreturn]] __attribute__((used)) void neph_launch(std::uint64_t* stack) {
  neph::bundle::launch(stack);
}

NEPH_START;
