#include "report/page/frame.hpp"

#include <fmt/format.h>

#include "report/charts/vega.hpp"
#include "report/page/assets.hpp"
#include "report/page/notes.hpp"
#include "report/page/sections.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

/// JSON that may stand inside <script>: no "<" is left that could begin a tag or a comment.
std::string script_json(const Json& json) {
  std::string out;
  for (const char c : dump_json(json)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string panel_html(const Panel& panel) {
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n<div class=\"chart\"></div>\n<p class=\"described\">{}</p>\n"
      "<script type=\"application/json\">{}</script>\n</figure>\n",
      escape_html(panel.caption), escape_html(panel.description),
      script_json(without_empty_intervals(panel.spec)));
}

std::string choice_html(std::string_view id, const Drawing& drawing) {
  if (drawing.choices.size() < 2) return {};
  auto out = fmt::format("<p class=\"choice\"><label for=\"{0}-cell\">{1}</label> <select id=\"{0}-cell\">",
                         id, drawing.chosen);
  for (const auto& [index, label] : drawing.choices)
    out += fmt::format("<option value=\"{}\">{}</option>", index, escape_html(label));
  return out + "</select></p>\n";
}

constexpr std::string_view head_html = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
)";

std::string footer_html() {
  std::string out =
      "<footer>\n<p>Made by Nephoscope (neph). This file is complete: it loads nothing from anywhere.</p>\n"
      "<details><summary>Licences of the charts’ library</summary><pre>";
  out.append(charts_licence());
  return out + "</pre></details>\n</footer>\n";
}

}  // namespace

Page::Page(std::string_view title, std::string meta_line, std::string answer)
    : title_(escape_html(title)), meta_line_(std::move(meta_line)), answer_(std::move(answer)) {}

void Page::add_chart(std::string_view id, std::string_view title, std::string_view reading,
                     const Drawing& drawing) {
  if (drawing.panels.empty()) return;
  auto content = fmt::format("<p>{}{}{}</p>\n", escape_html(reading), drawing.reading.empty() ? "" : " ",
                             escape_html(drawing.reading)) +
                 choice_html(id, drawing);
  content += drawing.panels.size() > 1 ? "<div class=\"panels\">\n" : "<div>\n";
  for (const auto& panel : drawing.panels) content += panel_html(panel);
  content += "</div>\n";
  if (!drawing.note.empty()) content += fmt::format("<p class=\"note\">{}</p>\n", escape_html(drawing.note));
  add_section(id, title, content);
}

void Page::add_section(std::string_view id, std::string_view heading, const std::string& content) {
  if (content.empty()) return;
  body_ += section(id, heading, content);
  parts_.emplace_back(id, heading);
}

std::string Page::html() const {
  std::string contents;
  for (const auto& [id, heading] : parts_)
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escape_html(heading));
  std::string page(head_html);
  page += "<title>" + title_ + "</title>\n<style>\n";
  page.append(page_style());
  page += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n{}</header>\n<main>\n{}", title_,
                      meta_line_, answer_);
  page +=
      "<noscript><p class=\"note\">The charts need JavaScript; every figure also stands in the "
      "tables.</p></noscript>\n";
  page += "<nav aria-label=\"Contents\"><ul>\n" + contents + "</ul></nav>\n" + body_ + "</main>\n";
  page += footer_html() + "<script>\n";
  page.append(charts_library());
  page += "</script>\n<script>\n";
  page.append(page_script());
  return page + "</script>\n</body>\n</html>\n";
}

std::string meta_html(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts)
    if (!text.empty()) out += (out.empty() ? "" : " · ") + escape_html(text);
  return out.empty() ? "" : "<p class=\"meta\">" + out + "</p>\n";
}

std::string answer_html(const std::vector<std::string>& sentences, const std::string& tiles) {
  return answer_html(prose_html(sentences[0]), tiles, {sentences.begin() + 1, sentences.end()});
}

std::string answer_html(const std::string& lead_html, const std::string& tiles,
                        const std::vector<std::string>& sentences) {
  std::string out = "<section id=\"answer\" aria-label=\"The answer\">\n";
  out += fmt::format("<p class=\"lead\">{}</p>\n", lead_html);
  if (!tiles.empty()) out += "<dl class=\"tiles\">\n" + tiles + "</dl>\n";
  for (const auto& each : sentences) out += fmt::format("<p>{}</p>\n", prose_html(each));
  return out + "</section>\n";
}

std::string tile(std::string_view name, const std::string& value, const std::string& more) {
  return fmt::format("<div><dt>{}</dt><dd><b>{}</b> {}</dd></div>\n", name, value, more);
}

}  // namespace neph::report
