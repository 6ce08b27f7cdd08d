#include <algorithm>
#include <map>

#include "core/json.hpp"
#include "core/units.hpp"
#include "price/offers/lint.hpp"

namespace neph::price {
namespace {

struct Group {
  const FlawKind* kind = nullptr;
  std::vector<const Finding*> findings;
};

/// Gravest first; within that, those of which there are most.
std::vector<Group> groups_of(const std::vector<Finding>& findings) {
  std::map<Flaw, Group> by_flaw;
  for (const auto& finding : findings) by_flaw[finding.flaw].findings.push_back(&finding);
  std::vector<Group> groups;
  for (auto& [flaw, group] : by_flaw) {
    group.kind = &kind_of(flaw);
    groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, [](const Group& one, const Group& other) {
    return std::pair(one.kind->gravity, -std::ssize(one.findings)) <
           std::pair(other.kind->gravity, -std::ssize(other.findings));
  });
  return groups;
}

std::string group_text(const Group& group, std::size_t shown) {
  auto text = fmt::format("\n{}: {}: {}{}\n  {}\n", enum_name(group.kind->gravity), group.kind->title,
                          format_grouped(std::ssize(group.findings)),
                          group.kind->leaves_out ? ", left out" : "", group.kind->advice);
  const auto count = std::min(shown, group.findings.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [flaw, line, what] = *group.findings[i];
    text += line == 0 ? fmt::format("  {}\n", what) : fmt::format("  line {}: {}\n", line, what);
  }
  if (count < group.findings.size())
    text += fmt::format("  ... and {} more; --lines N shows N of each, --json all\n",
                        format_grouped(static_cast<std::int64_t>(group.findings.size() - count)));
  return text;
}

}  // namespace

std::string lint_text(const Catalogue& catalogue, const std::vector<Finding>& findings, std::size_t shown) {
  auto text = fmt::format("{}: {}, {}, {}, {}\n", catalogue.source.file, enum_name(catalogue.format),
                          counted(catalogue.rows, "row"), counted(std::ssize(catalogue.offers), "offer"),
                          findings.empty() ? "nothing found" : counted(std::ssize(findings), "finding"));
  for (const auto& note : catalogue.notes) text += fmt::format("  {}\n", note);
  for (const auto& group : groups_of(findings)) text += group_text(group, shown);
  return text;
}

Json lint_json(const Catalogue& catalogue, const std::vector<Finding>& findings) {
  Json counts = Json::object(), list = Json::array();
  for (const auto& group : groups_of(findings)) counts[std::string(group.kind->code)] = group.findings.size();
  for (const auto& finding : findings) {
    const auto& kind = kind_of(finding.flaw);
    list.push_back({{"line", finding.line == 0 ? Json(nullptr) : Json(finding.line)},
                    {"finding", kind.code},
                    {"gravity", enum_name(kind.gravity)},
                    {"left_out", kind.leaves_out},
                    {"what", finding.what},
                    {"do", kind.advice}});
  }
  return {{"file", catalogue.source.file}, {"format", enum_name(catalogue.format)},
          {"rows", catalogue.rows},        {"offers", catalogue.offers.size()},
          {"notes", catalogue.notes},      {"counts", std::move(counts)},
          {"findings", std::move(list)}};
}

}  // namespace neph::price
