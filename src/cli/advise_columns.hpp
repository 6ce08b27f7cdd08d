// What the columns of a table of times mean, by their names.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "table/table.hpp"

namespace neph::cli {

enum class Role { cores, gpus, gpu, device, memory, place, instance, provider, arch, predicted, refused };

using Places = std::map<Role, std::size_t>;

struct Columns {
  Places roles;
  std::size_t time = 0;
  std::optional<std::size_t> low, high, n;
  std::vector<std::size_t> naming;
  std::vector<std::size_t> results;  ///< that are no times to choose by
  std::vector<std::size_t> runs;     ///< that tell runs apart, by their headings
  std::vector<std::size_t> used;     ///< that the user has named
  bool is_predicted = false;         ///< the times are a model's
};

/// `time` and `used` as of times_in(). Errors: as there.
Result<Columns> columns_of(const table::Table& table, const std::string& time,
                           const std::vector<std::string>& used);

}  // namespace neph::cli
