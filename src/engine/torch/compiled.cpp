#include "engine/torch/compiled.hpp"

#include <cstring>

#include <dlfcn.h>

#include "os/plugin.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// The name of a function that the library lacks; empty: it has all.
std::string find_functions(void* library, PackageFunctions& functions) {
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) missing = name;
    std::memcpy(&function, &found, sizeof found);
  };
#define NEPH_PACKAGE_FIND(Returns, name, parameters) find(functions.name, "AOTInductorModelContainer" #name);
  NEPH_PACKAGE_FUNCTIONS(NEPH_PACKAGE_FIND)
#undef NEPH_PACKAGE_FIND
  return missing;
}

tl::unexpected<Error> not_opened(const Library& torch, const Package& package, const std::string& reason) {
  const auto& made_by = package.description.torch;
  return fail(ErrorCode::unsupported,
              "its library, compiled by torch {}, cannot be opened beside torch {}: {}; export it again with "
              "this torch",
              made_by.empty() ? "of another version" : made_by, torch.version, reason);
}

}  // namespace

Result<std::shared_ptr<CompiledLibrary>> CompiledLibrary::open(const Library& torch, const Package& package) {
  void* const handle = dlopen(package.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return not_opened(torch, package, loader_reason());
  std::shared_ptr<CompiledLibrary> opened(new CompiledLibrary(handle));
  if (const auto missing = find_functions(handle, opened->functions_); !missing.empty())
    return not_opened(torch, package, "it has no function " + missing);
  return opened;
}

CompiledLibrary::~CompiledLibrary() { dlclose(handle_); }

Result<std::unique_ptr<Runner>> Runner::make(std::shared_ptr<CompiledLibrary> library, const Package& package,
                                             const Place& place, std::int64_t count) {
  std::unique_ptr<Runner> made(new Runner(std::move(library)));
  const auto& functions = made->library_->functions();
  const auto device = is_cuda(place.device.name) ? fmt::format("cuda:{}", place.index) : std::string("cpu");
  const Messages messages;
  NEPH_CHECK(messages.check(functions.CreateWithDevice(&made->container_, static_cast<std::size_t>(count),
                                                       device.c_str(), package.folder.path().c_str()),
                            "cannot compile for " + place.device.name));
  std::size_t inputs = 0, outputs = 0;
  functions.GetNumInputs(made->container_, &inputs);
  functions.GetNumOutputs(made->container_, &outputs);
  const auto& described = package.description;
  if (inputs != described.inputs.size() || outputs != described.outputs.size())
    return fail(ErrorCode::corrupt,
                "its library has {} inputs and {} outputs, and the package describes {} and {}", inputs,
                outputs, described.inputs.size(), described.outputs.size());
  return made;
}

Runner::~Runner() {
  if (container_ != nullptr) library_->functions().Delete(container_);
}

Status Runner::run(Tensors& inputs, Tensors& outputs) const {
  const Messages messages;
  const auto code = library_->functions().Run(container_, inputs.data(), inputs.size(), outputs.data(),
                                              outputs.size(), nullptr, nullptr);
  inputs.release();
  return messages.check(code, "the package fails");
}

}  // namespace neph::engine::torch_plugin
