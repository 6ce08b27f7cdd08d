#include "price/offers/providers.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/text.hpp"

namespace neph::price {
namespace {

constexpr std::array known{"aws",
                           "azure",
                           "cloudrift",
                           "crusoe",
                           "cudo",
                           "daytona",
                           "do",
                           "fluidstack",
                           "gcp",
                           "hetzner",
                           "hyperbolic",
                           "hyperstack",
                           "ibm",
                           "jarvislabs",
                           "kubernetes",
                           "lambda",
                           "latitude",
                           "lium",
                           "mithril",
                           "modal",
                           "nebius",
                           "novita",
                           "oci",
                           "openstack",
                           "ovhcloud",
                           "own",
                           "paperspace",
                           "ppio",
                           "primeintellect",
                           "quantacloud",
                           "runpod",
                           "sagemaker",
                           "scaleway",
                           "scp",
                           "seeweb",
                           "selectel",
                           "servercore",
                           "shadeform",
                           "slurm",
                           "spheron",
                           "tensordock",
                           "vast",
                           "verda",
                           "vk",
                           "vsphere",
                           "vultr",
                           "yandex",
                           "yotta"};

struct Alias {
  std::string_view name, of;
};
constexpr std::array aliases{Alias{"amazon", "aws"},        Alias{"datacrunch", "verda"},
                             Alias{"digitalocean", "do"},   Alias{"google", "gcp"},
                             Alias{"lambdalabs", "lambda"}, Alias{"microsoft", "azure"},
                             Alias{"oracle", "oci"},        Alias{"ovh", "ovhcloud"},
                             Alias{"vastai", "vast"},       Alias{"vkcloud", "vk"}};

constexpr std::array markets{"hyperbolic", "lium",       "primeintellect", "runpod", "shadeform",
                             "spheron",    "tensordock", "vast",           "own",    "slurm"};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.push_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

/// "v8", the folder of a version of SkyPilot's catalogues.
bool is_version(std::string_view part) {
  return part.size() > 1 && part.front() == 'v' &&
         std::ranges::all_of(part.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string provider_name(std::string_view name) {
  auto small = lowered(name);
  const auto found = std::ranges::find(aliases, small, &Alias::name);
  return found == aliases.end() ? small : std::string(found->of);
}

bool is_known_provider(std::string_view name) { return std::ranges::find(known, name) != known.end(); }

bool lets_any_count(std::string_view provider) {
  return std::ranges::find(markets, provider) != markets.end();
}

std::string provider_of_path(std::string_view path) {
  const auto parts = parts_of(path);
  if (parts.empty()) return {};
  const auto part = [&](std::size_t from_end) {
    return from_end < parts.size() ? parts[parts.size() - 1 - from_end] : std::string_view();
  };
  const auto known_in = [](std::string_view folder) {
    auto name = provider_name(folder);
    return is_known_provider(name) && name != "own" ? name : std::string();
  };
  for (const std::size_t folder : {1, 2})  // .../v8/aws/vms.csv; gpuhunt's .../v3/aws/20260818-42/catalog.csv
    if (is_version(part(folder + 1)))
      if (auto name = known_in(part(folder)); !name.empty()) return name;
  if (auto name = known_in(part(0).substr(0, part(0).find('.'))); !name.empty()) return name;
  if (is_version(part(2)) && part(0) == "vms.csv") return provider_name(part(1));  // a new one of SkyPilot's
  return known_in(part(1));
}

}  // namespace neph::price
