#include "script/release.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/ranges.h>

#include "core/json.hpp"
#include "core/names.hpp"
#include "core/toml.hpp"
#include "script/embedded.hpp"

namespace neph::script {

Result<Release> parse_release(std::string_view name, std::string_view text) {
  std::string head;
  for (auto rest = text; rest.starts_with("# ");) {
    const auto end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    head += rest.substr(2, end - 2);
    rest.remove_prefix(end);
  }
  const auto path = fmt::format("{}.sh", name);
  NEPH_TRY(const auto json, parse_toml(head, path));
  NEPH_TRY(auto release, from_json<Release>(json, path));
  if (release.title.empty() || release.date.empty())
    return fail(ErrorCode::invalid_argument, "{}: a release needs a title and a date", path);
  for (const auto* function : {"release_machine", "can_release"})
    if (text.find(fmt::format("\n{}() {{", function)) == std::string_view::npos)
      return fail(ErrorCode::invalid_argument, "{}: there is no function {} in it", path, function);
  release.name = name;
  release.text = text;
  return release;
}

const std::vector<Release>& built_in_releases() {
  static const auto releases = [] {
    std::vector<Release> all;
    for (const auto& [name, text] : embedded_releases()) {
      auto release = parse_release(name, text);
      if (!release) throw std::logic_error(release.error().text());  // a test reads them all
      all.push_back(std::move(*release));
    }
    return all;
  }();
  return releases;
}

Result<Release> find_release(std::string_view name) {
  const auto& releases = built_in_releases();
  const auto found = std::ranges::find_if(releases, [&](const Release& release) {
    return release.name == name || std::ranges::find(release.also, name) != release.also.end();
  });
  if (found != releases.end()) return *found;
  std::vector<std::string> names;
  for (const auto& release : releases) names.push_back(release.name);
  auto error = fail(ErrorCode::not_found, "how a machine of '{}' is released is not known", name).value();
  if (const auto nearest = nearest_name(name, names))
    error.add_hint(fmt::format("did you mean '{}'?", *nearest));
  error.add_hint(fmt::format("say it: --release-command 'COMMAND', or --release {}", fmt::join(names, ", ")));
  return tl::unexpected(std::move(error));
}

}  // namespace neph::script
