#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <unistd.h>

#include "net/half.hpp"
#include "net/net.hpp"
#include "net/onnx_text.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

Program program_of(const onnx::ModelProto& model) {
  auto program = read_program_bytes(model.SerializeAsString(), "test");
  EXPECT_TRUE(program) << program.error().message;
  return program.value_or(Program{});
}

Error error_of(const onnx::ModelProto& model) {
  const auto program = read_program_bytes(model.SerializeAsString(), "test");
  EXPECT_FALSE(program);
  return program ? Error{} : program.error();
}

template <class T>
std::string raw(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

/// A model whose tensor `w` has this type and these bytes.
template <class T>
onnx::ModelProto model_with(int type, const std::vector<T>& elements) {
  auto model = model_from_text("float[1,8] x, float[8,3] w", "y = MatMul(x, w)");
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("t");
  tensor.set_data_type(type);
  tensor.add_dims(static_cast<std::int64_t>(elements.size()));
  tensor.set_raw_data(raw(elements));
  return model;
}

TEST(Half, EveryNumberComesBack) {
  for (std::uint32_t i = 0; i <= 0xffff; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    ASSERT_TRUE(std::isnan(from_float16(half)) || to_float16(from_float16(half)) == half) << i;
    ASSERT_TRUE(std::isnan(from_bfloat16(half)) || to_bfloat16(from_bfloat16(half)) == half) << i;
  }
}

TEST(Half, RoundsToTheNearestWithTiesToEven) {
  EXPECT_EQ(from_float16(0x3c00), 1.0F);
  EXPECT_EQ(from_float16(0x0001), 0x1p-24F);
  EXPECT_EQ(from_float16(0xfbff), -65504.0F);
  EXPECT_EQ(to_float16(1 + 0x1p-11F), 0x3c00);             // a tie: down to even
  EXPECT_EQ(to_float16(1 + 3 * 0x1p-11F), 0x3c02);         // a tie: up to even
  EXPECT_EQ(to_float16(1 + 0x1p-11F + 0x1p-20F), 0x3c01);  // no tie
  EXPECT_EQ(to_float16(65519), 0x7bff);                    // the largest one
  EXPECT_EQ(to_float16(65520), 0x7c00);                    // infinite
  EXPECT_EQ(to_float16(0x1p-25F), 0);                      // a tie with 0
  EXPECT_EQ(to_float16(-0x1.8p-25F), 0x8001);
  EXPECT_EQ(to_bfloat16(1 + 0x1p-8F), 0x3f80);
  EXPECT_EQ(to_bfloat16(1 + 3 * 0x1p-8F), 0x3f82);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(from_float16(to_float16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::nanf("")))));
}

