// Addresses from where files come and to where they go. Only for files of this module; others include
// script/script.hpp.
#pragma once

#include <string>
#include <string_view>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::script {

/// By what it is reached: parts/transfer-KIND.sh.
enum class Kind { https, rclone, scp, path };
constexpr auto enum_names(Kind) {
  return std::array{Named{Kind::https, "https"}, Named{Kind::rclone, "rclone"}, Named{Kind::scp, "scp"},
                    Named{Kind::path, "path"}};
}

struct Place {
  Kind kind = Kind::path;
  std::string at;    ///< as the program that reaches it takes it; a path may be relative: beside the script
  std::string port;  ///< of scp
};

/// `option` is its name in messages. Errors: invalid_argument (empty, an unknown scheme, no bucket or host or
/// path, a control character).
Result<Place> parse_place(std::string_view option, std::string_view address);

bool has_control_character(std::string_view text);

/// The last part of its path: what a file from there is called.
std::string file_name_of(const Place& place);

}  // namespace neph::script
