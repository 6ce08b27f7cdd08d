#include "price/offers/machine_names.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace neph::price {
namespace {

/// "p3.8xlarge": a family, a point and a size.
bool is_of_aws(std::string_view instance) {
  const auto point = instance.find('.');
  if (point == std::string_view::npos || point < 2) return false;
  const auto size = instance.substr(point + 1);
  constexpr std::array sizes{"nano", "micro", "small", "medium", "large", "metal"};
  return std::ranges::any_of(
      sizes, [&](std::string_view each) { return size.find(each) != std::string_view::npos; });
}

/// "n1-standard-8": a family of letters and digits, a dash, and a kind.
bool is_of_gcp(std::string_view instance) {
  constexpr std::array kinds{"-standard-", "-highmem-", "-highcpu-", "-highgpu-", "-ultragpu-",
                             "-megagpu-",  "-edgegpu-", "-micro",    "-small"};
  const auto dash = instance.find('-');
  if (dash == std::string_view::npos || dash < 2 || dash > 3 || !is_digit(instance[1])) return false;
  return std::ranges::any_of(kinds,
                             [&](std::string_view kind) { return instance.substr(dash).starts_with(kind); });
}

/// "gpu_8x_v100", "cpu_4x_general"
bool is_of_lambda(std::string_view instance) {
  return (instance.starts_with("gpu_") || instance.starts_with("cpu_")) && instance.size() > 5 &&
         is_digit(instance[4]);
}

}  // namespace

std::string provider_of_machine(std::string_view instance) {
  if (instance.starts_with("Standard_") || instance.starts_with("Basic_")) return "azure";
  if (is_of_lambda(instance)) return "lambda";
  if (is_of_gcp(instance)) return "gcp";
  return is_of_aws(instance) ? "aws" : "";
}

bool is_named_for_gpus(std::string_view provider, std::string_view instance) {
  if (provider == "aws")
    return instance.size() > 2 &&
           ((std::string_view("pg").find(instance[0]) != std::string_view::npos && is_digit(instance[1])) ||
            instance.starts_with("gr6"));
  if (provider == "azure")
    return instance.starts_with("Standard_N") && instance.size() > 11 &&
           std::string_view("CDVG").find(instance[10]) != std::string_view::npos;
  if (provider == "gcp") return false;
  return instance.starts_with("gpu_") || instance.starts_with("gpu-");
}

}  // namespace neph::price