TEST(Program, HasTheGraphWithItsAttributesAndNumbers) {
  auto model = model_from_text("float[n,3,8,8] x, float[4,3,3,3] w",
                               "c = Conv<pads = [1,1,1,1], auto_pad = \"NOTSET\">(x, w) "
                               "b, m = MaxPool<kernel_shape = [2,2]>(c) a = LeakyRelu<alpha = 0.5>(b) "
                               "s = Constant<value_ints = [0, -1]>() y = Reshape(a, s)");
  const auto program = program_of(model);
  EXPECT_EQ(program.opset, 13);
  ASSERT_EQ(program.nodes.size(), 4U);
  const auto& conv = program.nodes[0];
  EXPECT_EQ(conv.op, "Conv");
  EXPECT_EQ(conv.name, "c");  // no name in the file: its first output's
  EXPECT_THAT(conv.inputs, ElementsAre("x", "w"));
  EXPECT_THAT(conv.attribute("pads", Integers{}), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(conv.attribute("auto_pad", std::string()), "NOTSET");
  EXPECT_EQ(conv.attribute("group", std::int64_t{1}), 1);  // not there
  EXPECT_EQ(conv.attribute("pads", std::int64_t{7}), 7);   // of another type
  EXPECT_EQ(program.nodes[2].attribute("alpha", 0.0F), 0.5F);
  EXPECT_EQ(program.tensors.at("w").floats.size(), 108U);
  EXPECT_THAT(program.tensors.at("s").integers, ElementsAre(0, -1));
  EXPECT_THAT(program.tensors.at("s").shape, ElementsAre(2));
  EXPECT_THAT(program.constants, ElementsAre("s"));
  ASSERT_EQ(program.inputs.size(), 1U);
  EXPECT_THAT(program.inputs[0].shape, ElementsAre(-1, 3, 8, 8));
  EXPECT_FALSE(program.inputs[0].integers);
  EXPECT_EQ(program.inputs[0].element, "f32");
  EXPECT_EQ(program.outputs[0].name, "y");
}

TEST(Program, ANetworkBuiltHereHasAllItsWeights) {
  const auto bytes = *write_onnx_bytes(*build("resnet18", {.classes = 10, .side = 32}), 1);
  const auto program = read_program_bytes(bytes, "test");
  ASSERT_TRUE(program) << program.error().message;
  std::size_t elements = 0;
  for (const auto& [name, tensor] : program->tensors) elements += tensor.floats.size();
  EXPECT_EQ(elements, 11'181'642U + 9'600U);  // with the running statistics
  EXPECT_EQ(program->inputs.size(), 1U);
}

TEST(Program, ReadsFloatsOfAnyWidth) {
  using Type = onnx::TensorProto;
  const auto floats = [](const onnx::ModelProto& model) { return program_of(model).tensors.at("t").floats; };
  EXPECT_THAT(floats(model_with<double>(Type::DOUBLE, {1.5, -2})), ElementsAre(1.5F, -2));
  EXPECT_THAT(floats(model_with<std::uint16_t>(Type::FLOAT16, {0x3e00, 0xc000})), ElementsAre(1.5F, -2));
  EXPECT_THAT(floats(model_with<std::uint16_t>(Type::BFLOAT16, {0x3fc0, 0xc000})), ElementsAre(1.5F, -2));
  auto typed = model_with<float>(Type::FLOAT16, {});
  auto& tensor = *typed.mutable_graph()->mutable_initializer(1);
  tensor.clear_raw_data();
  tensor.set_dims(0, 2);
  for (const int bits : {0x3e00, 0xc000}) tensor.add_int32_data(bits);
  EXPECT_THAT(floats(typed), ElementsAre(1.5F, -2));
}

TEST(Program, ReadsIntegersOfAnyWidth) {
  using Type = onnx::TensorProto;
  const auto integers = [](const onnx::ModelProto& model) {
    return program_of(model).tensors.at("t").integers;
  };
  EXPECT_THAT(integers(model_with<std::int8_t>(Type::INT8, {-1, 5})), ElementsAre(-1, 5));
  EXPECT_THAT(integers(model_with<std::uint8_t>(Type::UINT8, {255})), ElementsAre(255));
  EXPECT_THAT(integers(model_with<std::uint8_t>(Type::BOOL, {1, 0})), ElementsAre(1, 0));
  EXPECT_THAT(integers(model_with<std::int32_t>(Type::INT32, {-7})), ElementsAre(-7));
  EXPECT_THAT(integers(model_with<std::uint32_t>(Type::UINT32, {0xffffffff})), ElementsAre(0xffffffff));
  EXPECT_THAT(integers(model_with<std::int64_t>(Type::INT64, {})), ElementsAre());
  EXPECT_EQ(error_of(model_with<std::uint64_t>(Type::UINT64, {~std::uint64_t{0}})).code,
            ErrorCode::unsupported);
}

TEST(Program, RefusesNumbersThatItCannotHold) {
  auto model = model_with<float>(onnx::TensorProto::COMPLEX64, {1, 2});
  model.mutable_graph()->mutable_initializer(1)->set_dims(0, 1);
  EXPECT_EQ(error_of(model).code, ErrorCode::unsupported);
  EXPECT_THAT(error_of(model).message, HasSubstr("tensor 't'"));
  auto text = model_from_text("float[1,8] x", "s = Constant<value_string = \"hello\">() y = Relu(x)");
  EXPECT_EQ(error_of(text).code, ErrorCode::unsupported);
  EXPECT_THAT(error_of(text).message, HasSubstr("a constant of text"));
}

TEST(Program, RefusesAnotherNumberOfElementsThanTheShapeNeeds) {
  auto model = model_with<float>(onnx::TensorProto::FLOAT, {1, 2, 3});
  auto& tensor = *model.mutable_graph()->mutable_initializer(1);
  tensor.set_dims(0, 4);
  EXPECT_EQ(error_of(model).code, ErrorCode::corrupt);
  tensor.clear_raw_data();
  for (int i = 0; i < 5; ++i) tensor.add_float_data(1);
  EXPECT_EQ(error_of(model).message, "test: tensor 't' has 5 elements of data, its shape needs 4 elements");
  tensor.set_dims(0, std::int64_t{1} << 40);  // no memory is taken for it
  EXPECT_EQ(error_of(model).code, ErrorCode::corrupt);
}

TEST(Program, RefusesWhatIsNoProgram) {
  EXPECT_EQ(read_program_bytes("", "test").error().code, ErrorCode::corrupt);
  EXPECT_EQ(read_program_bytes("a letter, dear reader", "test").error().code, ErrorCode::corrupt);
  EXPECT_EQ(read_program("absent.onnx").error().code, ErrorCode::not_found);
  const auto out_of_order = model_from_text("float[1,8] x", "y = Relu(a) a = Relu(x)");
  EXPECT_THAT(error_of(out_of_order).message, HasSubstr("reads 'a', which nothing before it makes"));
  const auto bytes = *write_onnx_bytes(*build("mnist", {.side = 12}), 1);
  for (const double part : {0.001, 0.1, 0.5, 0.99, 0.9999}) {
    const auto size = static_cast<std::size_t>(static_cast<double>(bytes.size()) * part);
    EXPECT_EQ(read_program_bytes(std::string_view(bytes).substr(0, size), "short").error().code,
              ErrorCode::corrupt);
  }
}

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("neph-external-test-{}", ::getpid());
    std::filesystem::create_directories(folder_ / "data");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const onnx::ModelProto& model) {
    EXPECT_TRUE(write_file(folder_ / "data/m.onnx", model.SerializeAsString()));
    return folder_ / "data/m.onnx";
  }

  std::filesystem::path folder_;
};

