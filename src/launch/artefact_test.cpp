#include <fstream>

#include <gmock/gmock.h>
#include <stdlib.h>

#include "launch/launch.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;

class Artefacts : public testing::Test {
 protected:
  Artefacts() {
    std::string name = (fs::temp_directory_path() / "neph-artefact-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Artefacts() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
  }

  fs::path folder_;
};

// FIPS 180-2, B.1
constexpr const char* hash_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST_F(Artefacts, AFileHasItsHash) {
  write("abc", "abc");
  const auto seen = artefact(folder_ / "abc").value();
  EXPECT_EQ(seen.bytes, 3);
  EXPECT_EQ(seen.sha256, hash_of_abc);
}

TEST_F(Artefacts, AFolderHasTheHashOfItsFilesWhereverItLies) {
  for (const auto* name : {"one/b", "one/a b/z", "two/a b/z", "two/b"}) write(name, "abc");
  const auto one = artefact(folder_ / "one").value();
  const auto two = artefact(folder_ / "two").value();
  EXPECT_EQ(one.bytes, 6);
  EXPECT_EQ(one.sha256, two.sha256);
  write("list", fmt::format("{0}  ./a b/z\n{0}  ./b\n", hash_of_abc));
  EXPECT_EQ(one.sha256, artefact(folder_ / "list")->sha256);
  write("two/b", "abd");
  EXPECT_NE(artefact(folder_ / "two")->sha256, one.sha256) << "another content";
  fs::rename(folder_ / "one/b", folder_ / "one/c");
  EXPECT_NE(artefact(folder_ / "one")->sha256, one.sha256) << "another name";
}

TEST_F(Artefacts, ALinkIsWhatItLeadsTo) {
  for (const auto* name : {"one/b", "one/a/z", "two/b", "elsewhere/z"}) write(name, "abc");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "two/a");
  const auto seen = artefact(folder_ / "two").value();
  EXPECT_EQ(seen.bytes, 6);
  EXPECT_EQ(seen.sha256, artefact(folder_ / "one")->sha256);
}

TEST_F(Artefacts, ANameIsNoOption) {
  write("-f/b", "abc");
  const auto before = fs::current_path();
  fs::current_path(folder_);
  const auto seen = artefact("-f");
  fs::current_path(before);
  EXPECT_EQ(seen->sha256, artefact(folder_ / "-f")->sha256);
}

TEST_F(Artefacts, APartThatCannotBeReadIsAnError) {
  write("one/a", "abc");
  fs::create_symlink("/proc/self/mem", folder_ / "one/b");  // nothing stands at its begin, not even for root
  const auto seen = artefact(folder_ / "one");
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message, testing::HasSubstr("b: Input/output error"));
}

TEST_F(Artefacts, WhatIsNotThereIsNamed) {
  const auto error = artefact(folder_ / "nothing").error();
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_NE(error.message.find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace neph::launch
