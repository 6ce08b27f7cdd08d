#include "engine/tensorflow/library.hpp"

#include <cstdlib>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <fmt/ranges.h>

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

class Functions {
 public:
  explicit Functions(void* library) : library_(library) {}
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

/// The name of a function that the library lacks; empty: it has all.
std::string find_functions(void* library, Api& api) {
  Functions functions(library);
#define NEPH_FIND(name) functions.find(api.name, "TF_" #name)
  NEPH_FIND(Version);
  NEPH_FIND(NewStatus);
  NEPH_FIND(DeleteStatus);
  NEPH_FIND(GetCode);
  NEPH_FIND(Message);
  NEPH_FIND(NewGraph);
  NEPH_FIND(DeleteGraph);
  NEPH_FIND(NewImportGraphDefOptions);
  NEPH_FIND(DeleteImportGraphDefOptions);
  NEPH_FIND(GraphImportGraphDef);
  NEPH_FIND(GraphOperationByName);
  NEPH_FIND(OperationNumOutputs);
  NEPH_FIND(OperationOutputType);
  NEPH_FIND(GraphGetTensorNumDims);
  NEPH_FIND(GraphGetTensorShape);
  NEPH_FIND(NewSessionOptions);
  NEPH_FIND(DeleteSessionOptions);
  NEPH_FIND(SetConfig);
  NEPH_FIND(NewSession);
  NEPH_FIND(LoadSessionFromSavedModel);
  NEPH_FIND(CloseSession);
  NEPH_FIND(DeleteSession);
  NEPH_FIND(SessionRun);
  NEPH_FIND(NewTensor);
  NEPH_FIND(DeleteTensor);
  NEPH_FIND(NumDims);
  NEPH_FIND(Dim);
  NEPH_FIND(TensorByteSize);
  NEPH_FIND(TensorData);
#undef NEPH_FIND
  return functions.missing();
}

Result<Library> open_file(const fs::path& file) {
  void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
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
  for (const auto& environment : python_environments()) {
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
