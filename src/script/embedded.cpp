#include "script/embedded.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

// One file after the other, each behind a line "#### FILE"; the locks are files by themselves.
extern const char neph_script_parts[], neph_script_parts_end[];
extern const char neph_script_releases[], neph_script_releases_end[];
extern const char neph_script_lock[], neph_script_lock_end[];
extern const char neph_script_torch_lock[], neph_script_torch_lock_end[];

namespace neph::script {
namespace {

using FilesOfText = std::map<std::string, std::string, std::less<>>;

FilesOfText files_of(std::string_view text) {
  constexpr std::string_view border = "#### ";
  FilesOfText files;
  while (text.starts_with(border)) {
    const auto line = text.find('\n');
    const auto name = text.substr(border.size(), line - border.size());
    const auto end = std::min(text.find(fmt::format("\n{}", border)), text.size() - 1) + 1;
    files[std::string(name.substr(0, name.rfind('.')))] = text.substr(line + 1, end - line - 1);
    text.remove_prefix(end);
  }
  return files;
}

template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string_view part(std::string_view name) {
  static const auto parts = files_of({neph_script_parts, neph_script_parts_end});
  const auto found = parts.find(name);
  if (found == parts.end()) throw std::logic_error(fmt::format("there is no part {}.sh", name));
  return found->second;
}

const FilesOfText& embedded_releases() {
  static const auto releases = files_of({neph_script_releases, neph_script_releases_end});
  return releases;
}

std::string filled(std::string_view text, const Filling& filling) {
  constexpr std::string_view mark = "#: ";
  std::string out;
  each_line(text, [&](std::string_view line) {
    if (!line.starts_with(mark)) {
      out.append(line).append("\n");
      return;
    }
    const auto found = std::ranges::find(filling, line.substr(mark.size()), &Filling::value_type::first);
    if (found == filling.end()) throw std::logic_error(fmt::format("nothing stands for '{}'", line));
    out += found->second;
  });
  return out;
}

std::vector<std::string> packages_of_engine(std::string_view engine) {
  std::vector<std::string> packages;
  const auto take = [&](std::string_view lock, std::string_view wanted) {
    each_line(lock, [&](std::string_view line) {
      if (!line.starts_with('#') && line.starts_with(wanted)) packages.emplace_back(line);
    });
  };
  if (engine == "openvino") take({neph_script_lock, neph_script_lock_end}, "openvino==");
  if (engine == "torch") take({neph_script_torch_lock, neph_script_torch_lock_end}, "");
  return packages;
}

}  // namespace neph::script
