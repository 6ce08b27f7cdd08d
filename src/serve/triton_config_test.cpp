#include "serve/triton_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// docs/examples/model_repository/densenet_onnx of Triton.
constexpr auto densenet = R"(
name: "densenet_onnx"
platform: "onnxruntime_onnx"
max_batch_size : 0
input [
  {
    name: "data_0"
    data_type: TYPE_FP32
    format: FORMAT_NCHW
    dims: [ 3, 224, 224 ]
    reshape { shape: [ 1, 3, 224, 224 ] }
  }
]
output [
  {
    name: "fc6_1"
    data_type: TYPE_FP32
    dims: [ 1000 ]
    reshape { shape: [ 1, 1000, 1, 1 ] }
    label_filename: "densenet_labels.txt"
  }
]
)";

class TritonConfigs : public testing::Test {
 protected:
  TritonConfig read(const std::string& text, const std::string& name = "m") {
    auto config = read_triton_config(text, "config.pbtxt", name, options);
    EXPECT_TRUE(config) << config.error().message;
    return config.value_or(TritonConfig{});
  }
  std::string refusal(const std::string& text) {
    const auto config = read_triton_config(text, "config.pbtxt", "m", options);
    return config ? "read" : std::string(to_string(config.error().code)) + ": " + config.error().text();
  }
  ModelOptions options;
};

TEST_F(TritonConfigs, AreReadAsTritonsOwnExampleHasThem) {
  const auto config = read(densenet, "densenet_onnx");
  EXPECT_THAT(config.engines, ElementsAre("onnxruntime", "openvino"));
  EXPECT_THAT(config.label_files, ElementsAre("densenet_labels.txt"));
  EXPECT_THAT(config.notes, IsEmpty());
  EXPECT_EQ(options.batching, Batching::off);
  const auto& declared = options.declared;
  EXPECT_EQ(declared.max_batch_size, 0);
  ASSERT_EQ(declared.inputs.size(), 1U);
  EXPECT_EQ(declared.inputs[0].name, "data_0");
  EXPECT_EQ(declared.inputs[0].type, wire::DataType::f32);
  EXPECT_THAT(declared.inputs[0].dims, ElementsAre(3, 224, 224));
  EXPECT_THAT(*declared.inputs[0].reshape, ElementsAre(1, 3, 224, 224));
  EXPECT_THAT(declared.outputs.at(0).dims, ElementsAre(1000));
}

TEST_F(TritonConfigs, SayHowRequestsAreJoined) {
  const auto config = read(R"(backend: "openvino" max_batch_size: 12
    dynamic_batching { preferred_batch_size: [ 3, 6 ] max_queue_delay_microseconds: 2500 }
    instance_group [ { count: 2 kind: KIND_CPU }, { count: 1 } ]
    default_model_filename: "net.onnx")");
  EXPECT_THAT(config.engines, ElementsAre("openvino"));
  EXPECT_EQ(config.model_file, "net.onnx");
  EXPECT_EQ(options.declared.max_batch_size, 12);
  EXPECT_EQ(options.max_batch, 12);
  EXPECT_EQ(options.batching, Batching::automatic);
  EXPECT_EQ(options.batch_sizes, "3,6,1,2,4,8");
  EXPECT_DOUBLE_EQ(options.max_wait.value, 0.0025);
  EXPECT_EQ(options.instances, 3);
}

TEST_F(TritonConfigs, ThatSayNothingLeaveTheOptionsAlone) {
  options.max_batch = 4;
  options.instances = 2;
  const auto config = read("name: \"m\"");
  EXPECT_THAT(config.engines, IsEmpty());
  EXPECT_EQ(options.max_batch, 4);
  EXPECT_EQ(options.instances, 2);
  EXPECT_EQ(options.batching, Batching::automatic);
}

TEST_F(TritonConfigs, OfMoreRowsThanAreServedAreReadWithTheLimit) {
  EXPECT_THAT(read("max_batch_size: 100000 dynamic_batching { preferred_batch_size: [ 4, 70000 ] }").notes,
              ElementsAre("max_batch_size 100000: requests have at most 65536 rows here"));
  EXPECT_EQ(options.max_batch, 65536);
  EXPECT_EQ(options.declared.max_batch_size, 65536);
  EXPECT_THAT(options.batch_sizes, testing::StartsWith("4,1,2,4,8,"));
}

