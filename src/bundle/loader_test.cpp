#include "bundle/loader.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

namespace neph::bundle {
namespace {

namespace fs = std::filesystem;

class LoaderFile : public testing::Test {
 protected:
  void SetUp() override {
    name_ = (fs::temp_directory_path() / "neph-loader-XXXXXX").string();
    const int file = ::mkstemp(name_.data());
    ASSERT_GE(file, 0);
    ::close(file);
  }
  void TearDown() override { fs::remove(name_); }
  int minor_of(const std::string& bytes) const {
    std::ofstream(name_, std::ios::binary) << bytes;
    return glibc_minor_of(name_.c_str());
  }

  std::string name_;
};

TEST(Loader, OfThisMachineTellsItsVersion) {
  const std::string version = ::gnu_get_libc_version();  // "2.36"
  EXPECT_EQ(glibc_minor_of(hosts_loader), std::stoi(version.substr(2)));
}

TEST_F(LoaderFile, IsReadToItsEndAndNotBeyond) {
  const std::string said = "ld.so (Debian GLIBC 2.41-12) stable release version 2.41.\n";
  EXPECT_EQ(minor_of(said), 41);
  EXPECT_EQ(minor_of(std::string(4096 - said.size(), 'r') + said), 41);
  EXPECT_EQ(minor_of(std::string(100'000, '\0') + said + said), 41);
  EXPECT_EQ(minor_of("release version 2.36 release"), 36);
}

TEST_F(LoaderFile, ThatDoesNotTellIsTooOld) {
  EXPECT_EQ(glibc_minor_of("/no/such/loader"), 0);
  EXPECT_EQ(glibc_minor_of("/proc"), 0) << "a folder";
  EXPECT_EQ(minor_of(""), 0);
  EXPECT_EQ(minor_of("release version 2."), 0) << "cut short";
  EXPECT_EQ(minor_of(std::string(4096 - 18, ' ') + "release version 2."), 0) << "cut short where a page ends";
  EXPECT_EQ(minor_of("release version 2.x of something"), 0);
  EXPECT_EQ(minor_of("release version 3.1 of something"), 0);
  EXPECT_EQ(minor_of("musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader"), 0);
}

TEST(LoadedLoader, StandsInMemoryAsItsFileSays) {
  const auto loader = load(hosts_loader);
  EXPECT_GE(loader.count, 4U);
  const auto* first = reinterpret_cast<const std::uint32_t*>(loader.headers);
  EXPECT_EQ(*first, 1U) << "PT_LOAD";
  const auto page = loader.headers & ~std::uint64_t{4095};
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(page), 4),
            "\x7f"
            "ELF");
  EXPECT_GT(loader.entry, loader.headers);
}

TEST_F(LoaderFile, ThatIsNoneEndsTheLauncherWithItsName) {
  std::ofstream(name_) << "no loader";
  EXPECT_EXIT(load(name_.c_str()), testing::ExitedWithCode(127), name_);
  fs::copy_file(hosts_loader, name_, fs::copy_options::overwrite_existing);
  fs::resize_file(name_, 70);
  EXPECT_EXIT(load(name_.c_str()), testing::ExitedWithCode(127), "no dynamic loader");
  EXPECT_EXIT(load("/no/such/loader"), testing::ExitedWithCode(127), "incomplete");
}

}  // namespace
}  // namespace neph::bundle
