#include "engine/tensorflow/library.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/runtimes.hpp"
#include "os/plugin.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libtensorflow_cc.so.2";  // of tensorflow and tensorflow-cpu of PyPI

/// What the user set stays.
void set_environment() {
  ::setenv("TF_CPP_MIN_LOG_LEVEL", "2", 0);           // errors only
  ::setenv("TF_OVERRIDE_GLOBAL_THREADPOOL", "1", 0);  // threads per session, not those of the first session
}

/// The name of a function that the library lacks; empty: it has all.
std::string find_functions(void* library, Api& api) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) missing = name;
    std::memcpy(&function, &found, sizeof found);
  };
#define NEPH_TF_FIND(Returns, name, parameters) find(api.name, "TF_" #name);
  NEPH_TF_FUNCTIONS(NEPH_TF_FIND)
#undef NEPH_TF_FIND
  return missing;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int binding = 0;  // sanitizers refuse RTLD_DEEPBIND
#else
/// TensorFlow's own protobuf must win over the one of another version that the program is linked with.
constexpr int binding = RTLD_DEEPBIND;
#endif

/// The library in which the program finds the function; empty: none.
std::string library_of(const char* function) {
  Dl_info info{};
  void* const found = dlsym(RTLD_DEFAULT, function);
  return found != nullptr && dladdr(found, &info) != 0 ? info.dli_fname : "";
}

/// Whether TensorFlow can be opened in this process.
Status check_process(const fs::path& file) {
  if (binding == 0 && !library_of("_ZN6google8protobuf8internal13VerifyVersionEiiPKc").empty())
    return fail(ErrorCode::unsupported, "a build with sanitizers cannot open {} beside its own protobuf",
                file.string());
  const auto allocator = library_of("malloc");
  if (binding == 0 || allocator == library_of("gnu_get_libc_version")) return {};
  return fail(ErrorCode::unsupported, "{} cannot be opened beside the allocator {}; run without LD_PRELOAD",
              file.string(), allocator);  // it would free with glibc what the other has allocated
}

/// While it lives, standard error goes to a file; then what is more than a note of absl's log follows.
class QuietStart {
 public:
  QuietStart() : kept_(::fcntl(2, F_DUPFD_CLOEXEC, 3)), file_(::memfd_create("stderr", MFD_CLOEXEC)) {
    if (kept_ >= 0 && file_ >= 0) ::dup2(file_, 2);
  }
  ~QuietStart() {
    if (kept_ >= 0 && file_ >= 0) ::dup2(kept_, 2);
    ::lseek(file_, 0, SEEK_SET);
    std::string text(1 << 16, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(file_, text.data(), text.size()), 0)));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("I0000 ") && !line.starts_with("WARNING: All log messages before absl"))
        std::fprintf(stderr, "%s\n", line.c_str());
    ::close(file_);
    ::close(kept_);
  }
  QuietStart(const QuietStart&) = delete;
  QuietStart& operator=(const QuietStart&) = delete;

 private:
  int kept_, file_;
};

void* open_quietly(const fs::path& file) {
  const QuietStart quiet;
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | binding);
}

Result<Library> open_file(const fs::path& file) {
  NEPH_CHECK(check_process(file));
  void* const opened = open_quietly(file);
  if (opened == nullptr)
    return fail(ErrorCode::unsupported, "{} cannot be opened: {}", file.string(), loader_reason());
  Library library{.file = file, .version = ""};
  if (const auto missing = find_functions(opened, library.api); !missing.empty())
    return fail(ErrorCode::unsupported, "{} lacks {}: TensorFlow 2.21 is known to work", file.string(),
                missing);
  library.version = library.api.Version();
  return library;
}

/// In packages of pip; the folder that holds the library may also be given by itself.
std::vector<fs::path> libraries_in(const fs::path& environment) {
  std::vector<fs::path> candidates, found;
  for (const auto& packages : package_folders(environment)) candidates.push_back(packages / "tensorflow");
  candidates.push_back(environment);
  std::error_code absent;
  for (const auto& folder : candidates)
    if (fs::exists(folder / file_name, absent)) found.push_back(fs::absolute(folder / file_name, absent));
  return found;
}

}  // namespace

Result<Library> open_library() {
  set_environment();
  std::vector<std::string> reasons;
  const auto asked = asked_environment();
  for (const auto& environment : environments_with_python()) {
    for (const auto& file : libraries_in(environment)) {
      auto library = open_file(file);
      if (library) return library;
      reasons.push_back(library.error().message);
    }
    if (environment == asked && !reasons.empty()) break;  // another must not take its place
  }
  if (reasons.empty()) return fail(ErrorCode::not_found, "there is no package tensorflow-cpu or tensorflow");
  return fail(ErrorCode::unsupported, "{}", fmt::join(reasons, "; "));
}

}  // namespace neph::engine::tensorflow_plugin
