// Names that people type: the nearest known one, for messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace neph {

/// The candidate with the smallest edit distance (insert, delete, change, swap of neighbours; case ignored),
/// if it is near enough to be what was meant: at most a third of the name's length, and at least one;
/// of up to three letters none may be changed.
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// "unknown key 'bacth' in spec", with the hint "did you mean 'batch'?" or, with nothing near, the known ones
/// (at most 20 of them). Its subject is the name.
[[nodiscard]] tl::unexpected<Error> unknown_name(ErrorCode code, std::string_view kind, std::string_view name,
                                                 const std::vector<std::string>& known,
                                                 std::string_view where = {});

}  // namespace neph
