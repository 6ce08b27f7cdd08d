// Protocol buffers as text, the form of Triton's config.pbtxt. Only for files of this module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace google::protobuf {
class Message;
}

namespace neph::serve {

/// Fills `message`, and gives in words the fields that its type does not have, which are passed over. Errors:
/// invalid_argument, with the file (`what`), line and column. Refused also: more than 1 MiB, messages nested
/// more than 32 deep.
Result<std::vector<std::string>> parse_pbtxt(std::string_view text, std::string_view what,
                                             google::protobuf::Message& message);

}  // namespace neph::serve
