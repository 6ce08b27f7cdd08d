// Writing and reading ONNX: what is written is valid for two checkers and reads back the same; what is broken
// is refused.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/fnv1a.hpp"
#include "core/json.hpp"
#include "core/random.hpp"
#include "net/net.hpp"
#include "net/onnx_text.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Onnx : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("neph-net-test-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Error error_of_file(std::string_view content) {
    EXPECT_TRUE(write_file(folder_ / "m.onnx", content));
    const auto network = read_onnx(folder_ / "m.onnx");
    EXPECT_FALSE(network);
    return network ? Error{} : network.error();
  }

  std::filesystem::path folder_;
};

Error error_of(const onnx::ModelProto& model) {
  const auto network = read_onnx_bytes(model.SerializeAsString(), "test");
  EXPECT_FALSE(network);
  return network ? Error{} : network.error();
}

std::string as_text(const Network& network) { return dump_json(to_json(network)); }

TEST_F(Onnx, EveryKnownNetworkReadsBackTheSame) {
  for (const auto& known : known_networks()) {
    const auto network = *build(known.name, {.classes = 10, .side = std::min<std::int64_t>(known.side, 96)});
    const auto read = read_onnx_bytes(*write_onnx_bytes(network, 1), "test");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(as_text(*read), as_text(network)) << known.name;
  }
}

TEST_F(Onnx, AnySideAndClassesReadBackTheSame) {
  Random random(20260101);
  for (int i = 0; i < 20; ++i) {
    const BuildOptions options{.classes = 1 + static_cast<std::int64_t>(random.below(50)),
                               .side = 20 + static_cast<std::int64_t>(random.below(30))};
    const auto network = *build(i % 2 == 0 ? "mnist" : "cifar10", options);
    ASSERT_TRUE(write_onnx(network, random.bits(), folder_ / "m.onnx"));
    EXPECT_EQ(as_text(*read_onnx(folder_ / "m.onnx")), as_text(network));
  }
}

TEST_F(Onnx, IsValidForTheChecker) {
  for (const std::string name : {"resnet18", "mnist", "mnist-cnn", "deepspeech2", "cifar10", "mobilenetv2",
                                 "inceptionv3", "profet-resnet18"}) {
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(*write_onnx_bytes(*build(name), 1)));
    EXPECT_NO_THROW(onnx::checker::check_model(model)) << name;
  }
}

TEST_F(Onnx, StatesItsOriginAndLeavesTheBatchOpen) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(*write_onnx_bytes(*build("mnist"), 7)));
  EXPECT_EQ(model.metadata_props(0).value(), "mnist");
  EXPECT_EQ(model.metadata_props(1).value(), "7");
  EXPECT_EQ(model.graph().input(0).name(), "input");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "n");
  EXPECT_EQ(model.graph().output(0).name(), "output");
  EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(1).dim_value(), 10);
}

TEST_F(Onnx, TheSameSeedGivesTheSameBytesEverywhere) {
  const auto network = *build("mnist");
  EXPECT_EQ(fnv1a(*write_onnx_bytes(network, 1)), 9484040454970185373U);  // recorded once
  EXPECT_NE(*write_onnx_bytes(network, 1), *write_onnx_bytes(network, 2));
}

TEST_F(Onnx, ANetworkHasTheSameWeightsWithItsDropouts) {
  const auto with = *read_program_bytes(*write_onnx_bytes(*build("cifar10-cnn"), 1), "test");
  const auto without = *read_program_bytes(*write_onnx_bytes(*build("cifar10"), 1), "test");
  for (const auto& [name, tensor] : without.tensors)
    EXPECT_EQ(with.tensors.at(name).floats, tensor.floats) << name;
  std::vector<float> shares;
  for (const auto& node : with.nodes)
    if (node.op == "Dropout") {
      EXPECT_EQ(node.inputs.size(), 2U);  // no training_mode: nothing in inference
      shares.push_back(with.tensors.at(node.inputs[1]).floats.at(0));
    }
  EXPECT_THAT(shares, testing::ElementsAre(0.25F, 0.25F, 0.5F));
}

