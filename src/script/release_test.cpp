#include "script/release.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "price/price.hpp"

namespace neph::script {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Releases, OfAllProvidersAreBuiltIn) {
  std::vector<std::string> names;
  for (const auto& release : built_in_releases()) {
    names.push_back(release.name);
    EXPECT_FALSE(release.needs.empty()) << release.name;
    EXPECT_TRUE(release.ends == "nothing" || !release.read.empty()) << release.name;
  }
  for (const auto* name : {"aws", "gcp", "azure", "lambda", "runpod", "vast", "scaleway", "yandex",
                           "selectel", "vk", "own", "poweroff"})
    EXPECT_THAT(names, Contains(name));
}

/// A bill ends as the script ends it.
TEST(Releases, AreWhatTheRuleOfTheProviderSays) {
  std::size_t known = 0;
  for (const auto& release : built_in_releases())
    for (const std::int64_t gpus : {0, 1}) {
      const price::Offer offer{.provider = release.name, .gpus = gpus};
      const auto* rule = price::rule_for(offer, price::built_in_rules());
      if (rule == nullptr) continue;
      EXPECT_EQ(release.ends, enum_name(rule->release)) << release.name;
      ++known;
    }
  EXPECT_GE(known, 10U);
}

TEST(Releases, OfAReaderNeedOneFile) {
  const auto release = parse_release("mine",
                                     "# title = \"mine: gone\"\n# date = \"2026\"\n"
                                     "release_machine() {\n  :\n}\ncan_release() { :; }\n");
  ASSERT_TRUE(release) << release.error().text();
  EXPECT_EQ(release->title, "mine: gone");
}

TEST(Releases, NameWhatIsWrong) {
  const auto refusal = [](std::string_view text) { return parse_release("mine", text).error().text(); };
  EXPECT_THAT(refusal("# titel = \"x\"\n"), HasSubstr("title"));
  EXPECT_THAT(refusal("# title = \"x\"\n"), HasSubstr("a title and a date"));
  EXPECT_THAT(refusal("# title = \"x\"\n# date = \"d\"\n"), HasSubstr("release_machine"));
  EXPECT_THAT(refusal("# title = \"x\"\n# date = \"d\"\nrelease_machine() {\n}\n"), HasSubstr("can_release"));
  const auto unknown = find_release("asure").error();
  EXPECT_EQ(unknown.code, ErrorCode::not_found);
  EXPECT_THAT(unknown.text(), HasSubstr("did you mean 'azure'?"));
  EXPECT_THAT(find_release("hetzner").error().text(), HasSubstr("--release-command"));
}

}  // namespace
}  // namespace neph::script
