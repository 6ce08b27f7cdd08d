#include "price/offers/machine_names.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

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

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// The text behind its first run of letters and the run of digits behind that.
std::string_view behind_series(std::string_view name) {
  name.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(name, is_letter) - name.begin()));
  name.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(name, is_digit) - name.begin()));
  return name;
}

/// The letters that `text` begins with.
std::string_view letters_of(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
}

bool begins_with_one_of(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto beginning) { return text.starts_with(beginning); });
}

// Providers' rules of names, in small letters; docs/method/prices.md has their sources.

/// c7gn: behind the generation g is Graviton; A1 was the first of them.
bool is_arm_of_aws(std::string_view name) {
  return name.starts_with("a1.") || letters_of(behind_series(name)).find('g') != std::string_view::npos;
}

/// t2a, c4a, n4a: behind the generation a is Arm, as d is AMD; A4X has NVIDIA's Grace.
bool is_arm_of_gcp(std::string_view name) {
  return behind_series(name).starts_with("a-") || name.starts_with("a4x-");
}

/// standard_e8-4pds_v5: behind the count of vCPUs, and of those that are used, p is an ARM.
bool is_arm_of_azure(std::string_view name) {
  const auto prefix = name.find('_');
  if (prefix == std::string_view::npos) return false;
  auto rest = behind_series(name.substr(prefix + 1));
  if (rest.starts_with('-')) rest = behind_series(rest.substr(1));
  return letters_of(rest).find('p') != std::string_view::npos;
}

/// Those that have one.
bool is_named_arm(std::string_view provider, std::string_view name) {
  if (provider == "aws" || provider == "sagemaker")
    return is_arm_of_aws(name.starts_with("ml.") ? name.substr(3) : name);
  if (provider == "gcp") return is_arm_of_gcp(name);
  if (provider == "azure") return is_arm_of_azure(name);
  if (provider == "hetzner") return name.starts_with("cax");
  if (provider == "scaleway") return name.starts_with("coparm1-");
  if (provider == "oci")
    return begins_with_one_of(name, {"vm.standard.a1.", "vm.standard.a2.", "bm.standard.a1."});
  return false;
}

bool has_grace(std::string_view name) {
  return std::ranges::any_of(std::array{"gh200", "gb200", "gb300"}, [&](std::string_view chip) {
    return name.find(chip) != std::string_view::npos;
  });
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

std::string arch_of_machine(std::string_view provider, std::string_view instance, std::string_view gpu) {
  const auto name = lowered(instance);
  return is_named_arm(provider, name) || has_grace(name) || has_grace(lowered(gpu)) ? "arm64" : "";
}

std::string arch_name(std::string_view spelled) {
  auto name = lowered(spelled);
  if (name == "aarch64") return "arm64";
  if (name == "amd64" || name == "x86-64" || name == "x86" || name == "x64") return "x86_64";
  return name;
}

}  // namespace neph::price