TEST_F(Onnx, ASequenceHasItsFormInTheFile) {
  const auto network = *build("deepspeech2", {.layers = 1, .seq = 20, .width = 8});
  const auto program = *read_program_bytes(*write_onnx_bytes(network, 1), "test");
  EXPECT_THAT(program.inputs[0].shape, testing::ElementsAre(-1, 1, 161, 20));
  EXPECT_THAT(program.outputs[0].shape, testing::ElementsAre(10, -1, 29));
  const auto gru = std::find_if(program.nodes.begin(), program.nodes.end(),
                                [](const auto& node) { return node.op == "GRU"; });
  ASSERT_NE(gru, program.nodes.end());
  EXPECT_EQ(gru->attribute("direction", std::string()), "bidirectional");
  EXPECT_EQ(gru->attribute("linear_before_reset", std::int64_t{0}), 1);
  EXPECT_EQ(gru->attribute("hidden_size", std::int64_t{0}), 8);
  EXPECT_THAT(program.tensors.at("steps.shape").integers, testing::ElementsAre(0, 0, -1));
  EXPECT_THAT(program.tensors.at("relu1.max").floats, testing::ElementsAre(20));
  // The variance of what goes into a gate is that of what is read: a sum of 1312 products of weights of 1 /
  // 1312.
  double squares = 0;
  const auto& weights = program.tensors.at("gru1.weight").floats;
  for (const double weight : weights) squares += weight * weight;
  EXPECT_NEAR(squares / static_cast<double>(weights.size()) * 1312, 1, 0.02);
}

TEST_F(Onnx, RefusesToWriteANumberThatItDoesNotKnow) {
  auto model = model_from_text("float[1,4] x, float16 w", "y = Clip(x, w)");
  model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->resize(2);
  const auto read = *read_onnx_bytes(model.SerializeAsString(), "test");
  EXPECT_EQ(write_onnx_bytes(read, 1).error().code, ErrorCode::unsupported);
}

TEST_F(Onnx, RefusesToWriteWhatItDidNotBuild) {
  const auto read =
      *read_onnx_bytes(model_from_text("float[1,2] x", "y = Sigmoid(x)").SerializeAsString(), "test");
  EXPECT_EQ(write_onnx_bytes(read, 1).error().code, ErrorCode::unsupported);
  const auto huge = *build("mnist", {.side = 10'000});
  EXPECT_EQ(write_onnx_bytes(huge, 1).error().code, ErrorCode::unsupported);
}

TEST_F(Onnx, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_EQ(write_onnx(*build("mnist"), 1, folder_ / "absent" / "m.onnx").error().code, ErrorCode::not_found);
}

TEST_F(Onnx, ListsOperatorsItDoesNotKnow) {
  auto model = model_from_text("float[1,8] x", "a = Gelu(x) b = Strange(a) c = Strange(b) y = Relu(c)");
  model.mutable_graph()->mutable_node(0)->set_domain("com.example");
  const auto network = *read_onnx_bytes(model.SerializeAsString(), "test");
  EXPECT_EQ(network.unknown_operators,
            (std::map<std::string, std::int64_t>{{"Strange", 2}, {"com.example.Gelu", 1}}));
  EXPECT_EQ(network.unsized_layers, 4);
  EXPECT_EQ(network.layers[0].kind, Kind::unknown);
}

TEST_F(Onnx, TakesTheStatedShapeBehindAnUnknownOperator) {
  auto model = model_from_text("float[1,8] x, float[8,3] w", "a = Strange(x) y = MatMul(a, w)");
  auto& value = *model.mutable_graph()->add_value_info();
  value.set_name("a");
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const int size : {1, 8}) type.mutable_shape()->add_dim()->set_dim_value(size);
  const auto network = *read_onnx_bytes(model.SerializeAsString(), "test");
  EXPECT_EQ(network.totals.macs, 24);
  EXPECT_EQ(network.unsized_layers, 0);
}

void state(onnx::ModelProto& model, const std::string& name, const std::vector<std::string>& dimensions) {
  auto& value = *model.mutable_graph()->add_value_info();
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const auto& dimension : dimensions) {
    const bool number = std::isdigit(static_cast<unsigned char>(dimension[0])) != 0;
    auto& stated = *type.mutable_shape()->add_dim();
    if (number)
      stated.set_dim_value(std::stoll(dimension));
    else
      stated.set_dim_param(dimension);
  }
}

