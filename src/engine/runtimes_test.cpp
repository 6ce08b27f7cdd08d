#include "engine/runtimes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace neph::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Runtimes : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : {"NEPH_ENGINE_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) ::unsetenv(variable);
    std::string name = (fs::temp_directory_path() / "neph-runtimes-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    ::unsetenv("NEPH_ENGINE_PATH");
    ::unsetenv("VIRTUAL_ENV");
    fs::remove_all(folder_);
  }
  fs::path made(const std::string& name) const {
    fs::create_directories(folder_ / name);
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(Runtimes, AreFoundInVirtualEnvironmentsAndInFoldersOfPip) {
  const auto older = made("venv/lib/python3.10/site-packages/openvino/libs");
  const auto newer = made("venv/lib/python3.12/site-packages/openvino/libs");
  made("venv/lib/python3.12/site-packages/openvino_telemetry/libs");
  made("venv/lib/perl5/site-packages/openvino/libs");
  const auto target = made("target/openvino/libs");
  const auto torch = made("target/torch/lib");
  const std::vector<fs::path> both{folder_ / "venv", folder_ / "target"};
  EXPECT_THAT(runtime_folders("openvino", both),
              ElementsAre(older, newer, folder_ / "venv", target, folder_ / "target"));
  EXPECT_THAT(runtime_folders("torch", {folder_ / "target"}), ElementsAre(torch, folder_ / "target"));
  EXPECT_THAT(runtime_folders("openvino", {folder_ / "none"}), IsEmpty());
}

TEST_F(Runtimes, LibrariesOfNvidiaLieInFoldersOfTheirOwn) {
  const auto cuda = made("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
  made("venv/lib/python3.12/site-packages/nvidia/include");
  const auto tensorrt = made("venv/lib/python3.12/site-packages/tensorrt_libs");
  EXPECT_THAT(nvidia_folders({folder_ / "venv"}), ElementsAre(cuda, tensorrt, folder_ / "venv"));
  EXPECT_THAT(nvidia_folders({folder_ / "none"}), IsEmpty());
}

TEST_F(Runtimes, AreFoundWhereDebiansOwnPythonHasThem) {
  const auto system = made("usr/lib/python3/dist-packages/torch/lib");
  const auto local = made("usr/local/lib/python3.12/dist-packages/torch/lib");
  const auto fedora = made("usr/lib64/python3.13/site-packages/torch/lib");
  fs::create_directory_symlink("lib", made("venv") / "lib64");
  made("venv/lib/python3.12/site-packages/torch/lib");
  EXPECT_THAT(runtime_folders("torch", {folder_ / "usr"}),
              ElementsAre(system, fedora, local, folder_ / "usr"));
  EXPECT_EQ(runtime_folders("torch", {folder_ / "venv"}).size(), 2U) << "not by lib64 again";
}

TEST_F(Runtimes, AProgramOfAWheelKnowsItsEnvironment) {
  EXPECT_EQ(environment_of("/home/me/venv/libexec/nephoscope/bin"), "/home/me/venv");
  EXPECT_EQ(environment_of("/libexec/nephoscope/bin"), "/");
  for (const char* other :
       {"/opt/neph-0.1.0/bin", "/usr/bin", "/venv/libexec/nephoscope/bin/deeper", "/", ""})
    EXPECT_EQ(environment_of(other), "") << other;
}

TEST_F(Runtimes, TheLineToInstallIsOfWhoMadeTheEnvironment) {
  const auto bare = made("target");
  EXPECT_EQ(line_to_install(bare, "fast==1.2"), "python3 -m pip install fast==1.2");
  const auto venv = made("venv");
  std::ofstream(made("venv/bin") / "python3");
  EXPECT_EQ(line_to_install(venv, "fast==1.2"), venv.string() + "/bin/python3 -m pip install fast==1.2");
  const auto odd = made("it's $HOME");
  std::ofstream(made("it's $HOME/bin") / "python3");
  EXPECT_EQ(line_to_install(odd, "fast==1.2"),
            "'" + folder_.string() + "/it'\\''s $HOME/bin/python3' -m pip install fast==1.2");
  ::setenv("VIRTUAL_ENV", venv.c_str(), 1);
  EXPECT_EQ(line_to_install(venv, "fast==1.2"), "pip install fast==1.2");
  EXPECT_EQ(line_to_install(venv, "a==1 b==2"), "pip install --no-deps a==1 b==2");
  std::ofstream(venv / "pyvenv.cfg") << "home = /usr/bin\nuv = 0.9.2\n";
  EXPECT_EQ(line_to_install(venv, "fast==1.2"), "uv pip install --python " + venv.string() + " fast==1.2");
  std::ofstream(venv / "pipx_metadata.json");
  EXPECT_EQ(line_to_install(venv, "fast==1.2"), "pipx inject nephoscope fast==1.2");
}

TEST_F(Runtimes, WhatTheUserSaysComesFirst) {
  ::setenv("VIRTUAL_ENV", "/venv", 1);
  ::setenv("CONDA_PREFIX", "", 1);
  look_also_in("");
  ASSERT_EQ(python_environments().size(), 3U);
  EXPECT_EQ(python_environments()[0], "/venv");
  look_also_in("relative");
  ASSERT_EQ(python_environments().size(), 4U);
  EXPECT_EQ(python_environments()[0], fs::current_path() / "relative")
      << "children may work in other folders";
  const auto around = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  EXPECT_EQ(python_environments()[2], around / "python");
  EXPECT_EQ(python_environments()[3], around / ".venv");
}

TEST_F(Runtimes, AVersionIsNoneThatItBeginsWith) {
  for (const auto* used : {"2.1", "2.1+cu128", "2.1-21654-a1b2"})
    EXPECT_TRUE(is_of_version(used, "2.1")) << used;
  for (const auto* used : {"2.10", "2.10.1", "2.1.3", "2.1rc1", "2", "12.1", ""})
    EXPECT_FALSE(is_of_version(used, "2.1")) << used;
  EXPECT_TRUE(is_of_version("2.1", "")) << "pip wrote none down";
}

TEST_F(Runtimes, APluginThatCannotBeLoadedTellsWhatItNeeds) {
  std::ofstream(folder_ / "neph-engine-fast.so") << "no library";
  std::ofstream(folder_ / "neph-engine-plain.so") << "no library";
  std::ofstream(folder_ / "neph-engine-fast.pip") << "fast==1.2\n";
  std::ofstream(folder_ / "neph-engine-empty.pip") << "\n";
  EXPECT_EQ(line_to_get(folder_ / "neph-engine-empty.so"), "");
  const auto venv = made("venv/lib/python3.11/site-packages/fast/libs");
  made("venv/lib/python3.11/site-packages/fast-1.1.dist-info");
  made("venv/lib/python3.11/site-packages/fast_more-7.dist-info");
  ::setenv("VIRTUAL_ENV", (folder_ / "venv").c_str(), 1);
  const auto list = Registry({folder_}).list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_THAT(list[0].reason, HasSubstr("python3 -m pip install "));
  EXPECT_THAT(list[0].reason, HasSubstr("python fast==1.2"));
  EXPECT_THAT(list[0].reason, HasSubstr("looked in " + venv.string() + " (fast 1.1)"));
  EXPECT_THAT(list[1].reason, testing::Not(HasSubstr("pip")));
}

}  // namespace
}  // namespace neph::engine
