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

/// Those of terms that the user gives. A single term of work is its own largest.
std::vector<CandidateSpec> given_specs(const Design& design) {
  if (design.given().empty()) return {};
  std::vector<CandidateSpec> specs{{.backbone = Backbone::given}};
  if (design.given().work().size() > 1)
    for (const double power : {2.0, 4.0}) specs.push_back({.backbone = Backbone::given, .power = power});
  return specs;
}

}  // namespace

std::vector<CandidateSpec> specs_of(Method method, const Design& design, std::size_t points) {
  const auto alone = [](Backbone backbone) {
    return std::vector{CandidateSpec{.backbone = backbone, .has_process = false}};
  };
  if (method == Method::lattuada) return alone(Backbone::lattuada);
  if (method == Method::nnls) return alone(Backbone::nnls);
  if (method == Method::stepwise) return alone(Backbone::stepwise);
  if (method == Method::ernest) return alone(Backbone::ernest);
  const CandidateSpec powers{.backbone = Backbone::powers};
  const CandidateSpec trees{.backbone = Backbone::trees, .has_process = false};
  if (method == Method::process) return {powers};
  if (method == Method::trees) return {trees};
  auto specs = given_specs(design);
  if (method == Method::terms && !specs.empty()) {
    for (auto& spec : specs) spec.has_process = false;
    return specs;
  }
  const auto found = work_specs(design);
  specs.insert(specs.end(), found.begin(), found.end());
  if (method == Method::terms)
    for (auto& spec : specs) spec.has_process = false;
  else
    specs.insert(specs.begin(), powers);
  if (method == Method::automatic && !design.work_terms().empty())
    specs.push_back({.backbone = Backbone::layers, .names_networks = false});
  if (method == Method::automatic && points > ProcessSettings{}.most_rows) specs.push_back(trees);
  return specs;
}

}  // namespace neph::predict