TEST_F(Onnx, BelievesAStatedShapeWhereTheRuleLeavesItOpen) {
  // A target that only the run tells; the file states it, with the batch by its name.
  auto model = model_from_text("float[n,8] x, int64[2] target, float[4,3] w",
                               "a = Reshape(x, target) y = MatMul(a, w)");
  EXPECT_EQ(read_onnx_bytes(model.SerializeAsString(), "test")->totals.macs, std::nullopt);
  state(model, "a", {"n", "4"});
  EXPECT_EQ(read_onnx_bytes(model.SerializeAsString(), "test")->totals.macs, 12);
}

TEST_F(Onnx, CountsAProductWhoseOutputTheFileStates) {
  auto model = model_from_text("float[1,3,h,w] x, float[4,3,3,3] w1", "y = Conv(x, w1)");
  state(model, "y", {"1", "4", "5", "6"});
  EXPECT_EQ(read_onnx_bytes(model.SerializeAsString(), "test")->totals.macs, 4 * 5 * 6 * 27);
}

TEST_F(Onnx, ASideLeftOpenIsTakenFromTheOptions) {
  const auto bytes =
      model_from_text("float[n,3,h,w] x, float[4,3,3,3] w1", "y = Conv(x, w1)").SerializeAsString();
  const auto open = *read_onnx_bytes(bytes, "test");
  EXPECT_EQ(open.layers[0].outputs[0], (Shape{1, 4, -1, -1}));
  EXPECT_EQ(open.unsized_layers, 1);
  EXPECT_EQ(open.totals.parameters, 108);
  EXPECT_EQ(read_onnx_bytes(bytes, "test", {.side = 10})->totals.macs, 64 * 4 * 27);
}

TEST_F(Onnx, RefusesFilesThatAreNoModel) {
  EXPECT_EQ(read_onnx(folder_ / "absent.onnx").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_onnx(folder_).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(error_of_file("").code, ErrorCode::corrupt);
  EXPECT_THAT(error_of_file("").message, HasSubstr("is empty"));
  EXPECT_EQ(error_of_file("Dear reader,\nthis is a letter.\n").code, ErrorCode::corrupt);
  EXPECT_EQ(error_of_file("{\"json\": 1}").code, ErrorCode::corrupt);
  EXPECT_EQ(error_of_file(std::string(5000, '\0')).code, ErrorCode::corrupt);
}

TEST_F(Onnx, CallsAnotherModelByItsFormat) {
  const auto complaint = [this](std::string_view content) {
    const auto error = error_of_file(content);
    EXPECT_EQ(error.code, ErrorCode::unsupported) << error.message;
    return error.message;
  };
  using std::string_view_literals::operator""sv;
  // Of a flatbuffer the first bytes are an offset, which may be an ONNX model's first byte.
  EXPECT_THAT(complaint("\x08\0\0\0TFL3 and so on"sv), HasSubstr("a TensorFlow Lite model"));
  EXPECT_THAT(complaint("\x1c\0\0\0TFL3"sv), HasSubstr("only ONNX files are read"));
  EXPECT_THAT(complaint("<?xml version=\"1.0\"?>\n<net name=\"Model0\" version=\"11\">"),
              HasSubstr("an OpenVINO model"));
  EXPECT_THAT(complaint("PK\x03\x04 archive"), HasSubstr("a zip archive"));
  const auto saved =
      read_onnx_bytes("\x08\x01\x12\x7f meta graph", "saved_model.pb");  // as an ONNX model begins
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("a TensorFlow model"));
}

