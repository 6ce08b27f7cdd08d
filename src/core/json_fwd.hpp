// The name Json, for declarations that only refer to it: a header that needs no more spares its readers
// json.hpp.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace neph {

using Json = nlohmann::ordered_json;

}  // namespace neph
