#include "cli/output_file.hpp"

#include <filesystem>

namespace neph::cli {

namespace fs = std::filesystem;

Status check_output_file(std::string_view option, const std::string& path,
                         std::initializer_list<std::string> read) {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "{}: the name of a file is missing", option);
  std::error_code error;  // what cannot be looked at is no file that is read
  for (const auto& each : read)
    if (fs::is_regular_file(each, error) && fs::equivalent(path, each, error))
      return fail(ErrorCode::invalid_argument, "{} {}: that file is read and would be lost; name another",
                  option, path);
  if (fs::is_directory(path, error))
    return fail(ErrorCode::invalid_argument, "{} {}: it is a folder; name a file in it", option, path);
  const auto folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return fail(ErrorCode::not_found, "{} {}: there is no folder {}", option, path, folder.string());
  return {};
}

Status check_nothing_is_lost(std::string_view option, const std::string& path) {
  std::error_code error;  // what cannot be looked at cannot be written either, and that is told then
  if (!fs::is_regular_file(path, error)) return {};
  return fail(ErrorCode::invalid_argument,
              "{} {}: there is such a file; name another, or --force writes over it", option, path);
}

}  // namespace neph::cli
