#include "core/lists.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace neph {

std::vector<std::string_view> split_at(std::string_view text, char mark) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(mark, begin), text.size());
    all.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return all;
}

}  // namespace neph
