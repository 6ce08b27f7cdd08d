#include "core/names.hpp"
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kMostClasses = 1'000'000;
constexpr std::int64_t kLargestSide = 65'536;
constexpr std::int64_t kMostLayers = 1000;
constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::int64_t kWidest = 65'536;

std::vector<Recipe> all_recipes() {
  std::vector<Recipe> all;
  for (const auto& family : {resnets, small_cnns, early_cnns, mobilenets, inceptions, inception_resnets,
                             speech_networks, profet_cnns, profet_resnets})
    for (auto& recipe : family()) all.push_back(std::move(recipe));
  return all;
}

/// `asked`, or `usual` where nothing (0) was asked for; a usual one of 0 says that there is none to choose.
Result<std::int64_t> choose(const Recipe& recipe, std::string_view what, std::int64_t asked,
                            std::int64_t usual, std::int64_t most) {
  if (asked != 0 && usual == 0)
    return fail(ErrorCode::invalid_argument, "{} gives no choice of {}; leave it out", recipe.name, what);
  if (asked < 0 || asked > most)
    return fail(ErrorCode::invalid_argument, "{} {} is not between 1 and {}", what, asked, most);
  return asked == 0 ? usual : asked;
}

Result<BuildOptions> sizes_of(const Recipe& recipe, const BuildOptions& asked) {
  const auto usual = recipe.sequence.value_or(SequenceSizes{});
  BuildOptions sizes;
  NEPH_TRY(sizes.classes, choose(recipe, "classes", asked.classes, recipe.classes, kMostClasses));
  NEPH_TRY(sizes.side, choose(recipe, "side", asked.side, recipe.side, kLargestSide));
  NEPH_TRY(sizes.layers, choose(recipe, "layers", asked.layers, usual.layers, kMostLayers));
  NEPH_TRY(sizes.seq, choose(recipe, "seq", asked.seq, usual.seq, kMostSteps));
  NEPH_TRY(sizes.width, choose(recipe, "width", asked.width, usual.width, kWidest));
  return sizes;
}

}  // namespace

std::vector<KnownNetwork> known_networks() {
  std::vector<KnownNetwork> known;
  for (const auto& recipe : all_recipes()) {
    const auto sequence = recipe.sequence.value_or(SequenceSizes{});
    known.push_back({recipe.name, recipe.title, recipe.classes, recipe.side, sequence.layers, sequence.seq,
                     sequence.width});
  }
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
    NEPH_TRY(const auto sizes, sizes_of(recipe, options));
    Graph graph(recipe.name);
    const Value logits = recipe.sequence
                             ? recipe.whole(graph, sizes)
                             : recipe.layers(graph, graph.input(recipe.channels, sizes.side), sizes.classes);
    return std::move(graph).finish(logits);
  }
  return unknown_name(ErrorCode::not_found, "network", name, known_names());
}

}  // namespace neph::net
