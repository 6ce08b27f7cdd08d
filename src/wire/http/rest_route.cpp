#include "wire/http/rest_route.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace neph::wire {
namespace {

using To = Route::To;

/// A path with its method; NAME and VERSION stand for any segment.
struct Pattern {
  std::string_view method;
  std::string_view path;
  To to;
};

constexpr std::array patterns{
    Pattern{"POST", "v2/models/NAME/infer", To::infer},
    Pattern{"POST", "v2/models/NAME/versions/VERSION/infer", To::infer},
    Pattern{"GET", "v2", To::server_metadata},
    Pattern{"GET", "v2/health/live", To::server_live},
    Pattern{"GET", "v2/health/ready", To::server_ready},
    Pattern{"GET", "v2/models/stats", To::model_statistics},
    Pattern{"GET", "v2/models/NAME", To::model_metadata},
    Pattern{"GET", "v2/models/NAME/versions/VERSION", To::model_metadata},
    Pattern{"GET", "v2/models/NAME/ready", To::model_ready},
    Pattern{"GET", "v2/models/NAME/versions/VERSION/ready", To::model_ready},
    Pattern{"GET", "v2/models/NAME/config", To::model_config},
    Pattern{"GET", "v2/models/NAME/versions/VERSION/config", To::model_config},
    Pattern{"GET", "v2/models/NAME/stats", To::model_statistics},
    Pattern{"GET", "v2/models/NAME/versions/VERSION/stats", To::model_statistics},
    Pattern{"POST", "v2/repository/index", To::repository_index},
    Pattern{"POST", "v2/repository/models/NAME/load", To::repository_load},
    Pattern{"POST", "v2/repository/models/NAME/unload", To::repository_unload},
    Pattern{"GET", "v2/systemsharedmemory/status", To::shared_memory_status},
    Pattern{"GET", "v2/systemsharedmemory/region/NAME/status", To::shared_memory_status},
    Pattern{"POST", "v2/systemsharedmemory/region/NAME/register", To::shared_memory_register},
    Pattern{"POST", "v2/systemsharedmemory/unregister", To::shared_memory_unregister},
    Pattern{"POST", "v2/systemsharedmemory/region/NAME/unregister", To::shared_memory_unregister},
    Pattern{"GET", "metrics", To::metrics},
};

std::string_view next_segment(std::string_view& path) {
  const auto slash = path.find('/');
  const auto segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  return segment;
}

/// The segments that NAME and VERSION stand for.
struct Match {
  std::string_view name;
  std::string_view version;
};

std::optional<Match> match(std::string_view pattern, std::string_view path) {
  Match found;
  while (!pattern.empty() && !path.empty()) {
    const auto wanted = next_segment(pattern), given = next_segment(path);
    if (given.empty()) return std::nullopt;
    if (wanted == "NAME")
      found.name = given;
    else if (wanted == "VERSION")
      found.version = given;
    else if (wanted != given)
      return std::nullopt;
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return found;
}

Result<std::string> decoded(std::string_view segment) {
  if (segment.find('%') == std::string_view::npos) return std::string(segment);
  std::string text;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      text += segment[i];
      continue;
    }
    unsigned value = 0;
    const auto digits = segment.substr(i + 1, 2);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    if (digits.size() != 2 || end != digits.data() + 2)
      return fail(ErrorCode::invalid_argument, "'{}' is not a percent-encoded name", segment);
    text += static_cast<char>(value);
    i += 2;
  }
  return text;
}

std::string_view path_of(std::string_view target) {
  auto path = target.substr(0, target.find_first_of("?#"));
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

Result<Route> parse_route(std::string_view method, std::string_view target) {
  const auto path = path_of(target);
  for (const auto& pattern : patterns) {
    if (pattern.method != (method == "HEAD" ? "GET" : method)) continue;
    const auto found = match(pattern.path, path);
    if (!found) continue;
    Route route{.to = pattern.to};
    NEPH_TRY(route.name, decoded(found->name));
    NEPH_TRY(route.version, decoded(found->version));
    return route;
  }
  const auto allowed = allowed_methods(target);
  if (!allowed.empty()) return fail(ErrorCode::unsupported, "/{} answers {}, not {}", path, allowed, method);
  return fail(ErrorCode::not_found, "no such path: /{}", path);
}

std::string_view allowed_methods(std::string_view target) {
  for (const auto& pattern : patterns)
    if (match(pattern.path, path_of(target))) return pattern.method == "GET" ? "GET, HEAD" : pattern.method;
  return {};
}

bool is_health(Route::To to) { return to == To::server_live || to == To::server_ready; }

bool is_control(Route::To to) {
  return to == To::repository_load || to == To::repository_unload || to == To::shared_memory_register ||
         to == To::shared_memory_unregister;
}

std::string path_segment(std::string_view name) {
  constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string segment;
  for (const char c : name)
    if (unreserved.find(c) != std::string_view::npos)
      segment += c;
    else
      segment += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return segment;
}

}  // namespace neph::wire