TEST_F(TritonConfigs, ChooseVersions) {
  using Versions = TritonConfig::Versions;
  EXPECT_EQ(read("version_policy: { latest { num_versions: 3 } }").policy, Versions::latest);
  EXPECT_EQ(options.versions, 3);
  EXPECT_EQ(read("version_policy: { all { } }").policy, Versions::all);
  const auto some = read("version_policy: { specific { versions: [ 1, 4 ] } }");
  EXPECT_EQ(some.policy, Versions::specific);
  EXPECT_THAT(some.versions, ElementsAre(1, 4));
}

TEST_F(TritonConfigs, TellWhatHasNoEffect) {
  EXPECT_THAT(read(R"(model_warmup { name: "w" } optimization { }
    dynamic_batching { preserve_ordering: true }
    input { name: "x" data_type: TYPE_FP32 dims: 1 is_non_linear_format_io: true })")
                  .notes,
              ElementsAre("without effect here: input[0].is_non_linear_format_io, "
                          "dynamic_batching.preserve_ordering, optimization, model_warmup"));
  EXPECT_THAT(read("name: 'm'\ndynamic_batchin { }").notes,
              ElementsAre("passed over: line 2: 'ModelConfig' has no field named 'dynamic_batchin'"));
  EXPECT_THAT(read("instance_group { kind: KIND_GPU }").notes,
              ElementsAre("KIND_GPU: it runs on CPU; --device cuda for a GPU"));
  EXPECT_THAT(
      read("input { name: 'x' data_type: TYPE_FP32 dims: -1 allow_ragged_batch: true } max_batch_size: 4")
          .notes,
      ElementsAre("allow_ragged_batch: each request is an execution of its own"));
  EXPECT_EQ(options.batching, Batching::off);
  options.runtime.device = "cuda";
  EXPECT_THAT(read("instance_group { kind: KIND_GPU gpus: 1 }").notes, IsEmpty());
  EXPECT_EQ(options.runtime.device, "cuda:1");
}

TEST_F(TritonConfigs, AreRefusedWhereAnswersWouldBeOthers) {
  EXPECT_EQ(refusal("platform: \"tensorrt_plan\""),
            "unsupported: config.pbtxt: platform or backend 'tensorrt_plan': neph serves onnxruntime_onnx "
            "(backend onnxruntime) and openvino");
  EXPECT_THAT(refusal("ensemble_scheduling { }"), HasSubstr("neph serves no ensembles"));
  EXPECT_THAT(refusal("sequence_batching { }"), HasSubstr("neph keeps no state between requests"));
  EXPECT_THAT(refusal("model_transaction_policy { decoupled: true }"), HasSubstr("decoupled"));
}

TEST_F(TritonConfigs, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_EQ(refusal("name: \"other\""),
            "invalid_argument: config.pbtxt: name is 'other', and the folder is 'm'");
  EXPECT_EQ(refusal("max_batch_size: -1"),
            "invalid_argument: config.pbtxt: max_batch_size is -1, and should be a whole number from 0 up");
  EXPECT_EQ(refusal("max_batch_size: 18446744073709551615"),
            "invalid_argument: config.pbtxt, line 1, column 17: integer out of range (18446744073709551615)");
  EXPECT_EQ(
      refusal("input { name: \"x\" }"),
      "invalid_argument: config.pbtxt: input[0].data_type is missing; neph knows TYPE_BOOL, TYPE_UINT8 to "
      "TYPE_INT64, TYPE_FP16, TYPE_FP32, TYPE_FP64, TYPE_BF16, TYPE_STRING");
  EXPECT_THAT(refusal("input { name: \"x\" data_type: 99 }"),
              HasSubstr("input[0].data_type is 99; neph knows"));
  EXPECT_THAT(refusal("input { name: \"x\" data_type: TYPE_FP32 dims: -2 }"),
              HasSubstr("input[0].dims is -2, and should be a whole number from -1 up"));
  EXPECT_THAT(refusal("input { data_type: TYPE_FP32 }"), HasSubstr("input[0] has no name"));
  EXPECT_EQ(
      refusal("max_batch_size: 4 dynamic_batching { preferred_batch_size: 8 }"),
      "invalid_argument: config.pbtxt: dynamic_batching.preferred_batch_size is 8, and max_batch_size 4");
  EXPECT_THAT(refusal("default_model_filename: \"../secret\""),
              HasSubstr("should be a file of the version's"));
  EXPECT_THAT(refusal("instance_group { kind: KIND_TPU }"),
              HasSubstr("unknown enumeration value of 'KIND_TPU' for field 'kind'"));
  EXPECT_THAT(refusal("instance_group { kind: 7 }"), HasSubstr("instance_group[0].kind is 7; there are"));
  EXPECT_THAT(refusal("instance_group { count: -1 }"), HasSubstr("instance_group[0].count is -1"));
}

}  // namespace
}  // namespace neph::serve
