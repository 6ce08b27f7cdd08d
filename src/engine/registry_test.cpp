#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "engine/engine.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RegistryOfBrokenPlugins : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "neph-engines-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    std::ofstream(folder_ + "/neph-engine-text.so") << "no library";
    // A library that loads and is no engine: any of the system's.
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (const auto at = line.find('/');
          at != std::string::npos && line.find("libgcc_s") != std::string::npos) {
        fs::copy_file(line.substr(at), folder_ + "/neph-engine-stale.so");
        break;
      }
    std::ofstream(folder_ + "/neph-engine-.so") << "no name";
    std::ofstream(folder_ + "/notes.txt") << "no plugin";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string folder_;
};

TEST_F(RegistryOfBrokenPlugins, SaysWhyEachCannotBeUsed) {
  Registry registry({folder_, "/no/such/folder"});
  const auto list = registry.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].name, "stale");
  EXPECT_FALSE(list[0].usable);
  EXPECT_THAT(list[0].reason, HasSubstr("another version of neph"));
  EXPECT_EQ(list[1].name, "text");
  EXPECT_EQ(list[1].path, folder_ + "/neph-engine-text.so");
  EXPECT_FALSE(list[1].usable);
  EXPECT_THAT(list[1].reason, HasSubstr("'text' cannot be loaded here: "));
  for (const auto& info : list) EXPECT_EQ(info.reason.find('\n'), std::string::npos) << info.reason;
}

TEST_F(RegistryOfBrokenPlugins, OpensOnlyWhatIsAskedFor) {
  Registry registry({folder_});
  const auto stale = registry.open("stale");
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::unsupported);
  const auto typo = registry.open("txet");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().code, ErrorCode::not_found);
  EXPECT_EQ(typo.error().text(), "unknown engine 'txet'; did you mean 'text'?");
}

TEST(Registry, ListsWhatCanBeOpened) {
  Registry registry({std::string(std::getenv("NEPH_BUILD")) + "/bin/engines"});
  const auto engines = registry.list();
  EXPECT_TRUE(std::any_of(engines.begin(), engines.end(),
                          [](const auto& info) { return info.name == "identity" && info.usable; }));
  for (const auto& info : engines) {
    EXPECT_EQ(registry.open(info.name).has_value(), info.usable) << info.name;
    if (!info.usable) {
      EXPECT_THAT(info.reason, HasSubstr("get it with")) << info.name;  // its library is not here
    }
  }
}

TEST(Registry, WithoutPluginsSaysWhereItLooked) {
  Registry registry({"/no/such/folder"});
  EXPECT_TRUE(registry.list().empty());
  const auto engine = registry.open("openvino");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::not_found);
  EXPECT_THAT(engine.error().message, HasSubstr("/no/such/folder"));
}

TEST(Registry, LooksWhereTheEnvironmentSays) {
  ::setenv("NEPH_ENGINES", "/plugins", 1);
  EXPECT_THAT(Registry::default_folders(), testing::ElementsAre("/plugins"));
  ::unsetenv("NEPH_ENGINES");
  EXPECT_EQ(Registry::default_folders().front(),
            fs::read_symlink("/proc/self/exe").parent_path() / "engines");
}

TEST(Port, CountsItsBytes) {
  EXPECT_EQ((Port{.element = Element::f32, .shape = {2, 3, 4}}.bytes()), 96U);
  EXPECT_EQ((Port{.element = Element::i64, .shape = {}}.bytes()), 8U) << "a scalar";
  EXPECT_EQ((Port{.element = Element::u8, .shape = {-1, 3}}.bytes()), 0U) << "open";
  EXPECT_EQ((Port{.element = Element::f16, .shape = {0, 3}}.bytes()), 0U);
}

}  // namespace
}  // namespace neph::engine