/// The tensor w of 2 floats, 1 and 2, behind 4 bytes in w.bin.
onnx::ModelProto model_with_external_data(const std::filesystem::path& folder) {
  auto model = model_with<float>(onnx::TensorProto::FLOAT, {1, 2});
  auto& tensor = *model.mutable_graph()->mutable_initializer(1);
  EXPECT_TRUE(write_file(folder / "w.bin", "four" + tensor.raw_data()));
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair("location", "w.bin"), {"offset", "4"}, {"length", "8"}}) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return model;
}

TEST_F(ExternalData, ThatDoesNotFitIsAnError) {
  auto model = model_with_external_data(folder_ / "data");
  auto& tensor = *model.mutable_graph()->mutable_initializer(1);
  EXPECT_EQ(error_of(model).code, ErrorCode::unsupported);  // from memory there is no folder
  tensor.set_dims(0, 3);
  EXPECT_EQ(read_program(write(model)).error().code, ErrorCode::corrupt);
  tensor.mutable_external_data(2)->set_value("12");
  EXPECT_EQ(read_program(write(model)).error().code, ErrorCode::corrupt);
  tensor.mutable_external_data()->RemoveLast();  // no length: as many as the shape needs
  EXPECT_EQ(read_program(write(model)).error().code, ErrorCode::corrupt);
  tensor.set_dims(0, 2);
  EXPECT_THAT(read_program(write(model))->tensors.at("t").floats, ElementsAre(1, 2));
  tensor.mutable_external_data(0)->set_value("../w.bin");
  EXPECT_EQ(read_program(write(model)).error().code, ErrorCode::corrupt);
}

}  // namespace
}  // namespace neph::net
