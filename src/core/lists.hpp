// Lists that people type: "a, b,c".
#pragma once

#include <string_view>
#include <vector>

namespace neph {

/// What stands between the marks, trimmed; of "a,,b" and ',' three, of an empty text one. Views of the text.
std::vector<std::string_view> split_at(std::string_view text, char mark);

}  // namespace neph
