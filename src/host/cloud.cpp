#include "host/cloud.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/json.hpp"

namespace neph::host {
namespace {

/// What firmware says of itself, and which provider's it is then. The signs are those by which cloud-init
/// (tools/ds-identify) knows where it is. sys_vendor alone is no sign of Google or Microsoft, who make
/// laptops.
struct Sign {
  const char* file;  ///< below sys/class/dmi/id
  std::string_view begin;
  const char* provider;
};
constexpr Sign signs[] = {
    {"sys_vendor", "Amazon EC2", "Amazon EC2"},
    {"bios_vendor", "Amazon EC2", "Amazon EC2"},
    {"product_name", "Google Compute Engine", "Google Compute Engine"},
    {"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "Microsoft Azure"},
    {"chassis_asset_tag", "OracleCloud.com", "Oracle Cloud"},
    {"chassis_asset_tag", "OpenTelekomCloud", "Open Telekom Cloud"},
    {"chassis_asset_tag", "HUAWEICLOUD", "Huawei Cloud"},
    {"sys_vendor", "Alibaba Cloud", "Alibaba Cloud"},
    {"sys_vendor", "DigitalOcean", "DigitalOcean"},
    {"sys_vendor", "Hetzner", "Hetzner"},
    {"sys_vendor", "Selectel", "Selectel"},
    {"sys_vendor", "Scaleway", "Scaleway"},
    {"sys_vendor", "Vultr", "Vultr"},
    {"sys_vendor", "UpCloud", "UpCloud"},
    // Whose cloud of this kind it is, such firmware does not tell.
    {"sys_vendor", "OpenStack Foundation", "OpenStack"},
    {"product_name", "OpenStack Nova", "OpenStack"},
    {"product_name", "OpenStack Compute", "OpenStack"},
    {"chassis_asset_tag", "OpenStack Nova", "OpenStack"},
};

std::optional<std::string> firmware_says(const Records& records, std::string_view name) {
  return records.text(fmt::format("sys/class/dmi/id/{}", name));
}

/// The first Xen machines of Amazon are Xen's by vendor, and Amazon's by their version: "4.2.amazon".
bool is_amazon_xen(const Records& records) {
  const auto version = firmware_says(records, "bios_version");
  return firmware_says(records, "sys_vendor") == "Xen" && version && version->ends_with(".amazon");
}

std::optional<std::string> provider_by_firmware(const Records& records) {
  for (const auto& sign : signs)
    if (const auto text = firmware_says(records, sign.file); text && text->starts_with(sign.begin))
      return sign.provider;
  if (is_amazon_xen(records)) return "Amazon EC2";
  return std::nullopt;
}

/// cloud-init's names of clouds. Others ("nocloud", "configdrive") are ways to start a machine, not places.
std::optional<std::string> provider_by_name(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"aws", "Amazon EC2"},      {"gce", "Google Compute Engine"}, {"azure", "Microsoft Azure"},
      {"openstack", "OpenStack"}, {"digitalocean", "DigitalOcean"}, {"hetzner", "Hetzner"},
      {"oracle", "Oracle Cloud"}, {"aliyun", "Alibaba Cloud"},      {"scaleway", "Scaleway"},
      {"vultr", "Vultr"},         {"upcloud", "UpCloud"},
  };
  for (const auto& [its_name, provider] : known)
    if (name == its_name) return provider;
  return std::nullopt;
}

using Path = std::vector<const char*>;  // keys, from the outside in

/// cloud-init hides what is private from users other than root: that is no text.
std::optional<std::string> text_at(const Json& object, const Path& path) {
  const Json* found = &object;
  for (const auto* key : path) {
    if (!found->is_object() || !found->contains(key)) return std::nullopt;
    found = &(*found)[key];
  }
  if (!found->is_string()) return std::nullopt;
  auto text = found->get<std::string>();
  if (text.empty() || text.starts_with("redacted")) return std::nullopt;
  return text;
}

/// Where the sources of cloud-init keep what the provider's server told them of the size.
std::optional<std::string> type_in(const Json& data) {
  for (const auto& path : {Path{"ds", "meta_data", "instance-type"},              // Amazon
                           Path{"ds", "meta_data", "imds", "compute", "vmSize"},  // Azure
                           Path{"ds", "meta_data", "shape"},                      // Oracle
                           Path{"ds", "meta_data", "instance", "instance-type"},  // Alibaba
                           Path{"ds", "ec2_metadata", "instance-type"}})          // OpenStack
    if (auto type = text_at(data, path)) return type;
  return std::nullopt;
}

/// null: there is none.
Json data_of_cloud_init(const Records& records) {
  const auto text = records.text("run/cloud-init/instance-data.json");
  if (!text) return {};
  auto data = parse_json(*text, "cloud-init");
  return data ? *std::move(data) : Json();
}

}  // namespace

Cloud read_cloud(const Records& records) {
  Cloud cloud{.provider = provider_by_firmware(records)};
  const auto data = data_of_cloud_init(records);
  if (!cloud.provider)
    for (const auto* key : {"cloud_name", "cloud-name"})
      if (const auto name = text_at(data, {"v1", key}); name && !cloud.provider)
        cloud.provider = provider_by_name(*name);
  if (!cloud.provider) return cloud;
  cloud.instance_type = type_in(data);
  // Amazon's product name is the type, but where Xen lies below: "HVM domU".
  if (!cloud.instance_type && firmware_says(records, "sys_vendor") == "Amazon EC2")
    cloud.instance_type = firmware_says(records, "product_name");
  return cloud;
}

}  // namespace neph::host