TEST_F(Onnx, RefusesAModelCutShortAnywhere) {
  const auto bytes = *write_onnx_bytes(*build("mnist", {.side = 12}), 1);
  for (const double part : {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.9999}) {
    const auto size = static_cast<std::size_t>(static_cast<double>(bytes.size()) * part);
    const auto network = read_onnx_bytes(std::string_view(bytes).substr(0, size), "short.onnx");
    ASSERT_FALSE(network) << part;
    EXPECT_EQ(network.error().code, ErrorCode::corrupt);
    EXPECT_THAT(network.error().message, StartsWith("short.onnx: "));
  }
}

TEST_F(Onnx, RefusesANewerFileFormat) {
  auto model = model_from_text("float[1,2] x", "y = Relu(x)");
  model.set_ir_version(99);
  EXPECT_EQ(error_of(model).code, ErrorCode::unsupported);
}

TEST_F(Onnx, ReadsNewerOperatorSets) {
  auto model = model_from_text("float[1,2,8] x", "a = Gelu(x) y = Softmax(a)", "y", 13);
  model.mutable_opset_import(0)->set_version(40);
  const auto network = *read_onnx_bytes(model.SerializeAsString(), "test");
  EXPECT_EQ(network.opset, 40);
  EXPECT_TRUE(network.unknown_operators.empty());
}

TEST_F(Onnx, RefusesGraphsThatContradictThemselves) {
  const auto complaint = [](const std::string& inputs, const std::string& node) {
    const auto error = error_of(model_from_text(inputs, node));
    EXPECT_EQ(error.code, ErrorCode::corrupt) << error.message;
    return error.message;
  };
  EXPECT_EQ(complaint("float[1,3,8,8] x, float[4,3,3,3] w", "y = Conv<strides=[0,0]>(x, w)"),
            "test: node 'y' (Conv): strides of 0 is not possible");
  EXPECT_EQ(complaint("float[1,3,8,8] x, float[4,5,3,3] w", "y = Conv(x, w)"),
            "test: node 'y' (Conv): input has 3 channels, the filters take 5");
  EXPECT_EQ(complaint("float[1,3,2,2] x, float[4,3,3,3] w", "y = Conv(x, w)"),
            "test: node 'y' (Conv): a window of 3 does not fit into 2 elements: the image is too small");
  EXPECT_EQ(complaint("float[2,3] x, float[4,5] w", "y = MatMul(x, w)"),
            "test: node 'y' (MatMul): 2x3 cannot be multiplied with 4x5");
  EXPECT_EQ(complaint("float[2,3] x, float[2,4] w", "y = Add(x, w)"),
            "test: node 'y' (Add): 2x3 and 2x4 cannot be combined element by element");
  EXPECT_EQ(complaint("float[2,3] x", "y = Relu(z)"),
            "test: node 'y' (Relu) reads 'z', which nothing before it makes");
  EXPECT_EQ(complaint("float[2,3] x", "x = Relu(x)  y = Relu(x)"),
            "test: node 'x' (Relu): there are two tensors called 'x'");
  EXPECT_EQ(complaint("float[2,3] x", "z = Relu(x)"), "test: nothing makes the output 'y'");
}

TEST_F(Onnx, RefusesSizesThatNoTensorHas) {
  for (const std::string inputs : {"float[1,9000000000000000000] x", "float[1,4000000000,4000000000] x"}) {
    const auto error = error_of(model_from_text(inputs, "a = Relu(x) y = Relu(a)"));
    EXPECT_EQ(error.code, ErrorCode::corrupt);
    EXPECT_THAT(error.message, HasSubstr("no size that a real tensor has"));
  }
}

TEST_F(Onnx, RefusesAStoredTensorWithoutItsData) {
  auto model = model_from_text("float[1,8] x, float[8,3] w", "y = MatMul(x, w)");
  model.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->resize(40);
  EXPECT_EQ(error_of(model).message, "test: tensor 'w' has 40 bytes of data, its shape 8x3 needs 96");
}

