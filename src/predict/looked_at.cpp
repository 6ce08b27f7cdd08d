#include "predict/looked_at.hpp"

#include <set>

namespace neph::predict {
namespace {

/// Names of columns and features that a candidate with a sight looks at.
std::set<std::string> names_seen(const Candidate& candidate, const Design& design) {
  std::set<std::string> names;
  for (const auto feature : candidate.sight()->numbers)
    names.insert(design.features()[static_cast<std::size_t>(feature)]);
  if (const auto* model = std::get_if<Candidate::Monomials>(&candidate.model()))
    for (const auto& powers : model->powers)
      for (std::size_t quantity = 0; quantity < powers.size(); ++quantity)
        if (powers[quantity] != 0) names.insert(design.quantities()[quantity]);
  if (candidate.spec().backbone == Backbone::given)
    for (const auto& column : design.given().columns()) names.insert(column);
  if (candidate.spec().backbone == Backbone::layers)
    names.insert({design.roles().side, design.roles().batch});
  return names;
}

}  // namespace

LookedAt looked_at(const std::vector<Candidate>& candidates, const Design& design) {
  LookedAt all{std::vector<bool>(design.ranged().size()), std::vector<bool>(design.categories().size())};
  for (const auto& candidate : candidates) {
    if (!candidate.sight()) {
      all.numbers.assign(all.numbers.size(), true);
      all.categories.assign(all.categories.size(), true);
      return all;
    }
    const auto names = names_seen(candidate, design);
    for (std::size_t j = 0; j < all.numbers.size(); ++j)
      if (names.contains(design.ranged()[j]) || names.contains("has " + design.ranged()[j]))
        all.numbers[j] = true;
    for (const auto category : candidate.sight()->categories)
      all.categories[static_cast<std::size_t>(category)] = true;
  }
  return all;
}

}  // namespace neph::predict
