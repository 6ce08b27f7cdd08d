// What files contain, read without TensorFlow, and bytes that are no model.
#include "engine/tensorflow/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/protobuf.hpp"
#include "core/random.hpp"
#include "os/file.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

using protobuf::put_field;
using protobuf::put_number;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t f32 = 1, text = 7, i64 = 9;

std::string entry(std::string_view key, std::string_view value) {
  std::string made;
  put_field(made, 1, key);
  put_field(made, 2, value);
  return made;
}

std::string tensor(std::string_view name, std::uint64_t type, const std::vector<std::int64_t>& shape) {
  std::string dims, made;
  for (const auto size : shape) {
    std::string dim;
    put_number(dim, 1, static_cast<std::uint64_t>(size));
    put_field(dims, 2, dim);
  }
  if (!name.empty()) put_field(made, 1, name);
  put_number(made, 2, type);
  put_field(made, 3, dims);
  return made;
}

std::string signature(const std::string& input, const std::string& output) {
  std::string made;
  put_field(made, 1, entry("x", input));
  put_field(made, 2, entry("y", output));
  return made;
}

/// saved_model.pb with these signatures, by name.
std::string saved_model(const std::vector<std::pair<std::string, std::string>>& signatures) {
  std::string tags, graph, model;
  put_field(tags, 4, "serve");
  put_field(graph, 1, tags);
  for (const auto& [name, message] : signatures) put_field(graph, 5, entry(name, message));
  put_number(model, 1, 1);
  put_field(model, 2, graph);
  return model;
}

std::string usual_model() {
  return saved_model(
      {{"serving_default", signature(tensor("in:0", f32, {-1, 4}), tensor("call:2", i64, {-1}))}});
}

std::string golden(const char* name) {
  auto bytes = read_file(std::string("tests/golden/models/") + name);
  if (!bytes) ADD_FAILURE() << bytes.error().message;
  return bytes ? *bytes : std::string();
}

std::string refusal(const std::string& bytes, ErrorCode code) {
  const auto read = read_saved_model(bytes);
  if (read) return "it was read";
  EXPECT_EQ(read.error().code, code);
  return read.error().message;
}

TEST(SavedModelFile, HasASignatureOfPorts) {
  const auto read = read_saved_model(usual_model());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->tags, ElementsAre("serve"));
  EXPECT_THAT(read->inputs.tensors, ElementsAre("in:0"));
  EXPECT_THAT(read->outputs.tensors, ElementsAre("call:2"));
  EXPECT_EQ(read->inputs.ports[0].name, "x");
  EXPECT_THAT(read->inputs.ports[0].shape, ElementsAre(-1, 4));
  EXPECT_EQ(read->outputs.ports[0].element, Element::i64);
}

TEST(SavedModelFile, OfTensorFlowIsRead) {
  const auto read = read_saved_model(golden("conv_saved/saved_model.pb"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->inputs.ports[0].name, "picture");
  EXPECT_THAT(read->inputs.ports[0].shape, ElementsAre(-1, 8, 8, 3));
  EXPECT_THAT(read->outputs.ports[0].shape, ElementsAre(-1, 5));
}

TEST(SavedModelFile, WithOneOtherSignatureUsesThat) {
  const auto one = signature(tensor("in:0", f32, {2}), tensor("out:0", f32, {2}));
  EXPECT_TRUE(read_saved_model(saved_model({{"classify", one}, {"__saved_model_init_op", ""}})));
  EXPECT_THAT(refusal(saved_model({{"classify", one}, {"embed", one}}), ErrorCode::unsupported),
              HasSubstr("serving_default (it has: classify, embed)"));
  EXPECT_THAT(refusal(saved_model({}), ErrorCode::unsupported), HasSubstr("it has: none"));
}

TEST(SavedModelFile, RefusesWhatPortsCannotBe) {
  const auto with_input = [](const std::string& input) {
    return saved_model({{"serving_default", signature(input, tensor("out:0", f32, {1}))}});
  };
  EXPECT_THAT(refusal(with_input(tensor("in:0", text, {1})), ErrorCode::unsupported), HasSubstr("type 7"));
  EXPECT_THAT(refusal(with_input(tensor("", f32, {1})), ErrorCode::unsupported), HasSubstr("sparse"));
  for (const auto& shape : {std::vector<std::int64_t>{-2}, {1 << 30, 1 << 30, 1 << 30}})
    EXPECT_THAT(refusal(with_input(tensor("in:0", f32, shape)), ErrorCode::corrupt), HasSubstr("a shape"));
  for (const auto* const name : {"in:x", "in:-1", ":0", "in:99999999999"})
    EXPECT_THAT(refusal(with_input(tensor(name, f32, {1})), ErrorCode::corrupt), HasSubstr("name")) << name;
}

TEST(FrozenGraphFile, NamesInputsAndWhatIsNotRead) {
  const auto read = read_frozen_graph(golden("conv.pb"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->placeholders, ElementsAre("picture"));
  EXPECT_THAT(read->unread, ElementsAre("Identity"));
  EXPECT_EQ(read_frozen_graph("").error().code, ErrorCode::unsupported);
  EXPECT_EQ(read_frozen_graph(usual_model()).error().code, ErrorCode::corrupt);
}

/// Both readers return on any bytes; sanitizers see reads beyond them.
void read_both(std::string_view bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const std::string_view view(exact.data(), exact.size());
  (void)read_saved_model(view);
  (void)read_frozen_graph(view);
}

TEST(HostileFiles, CutAnywhereAreRefused) {
  const auto whole = usual_model();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    read_both(std::string_view(whole).substr(0, size));
    EXPECT_FALSE(read_saved_model(std::string_view(whole).substr(0, size))) << size;
  }
  for (const auto* const name : {"conv.pb", "conv_saved/saved_model.pb"}) {
    const auto bytes = golden(name);
    for (std::size_t size = 0; size < bytes.size(); size += 37)
      read_both(std::string_view(bytes).substr(0, size));
  }
}

TEST(HostileFiles, OfChangedAndRandomBytesDoNotCrash) {
  Random random(7);
  for (const auto& whole : {usual_model(), golden("conv.pb"), golden("conv_saved/saved_model.pb")})
    for (int i = 0; i < 2000; ++i) {
      auto bytes = whole;
      for (std::uint64_t k = random.below(4) + 1; k > 0; --k)
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      read_both(bytes);
    }
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random.below(64), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    read_both(bytes);
  }
}

TEST(HostileFiles, OfDeepGroupsDoNotExhaustTheStack) {
  read_both(std::string(1 << 20, '\x0b'));  // field 1 begins a group
  std::string nested;
  for (int i = 0; i < 1000; ++i) {
    std::string outer;
    put_field(outer, 2, nested);
    nested = std::move(outer);
  }
  read_both(nested);
}

TEST(ElementTypes, AreThoseOfTensorFlow) {
  for (const auto element :
       {Element::f32, Element::f16, Element::bf16, Element::i64, Element::u8, Element::boolean})
    EXPECT_EQ(element_of(type_of(element)), element);
  EXPECT_EQ(type_of(Element::text), 0);
  EXPECT_FALSE(element_of(0));
}

}  // namespace
}  // namespace neph::engine::tensorflow_plugin
