#include "core/names.hpp"
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;
constexpr std::int64_t kLargestSide = 65'536;

std::vector<Recipe> all_recipes() {
  std::vector<Recipe> all;
  for (const auto& family : {resnets, small_cnns, early_cnns, mobilenets, inceptions, inception_resnets,
                             profet_cnns, profet_resnets})
    for (auto& recipe : family()) all.push_back(std::move(recipe));
  return all;
}

/// `asked`, or `usual` where nothing (0) was asked for.
Result<std::int64_t> choose(std::string_view what, std::int64_t asked, std::int64_t usual,
                            std::int64_t most) {
  if (asked < 0 || asked > most)
    return fail(ErrorCode::invalid_argument, "{} {} is not between 1 and {}", what, asked, most);
  return asked == 0 ? usual : asked;
}

}  // namespace

std::vector<KnownNetwork> known_networks() {
  std::vector<KnownNetwork> known;
  for (const auto& recipe : all_recipes())
    known.push_back({recipe.name, recipe.title, recipe.classes, recipe.side});
  return known;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const auto& recipe : all_recipes()) names.push_back(recipe.name);
  return names;
}

Result<Network> build(std::string_view name, const BuildOptions& options) {
  for (const auto& recipe : all_recipes()) {
    if (recipe.name != name) continue;
    NEPH_TRY(const auto classes, choose("classes", options.classes, recipe.classes, kMostClasses));
    NEPH_TRY(const auto side, choose("side", options.side, recipe.side, kLargestSide));
    Graph graph(recipe.name);
    const Value logits = recipe.layers(graph, graph.input(recipe.channels, side), classes);
    return std::move(graph).finish(logits);
  }
  return unknown_name(ErrorCode::not_found, "network", name, known_names());
}

}  // namespace neph::net
