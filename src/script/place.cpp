#include "script/place.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "core/names.hpp"

namespace neph::script {
namespace {

/// Schemes that rclone reaches without a configuration: who asks is the machine's role, or variables.
struct Store {
  std::string_view scheme, remote;
};
constexpr std::array stores{Store{"s3", ":s3,provider=AWS,env_auth=true:"},
                            Store{"gs", ":gcs,env_auth=true,bucket_policy_only=true:"}};

constexpr std::string_view examples =
    "s3://BUCKET/PATH, gs://BUCKET/PATH, rclone://REMOTE/PATH, scp://HOST/PATH, https://HOST/PATH or /FOLDER";

class Reading {
 public:
  Reading(std::string_view option, std::string_view address) : option_(option), address_(address) {}

  Result<Place> place() const {
    if (address_.empty()) return wrong("is missing");
    if (has_control_character(address_)) return wrong("has a control character in it");
    const auto colon = address_.find("://");
    if (colon == std::string_view::npos) return path();
    const auto scheme = address_.substr(0, colon);
    const auto rest = address_.substr(colon + 3);
    if (scheme == "file") return Place{Kind::path, std::string(rest), {}};
    const auto host = rest.substr(0, rest.find_first_of("/?"));
    if (host.empty() || host.starts_with('-')) return wrong("has no host or bucket");
    if (scheme == "https" || scheme == "http") return Place{Kind::https, std::string(address_), {}};
    if (scheme == "scp") return scp(host, rest.substr(host.size()));
    if (scheme == "rclone")
      return Place{
          Kind::rclone, fmt::format("{}:{}", host, rest.substr(std::min(host.size() + 1, rest.size()))), {}};
    const auto store = std::ranges::find(stores, scheme, &Store::scheme);
    if (store == stores.end()) return unknown_scheme(scheme);
    return Place{Kind::rclone, fmt::format("{}{}", store->remote, rest), {}};
  }

 private:
  tl::unexpected<Error> wrong(std::string_view reason) const {
    return tl::unexpected(Error{.code = ErrorCode::invalid_argument,
                                .message = fmt::format("{} '{}' {}", option_, address_, reason),
                                .hint = fmt::format("give it as {}", examples)});
  }

  tl::unexpected<Error> unknown_scheme(std::string_view scheme) const {
    return wrong(fmt::format("begins with {}://, which is not known", scheme));
  }

  Result<Place> path() const {
    const auto colon = address_.find(':');
    if (colon != std::string_view::npos && colon < address_.find('/'))
      return wrong("could be a host's or a remote's");
    return Place{Kind::path, std::string(address_), {}};
  }

  /// As curl has it, scp://HOST/PATH is from the root; /~/PATH is of the home.
  Result<Place> scp(std::string_view host, std::string_view path) const {
    if (path.size() < 2) return wrong("has no path");
    if (address_.find_first_of(R"("$&'();<>\`|)") != std::string_view::npos)  // before OpenSSH 9
      return wrong("has a character that a shell at the other end may read");
    if (path.starts_with("/~/")) path.remove_prefix(3);
    std::string port = "22";
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos) {
      port = host.substr(colon + 1);
      host = host.substr(0, colon);
      if (port.empty() || port.find_first_not_of("0123456789") != std::string::npos)
        return wrong(fmt::format("has no port '{}'", port));
    }
    if (host.empty() || host.starts_with('-')) return wrong("has no host");
    return Place{Kind::scp, fmt::format("{}:{}", host, path), std::move(port)};
  }

  std::string_view option_, address_;
};

}  // namespace

Result<Place> parse_place(std::string_view option, std::string_view address) {
  return Reading(option, address).place();
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::string file_name_of(const Place& place) {
  auto path = std::string_view(place.at);
  if (place.kind == Kind::https) path = path.substr(0, path.find('?'));
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.find_last_of("/:") + 1));
}

}  // namespace neph::script
