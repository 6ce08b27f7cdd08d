#include "predict/method.hpp"

namespace neph::predict {
namespace {

/// Sums and smooth maxima of monomials, and where a network is known those of its layers.
std::vector<CandidateSpec> work_specs(const Design& design) {
  std::vector<CandidateSpec> specs;
  for (const double power : {1.0, 2.0, 4.0})
    for (const std::int64_t most : {5, 10})
      specs.push_back({.backbone = Backbone::monomials, .most_terms = most, .power = power});
  specs.push_back({.backbone = Backbone::monomials, .most_terms = 30});
  if (!design.work_terms().empty()) specs.push_back({.backbone = Backbone::layers});
  return specs;
}

}  // namespace

std::vector<CandidateSpec> specs_of(Method method, const Design& design, std::size_t points) {
  const CandidateSpec powers{.backbone = Backbone::powers};
  const CandidateSpec trees{.backbone = Backbone::trees, .has_process = false};
  if (method == Method::process) return {powers};
  if (method == Method::trees) return {trees};
  auto specs = work_specs(design);
  if (method == Method::terms)
    for (auto& spec : specs) spec.has_process = false;
  else
    specs.insert(specs.begin(), powers);
  if (method == Method::automatic && points > ProcessSettings{}.most_rows) specs.push_back(trees);
  return specs;
}

}  // namespace neph::predict
