#include "engine/torch/library.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::engine::torch_plugin {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// An environment with a torch that says what it is and can do nothing.
class Environments : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "neph-torch-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    ::unsetenv("VIRTUAL_ENV");
    ::unsetenv("NEPH_ENGINE_PATH");
  }

  fs::path place(const std::string& environment, const std::string& version) {
    const auto torch = fs::path(folder_) / environment / "lib/python3.11/site-packages/torch";
    fs::create_directories(torch / "lib");
    std::ofstream(torch / "lib/libtorch_cpu.so") << "no library";
    std::ofstream(torch / "version.py")
        << "from typing import Optional\n__version__ = '" << version << "'\ndebug = False\n";
    return torch;
  }

  std::string folder_;
};

TEST_F(Environments, OfEnginePathAreTheOnlyOnes) {
  const auto torch = place("env", "2.11.0");
  ::setenv("NEPH_ENGINE_PATH", (fs::path(folder_) / "env").c_str(), 1);
  const auto found = find_torch_folders();
  EXPECT_THAT(found, ElementsAre(torch));
}

TEST_F(Environments, AreFoundInAnyFormOfTheirPath) {
  const auto torch = place("env", "2.11.0+cu130");
  for (const auto& form : {fs::path(folder_) / "env", torch.parent_path(), torch, torch / "lib"})
    EXPECT_THAT(torch_folders(form), ElementsAre(torch)) << form;
  EXPECT_TRUE(torch_folders(folder_).empty());
  EXPECT_TRUE(torch_folders("/no/such/folder").empty());
  EXPECT_EQ(package_version(torch), "2.11.0+cu130");
  EXPECT_EQ(package_version(folder_), "");
}

TEST_F(Environments, AreLookedForInTheActiveOneAndThatOfPython) {
  const auto active = place("active", "2.12.0");
  const auto of_path = place("path", "2.12.0");
  fs::create_directories(fs::path(folder_) / "path/bin");
  std::ofstream(fs::path(folder_) / "path/bin/python3") << "";
  fs::permissions(fs::path(folder_) / "path/bin/python3", fs::perms::owner_all);
  ::setenv("VIRTUAL_ENV", (folder_ + "/active").c_str(), 1);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_ + "/path/bin:" + path).c_str(), 1);
  const auto found = find_torch_folders();
  ::setenv("PATH", path.c_str(), 1);
  const auto first = std::ranges::find(found, active), second = std::ranges::find(found, of_path);
  ASSERT_NE(second, found.end());
  EXPECT_LT(first, second);
}

TEST_F(Environments, OfAnOldTorchAreRefusedByItsVersion) {
  const auto torch = place("env", "2.9.1+cpu");
  ::setenv("NEPH_ENGINE_PATH", torch.c_str(), 1);
  const auto opened = open_library();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::unsupported);
  EXPECT_THAT(opened.error().message,
              HasSubstr("torch 2.9.1+cpu in " + torch.string() + " is too old: 2.10"));
  EXPECT_THAT(opened.error().message, HasSubstr("./dev setup train"));
}

TEST_F(Environments, ThatCannotBeOpenedSayWhy) {
  const auto torch = place("env", "2.11.0");
  ::setenv("NEPH_ENGINE_PATH", torch.c_str(), 1);
  const auto opened = open_library();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("cannot be opened: "));
  EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace neph::engine::torch_plugin
