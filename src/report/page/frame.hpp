// What every page has around its content: head, contents, footer, and the files it carries.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/charts/chart.hpp"

namespace neph::report {

/// A page that grows from top to bottom; title, meta line and answer stand above all of it.
class Page {
 public:
  /// `title` is text; `meta_line` and `answer` are HTML, or nothing.
  Page(std::string_view title, std::string meta_line, std::string answer);

  /// A section with its panels. Nothing without panels.
  void add_chart(std::string_view id, std::string_view title, std::string_view reading,
                 const Drawing& drawing);
  /// `content` is HTML. Nothing without content.
  void add_section(std::string_view id, std::string_view heading, const std::string& content);

  std::string html() const;

 private:
  std::string title_, meta_line_, answer_, body_;
  std::vector<std::pair<std::string, std::string>> parts_;  ///< anchor and heading, for the contents
};

/// " · " between those that are not empty, as the line below a page's title.
std::string meta_html(const std::vector<std::string>& texts);

/// The first sentence large, tiles, then the others. `tiles` is HTML; `sentences` must not be empty.
std::string answer_html(const std::vector<std::string>& sentences, const std::string& tiles);

/// The same with a first sentence that is HTML.
std::string answer_html(const std::string& lead_html, const std::string& tiles,
                        const std::vector<std::string>& sentences);

/// A number of the answer with its name above and a few words below, for answer_html().
std::string tile(std::string_view name, const std::string& value, const std::string& more);

}  // namespace neph::report
