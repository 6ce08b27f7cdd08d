#include "price/offers/providers.hpp"

#include <algorithm>
#include <array>
#include <vector>

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

std::string lower(std::string_view text) {
  std::string all(text);
  for (auto& c : all) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return all;
}

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
  auto small = lower(name);
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
  const auto count = parts.size();
  if (count > 2 && is_version(parts[count - 3])) return provider_name(parts[count - 2]);
  const auto stem = parts.back().substr(0, parts.back().find('.'));
  for (const auto part : {stem, count > 1 ? parts[count - 2] : std::string_view()})
    if (auto name = provider_name(part); is_known_provider(name) && name != "own") return name;
  return {};
}

}  // namespace neph::price
