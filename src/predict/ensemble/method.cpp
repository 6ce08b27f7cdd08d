#include "predict/ensemble/method.hpp"

namespace neph::predict {
namespace {

/// A single term of work is its own largest.
void add_user_terms(const Design& design, ResidualPolicy residuals, std::vector<MemberSpec>& specs) {
  for (const double power : {1.0, 2.0, 4.0})
    if (!design.user_terms().empty() && (power == 1 || design.user_terms().work().size() > 1))
      specs.push_back({Backbone::user_terms, residuals, power});
}

}  // namespace

std::vector<MemberSpec> specs_of(Method method, const Design& design) {
  std::vector<MemberSpec> specs;
  switch (method) {
    case Method::process:
      return {{Backbone::log_linear, ResidualPolicy::process}};
    case Method::trees:
      return {{Backbone::log_linear, ResidualPolicy::trees}};
    case Method::terms:
      add_user_terms(design, ResidualPolicy::none, specs);
      if (specs.empty() && design.has_layers()) specs.push_back({Backbone::layers, ResidualPolicy::none});
      if (!specs.empty()) return specs;
      [[fallthrough]];
    case Method::log_linear:
      return {{Backbone::log_linear, ResidualPolicy::none}};
    case Method::automatic:
      break;
  }
  specs = {{Backbone::level, ResidualPolicy::process},
           {Backbone::log_linear, ResidualPolicy::process},
           {Backbone::log_linear, ResidualPolicy::trees},
           {Backbone::level, ResidualPolicy::trees}};
  if (design.has_layers()) specs.push_back({Backbone::layers, ResidualPolicy::process});
  add_user_terms(design, ResidualPolicy::none, specs);
  add_user_terms(design, ResidualPolicy::process, specs);
  return specs;
}

}  // namespace neph::predict
