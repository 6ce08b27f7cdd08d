#include "workload/place.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace neph::workload {
namespace {

constexpr std::array handed_on{
    std::string_view("OMP_"),   std::string_view("GOMP_"),     std::string_view("KMP_"),
    std::string_view("MKL_"),   std::string_view("OPENBLAS_"), std::string_view("CUDA_"),
    std::string_view("TORCH_"), std::string_view("KERAS_"),    std::string_view("TF_")};

}  // namespace

Result<launch::Container> container_of_run(const std::string& image) {
  launch::Container container{.image = image, .may_write = true};
  if (image != own_image) {
    NEPH_TRY(container.bundle, launch::bundle_folder());
  }
  std::error_code ignored;
  container.folder = std::filesystem::current_path(ignored);
  for (char** variable = ::environ; *variable != nullptr; ++variable)
    if (std::ranges::any_of(handed_on,
                            [&](auto prefix) { return std::string_view(*variable).starts_with(prefix); }))
      container.environment.emplace_back(*variable);
  return container;
}

}  // namespace neph::workload
