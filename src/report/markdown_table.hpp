// Tables of GitHub-flavoured Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neph::report {

/// `sides`: a letter for each column, l or r. Plain text.
std::string markdown_table(const std::vector<std::string>& headings, std::string_view sides,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace neph::report
