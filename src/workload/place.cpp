#include "workload/place.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace neph::workload {
namespace {

constexpr std::array handed_on{
    std::string_view("OMP_"),    std::string_view("GOMP_"),      std::string_view("KMP_"),
    std::string_view("MKL_"),    std::string_view("OPENBLAS_"),  std::string_view("CUDA_"),
    std::string_view("TORCH_"),  std::string_view("KERAS_"),     std::string_view("TF_NUM_"),
    std::string_view("TF_XLA_"), std::string_view("TF_ENABLE_"), std::string_view("TF_CPP_"),
    std::string_view("XLA_")};

/// Names alone: values are nobody's business on a command line. As the user set them: looked up once, before
/// an engine that is opened here adds its own.
const std::vector<std::string>& users_variables() {
  static const auto names = [] {
    std::vector<std::string> found;
    for (char** variable = ::environ; *variable != nullptr; ++variable) {
      const std::string_view name =
          std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
      if (std::ranges::any_of(handed_on, [&](auto prefix) { return name.starts_with(prefix); }))
        found.emplace_back(name);
    }
    return found;
  }();
  return names;
}

}  // namespace

Result<launch::Container> container_of_run(const std::string& image) {
  if (image.empty() || image.starts_with('-'))
    return fail(ErrorCode::invalid_argument, "--image '{}' is no name of an image, as python:3.12", image);
  launch::Container container{.image = image, .environment = users_variables(), .may_write = true};
  if (image == own_image) {
    container.build = launch::build_hash();
  } else {
    container.environment.emplace_back("USER=neph");  // its list of users lacks ours, whom PyTorch looks up
    static const auto bundle = launch::bundle_folder();  // asked for by each cell
    NEPH_TRY(container.bundle, bundle);
  }
  std::error_code ignored;
  container.folder = std::filesystem::current_path(ignored);
  return container;
}

}  // namespace neph::workload