TEST_F(Onnx, LooksForExternalData) {
  auto model = model_from_text("float[1,8] x, float[8,3] w", "y = MatMul(x, w)");
  auto& tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto set = [&tensor](const std::string& key, const std::string& value) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  set("location", "w.bin");
  set("offset", "4");
  set("length", "96");
  EXPECT_EQ(error_of_file(model.SerializeAsString()).code, ErrorCode::not_found);
  ASSERT_TRUE(write_file(folder_ / "w.bin", std::string(99, 'w')));
  EXPECT_THAT(error_of_file(model.SerializeAsString()).message,
              HasSubstr("has 99 bytes, tensor 'w' needs 96 from byte 4"));
  ASSERT_TRUE(write_file(folder_ / "w.bin", std::string(100, 'w')));
  EXPECT_EQ(read_onnx(folder_ / "m.onnx")->totals.parameters, 24);
  tensor.mutable_external_data(0)->set_value("../w.bin");
  EXPECT_EQ(error_of_file(model.SerializeAsString()).code, ErrorCode::corrupt);
}

TEST_F(Onnx, MessagesAreOneLineWhateverTheNames) {
  auto model = model_from_text("float[2,3] x", "y = Relu(z)");
  model.mutable_graph()->mutable_node(0)->set_name("a\nb\x1b[31m");
  EXPECT_EQ(error_of(model).message, "test: node 'a?b?[31m' (Relu) reads 'z', which nothing before it makes");
}

/// Multiply-accumulates of files that other exporters made, which come with Python's onnx (their weights are
/// made by ConstantOfShape, so there are no parameters to count). The values are those of torchvision's model
/// cards, to the digits given there.
TEST_F(Onnx, FilesOfOtherExportersHaveThePublishedWork) {
  const char* python = std::getenv("NEPH_PYTHON");
  if (!python) GTEST_SKIP() << "NEPH_PYTHON is not set; ctest sets it";
  std::filesystem::path models;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(python).parent_path().parent_path() / "lib"))
    if (const auto light = entry.path() / "site-packages/onnx/backend/test/data/light"; exists(light))
      models = light;
  const std::map<std::string, double> published{
      {"resnet50", 4.09e9}, {"vgg19", 19.63e9}, {"densenet121", 2.83e9}, {"squeezenet", 0.35e9}};
  for (const auto& [name, macs] : published) {
    const auto network = read_onnx(models / fmt::format("light_{}.onnx", name));
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_NEAR(static_cast<double>(*network->totals.macs), macs, 0.005e9) << name;
    EXPECT_TRUE(network->unknown_operators.empty()) << name;
    EXPECT_EQ(network->unsized_layers, 0) << name;
  }
}

/// Runs seeded_weights_check.py, the view of other people's software: onnx's checker and OpenVINO's answers.
TEST_F(Onnx, OtherSoftwareTakesItAndSeesDifferentPictures) {
  const char* python = std::getenv("NEPH_PYTHON");
  if (!python) GTEST_SKIP() << "NEPH_PYTHON is not set; ctest sets it";
  if (!std::filesystem::exists("../shared/data/images")) GTEST_SKIP() << "../shared/data/images is not there";
  ASSERT_TRUE(write_onnx(*build("resnet18"), 1, folder_ / "m.onnx"));
  const auto command = fmt::format("'{}' src/net/seeded_weights_check.py {} ../shared/data/images", python,
                                   (folder_ / "m.onnx").string());
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
}

TEST_F(Onnx, OtherSoftwareComputesTheSpeechNetworkAsItsFormulasSay) {
  const char* python = std::getenv("NEPH_PYTHON");
  if (!python) GTEST_SKIP() << "NEPH_PYTHON is not set; ctest sets it";
  ASSERT_TRUE(
      write_onnx(*build("deepspeech2", {.layers = 2, .seq = 60, .width = 32}), 1, folder_ / "s.onnx"));
  const auto command =
      fmt::format("'{}' src/net/seeded_speech_check.py {}", python, (folder_ / "s.onnx").string());
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
}

}  // namespace
}  // namespace neph::net
