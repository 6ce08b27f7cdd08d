// Messages that differ in nothing but their figures, as one with ranges. A message is kept as text, by every
// store too, so its figures are found in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace neph {

/// "used 1.02 of 2 cores" and "used 1.5 of 2 cores" are "used 1.02 to 1.5 of 2 cores"; so are "1 to 2" and
/// "1.5 to 3" one range. Empty: the words differ, so it is another cause. Numbers inside words are words:
/// "gpu0", "#2", "0.1.0", "a/7.jpg"; so are names, "exit code 139", "row 7", and the "3" of "3 min 20 s",
/// which is half a figure.
std::optional<std::string> merged_message(std::string_view a, std::string_view b);

}  // namespace neph
