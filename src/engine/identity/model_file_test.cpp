#include "engine/identity/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/identity/scratch_test.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using IdentityModelFile = ScratchFolder;

TEST_F(IdentityModelFile, AnOutputIsItsInputUnlessItSaysOtherwise) {
  const auto file = read_identity_file(write(R"(
[[inputs]]
name = "picture"
element = "u8"
shape = [-1, 224, 224, 3]
[[inputs]]
name = "x"
shape = [-1, 16]
[[outputs]]
name = "same"
[[outputs]]
name = "short"
from = "x"
element = "i64"
shape = [-1, 2, 2]
)"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->outputs[0].from, "picture");
  EXPECT_EQ(file->outputs[0].element, Element::u8);
  EXPECT_THAT(file->outputs[0].shape, ElementsAre(-1, 224, 224, 3));
  EXPECT_EQ(row_bytes(Element::u8, file->outputs[0].shape), 150'528U);
  EXPECT_EQ(file->outputs[1].element, Element::i64);
  EXPECT_EQ(file->service_ms, 0);
}

struct Broken {
  std::string text;
  std::string complaint;
};

TEST_F(IdentityModelFile, SaysWhichKeyIsWrong) {
  const std::string good = sixteen_floats;
  const auto with = [&](const std::string& line) { return line + "\n" + good; };
  const auto and_output = [&](const std::string& lines) { return good + "[[outputs]]\n" + lines; };
  const std::vector<Broken> cases = {
      {"", "inputs: there is none"},
      {"[[inputs]]\nname = \"x\"\nshape = [-1]\n", "outputs: there is none"},
      {with("servic_ms = 1"), "unknown key 'servic_ms'; did you mean 'service_ms'?"},
      {with("service_ms = -1"), "service_ms: "},
      {with("service_ms = nan"), "service_ms: "},
      {with("service_ms = \"10\""), "service_ms: "},
      {with("distribution = \"normal\""), "distribution"},
      {with("distribution = \"pareto\"\nservice_ms = 10"), "p99_ms: a pareto distribution needs"},
      {with("distribution = \"lognormal\"\nservice_ms = 10\np99_ms = 10"), "p99_ms: a lognormal"},
      {with("service_ms = 10\np99_ms = 20"), "p99_ms: a fixed time has none"},
      {with("stall_ms = 500"), "stall_ms and stall_every_s: give both"},
      {with("stall_ms = 5000\nstall_every_s = 5"), "a stall must end before the next"},
      {with("[[inputs]]\nname = \"x\"\nshape = [-1]"), "inputs[1].name: 'x' is there twice"},
      {"[[inputs]]\nshape = [-1]\n[[outputs]]\nname = \"y\"", "inputs[0].name: there is none"},
      {"[[inputs]]\nname = \"x\"\nshape = [16]\n[[outputs]]\nname = \"y\"",
       "inputs[0].shape: its first dimension"},
      {"[[inputs]]\nname = \"x\"\n[[outputs]]\nname = \"y\"", "inputs[0].shape: its first dimension"},
      {"[[inputs]]\nname = \"x\"\nshape = [-1, -1]\n[[outputs]]\nname = \"y\"",
       "inputs[0].shape[1]: -1 is below 1"},
      {"[[inputs]]\nname = \"x\"\nshape = [-1, 4294967296, 4294967296]\n[[outputs]]\nname = \"y\"",
       "inputs[0].shape: a row is at most"},
      {and_output("name = \"y\""), "outputs[1].name: 'y' is there twice"},
      {and_output("name = \"z\"\nfrom = \"xx\""), "unknown input 'xx' in outputs[1].from; did you mean 'x'?"},
      {and_output("name = \"z\"\nshape = [-1, 17]"),
       "outputs[1].shape: a row of it has 68 bytes, and one of input 'x' only 64"},
      {and_output("name = \"z\"\nelement = \"f64\""), "outputs[1].shape: a row of it has 128 bytes"},
      {and_output("name = \"z\"\nelement = \"f23\""), "outputs[1].element"},
      {"inputs = [", "not valid TOML"},
  };
  for (const auto& broken : cases) {
    const auto path = write(broken.text);
    const auto file = read_identity_file(path);
    ASSERT_FALSE(file) << broken.text;
    EXPECT_EQ(to_string(file.error().code), "corrupt") << file.error().message;
    EXPECT_THAT(file.error().message, HasSubstr(path));
    EXPECT_THAT(file.error().text(), HasSubstr(broken.complaint));
    EXPECT_EQ(file.error().message.find('\n'), std::string::npos) << file.error().message;
  }
}

TEST_F(IdentityModelFile, IsNotFound) {
  const auto file = read_identity_file(folder_ + "/none.identity");
  ASSERT_FALSE(file);
  EXPECT_EQ(to_string(file.error().code), "not_found");
}

}  // namespace
}  // namespace neph::engine
