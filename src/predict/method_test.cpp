#include "predict/method.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

bool has_trees(Method method, std::size_t points) {
  const auto design = Design::learn(*table::parse_table("a,b\n1,x\n2,y\n", "t"), {});
  const auto specs = specs_of(method, *design, points);
  return std::any_of(specs.begin(), specs.end(),
                     [](const auto& spec) { return spec.backbone == Backbone::trees; });
}

TEST(Methods, HaveTreesWhereATableIsTooLargeForAProcess) {
  const auto most = ProcessSettings{}.most_rows;
  EXPECT_FALSE(has_trees(Method::automatic, most));
  EXPECT_TRUE(has_trees(Method::automatic, most + 1));
  EXPECT_TRUE(has_trees(Method::trees, 10));
  EXPECT_FALSE(has_trees(Method::process, 10 * most));
}

}  // namespace
}  // namespace neph::predict
