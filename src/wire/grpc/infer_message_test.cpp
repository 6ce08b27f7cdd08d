// Our reader and writer of inference messages, beside protobuf's.
#include "wire/protobuf/infer_message.hpp"

#include <gmock/gmock.h>
#include <inference.pb.h>
#include <sys/mman.h>

#include "core/protobuf.hpp"
#include "wire/protobuf/described.hpp"

namespace neph::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t plenty = 1 << 20;

inference::ModelInferRequest request_of(const std::string& type, const std::vector<std::int64_t>& shape) {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_id("ünï");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype(type);
  for (const auto size : shape) input.add_shape(size);
  return request;
}

std::string error_of(const std::string& bytes, std::uint64_t most_bytes = plenty) {
  InferRequest request;
  const auto status = read_infer_request(bytes, most_bytes, request);
  return status ? "" : status.error().text();
}

std::string in_one(const OutgoingMessage& message) {
  std::string all;
  for (const auto& piece : message.pieces)
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return all;
}

TEST(ReadInferRequest, TakesAllThatARequestHas) {
  auto proto = request_of("FP32", {1, 2});
  proto.set_model_version("3");
  auto& parameters = *proto.mutable_parameters();
  parameters["yes"].set_bool_param(true);
  parameters["less"].set_int64_param(-5);
  parameters["text"].set_string_param("a");
  parameters["half"].set_double_param(0.5);
  parameters["most"].set_uint64_param(UINT64_MAX);
  (*proto.add_outputs()->mutable_parameters())["classification"].set_int64_param(3);
  proto.mutable_outputs(0)->set_name("y");
  proto.add_raw_input_contents("12345678");
  auto& shared = *proto.add_inputs();
  shared.set_name("z");
  shared.set_datatype("UINT8");
  shared.add_shape(4);
  (*shared.mutable_parameters())["shared_memory_region"].set_string_param("r");
  (*shared.mutable_parameters())["shared_memory_byte_size"].set_int64_param(4);
  const auto bytes = proto.SerializeAsString();
  InferRequest request;
  ASSERT_TRUE(read_infer_request(bytes, plenty, request));
  EXPECT_EQ(request.model + request.version + request.id, "m3ünï");
  EXPECT_EQ(*find(request.parameters, "yes"), Value(true));
  EXPECT_EQ(*find(request.parameters, "less"), Value(std::int64_t{-5}));
  EXPECT_EQ(*find(request.parameters, "text"), Value(std::string("a")));
  EXPECT_EQ(*find(request.parameters, "half"), Value(0.5));
  EXPECT_EQ(*find(request.parameters, "most"), Value(std::uint64_t{UINT64_MAX}));
  EXPECT_EQ(request.outputs.at(0).classification, 3);
  EXPECT_THAT(std::vector(request.inputs.at(0).shape.begin(), request.inputs.at(0).shape.end()),
              ElementsAre(1, 2));
  EXPECT_EQ(std::memcmp(request.inputs[0].data.data(), "12345678", 8), 0);
  EXPECT_GE(reinterpret_cast<const char*>(request.inputs[0].data.data()), bytes.data()) << "in place";
  EXPECT_EQ(request.inputs.at(1).shared->region, "r");
}

TEST(ReadInferRequest, DecodesTypedContentsPackedAndOneByOne) {
  auto proto = request_of("INT16", {3});
  for (const int value : {-2, 0, 300}) proto.mutable_inputs(0)->mutable_contents()->add_int_contents(value);
  InferRequest request;
  ASSERT_TRUE(read_infer_request(proto.SerializeAsString(), plenty, request));
  EXPECT_EQ(std::memcmp(request.inputs[0].data.data(), "\xfe\xff\0\0\x2c\x01", 6), 0);

  std::string contents, input, bytes;  // as an encoder of proto2 writes them
  for (const std::uint64_t value : {1, 2, 3}) protobuf::put_number(contents, 3, value);
  protobuf::put_field(input, 1, "x");
  protobuf::put_field(input, 5, contents);
  protobuf::put_field(input, 2, "INT64");
  protobuf::put_number(input, 3, 3);
  protobuf::put_field(bytes, 5, input);
  InferRequest other;
  ASSERT_TRUE(read_infer_request(bytes, plenty, other));
  EXPECT_EQ(other.inputs[0].data.size(), 24U);
  EXPECT_EQ(std::to_integer<int>(other.inputs[0].data[16]), 3);
}

TEST(ReadInferRequest, EveryElementTypeOfContents) {
  for (const auto& [type, bytes] : std::vector<std::pair<std::string, std::size_t>>{{"BOOL", 1},
                                                                                    {"INT8", 1},
                                                                                    {"INT32", 4},
                                                                                    {"INT64", 8},
                                                                                    {"UINT8", 1},
                                                                                    {"UINT64", 8},
                                                                                    {"FP32", 4},
                                                                                    {"FP64", 8},
                                                                                    {"BYTES", 5}}) {
    auto proto = request_of(type, {2});
    auto& contents = *proto.mutable_inputs(0)->mutable_contents();
    for (int i = 0; i < 2; ++i) {
      contents.add_bool_contents(true);
      contents.add_int_contents(1);
      contents.add_int64_contents(1);
      contents.add_uint_contents(1);
      contents.add_uint64_contents(1);
      contents.add_fp32_contents(1);
      contents.add_fp64_contents(1);
      contents.add_bytes_contents("a");
    }
    InferRequest request;
    ASSERT_TRUE(read_infer_request(proto.SerializeAsString(), plenty, request)) << type;
    EXPECT_EQ(request.inputs[0].data.size(), 2 * bytes) << type;
  }
}

TEST(ReadInferRequest, BoundsWhatSmallMessagesGrowTo) {
  const std::string model("\x0a\x01m");
  std::string empty_inputs = model, empty_raw = model, parameters = model;
  for (int i = 0; i < 2000; ++i) {
    empty_inputs += std::string("\x2a\0", 2);
    empty_raw += std::string("\x3a\0", 2);
    std::string value, entry;
    protobuf::put_number(value, 2, 1);
    protobuf::put_field(entry, 1, std::to_string(i));
    protobuf::put_field(entry, 2, value);
    protobuf::put_field(parameters, 4, entry);
  }
  EXPECT_NE(error_of(empty_inputs), "");
  EXPECT_THAT(error_of(empty_raw), HasSubstr("more than 1024 tensors"));
  EXPECT_THAT(error_of(parameters), HasSubstr("more than 1024 parameters"));

  auto ones = request_of("INT64", {1000});
  for (int i = 0; i < 1000; ++i) ones.mutable_inputs(0)->mutable_contents()->add_int64_contents(1);
  EXPECT_EQ(error_of(ones.SerializeAsString(), 10'000), "");
  EXPECT_THAT(error_of(ones.SerializeAsString(), 8'999), HasSubstr("8000 bytes when decoded"));
  ones.mutable_inputs(0)->set_shape(0, 1);  // less than there is
  EXPECT_THAT(error_of(ones.SerializeAsString(), 2'000), HasSubstr("16 bytes of data; INT64 [1] has 8"));
  ones.mutable_inputs(0)->set_shape(0, -1);
  EXPECT_NE(error_of(ones.SerializeAsString(), 2'000), "");
}

TEST(ReadInferRequest, NamesWhatIsWrong) {
  EXPECT_THAT(error_of("\xff"), HasSubstr("not a ModelInferRequest"));
  EXPECT_THAT(error_of(std::string("\x0a\x02\xc3\x28", 4)), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of("\x08\x01"), HasSubstr("not a ModelInferRequest")) << "a number where a text belongs";
  EXPECT_THAT(error_of(request_of("FP31", {1}).SerializeAsString()), HasSubstr("did you mean 'FP32'?"));
  EXPECT_THAT(error_of(request_of("FP32", std::vector<std::int64_t>(9, 1)).SerializeAsString()),
              HasSubstr("more than 8 dimensions"));
  EXPECT_THAT(error_of(request_of("", {1}).SerializeAsString()), HasSubstr("datatype"));
}

TEST(ReadInferRequest, PassesOverFieldsThatAreNotInTheProtocol) {
  auto bytes = request_of("BYTES", {0}).SerializeAsString();
  protobuf::put_varint(bytes, 90 << 3 | protobuf::group);
  protobuf::put_number(bytes, 1, 1);
  protobuf::put_varint(bytes, 90 << 3 | protobuf::group_end);
  protobuf::put_field(bytes, 91, "x");
  inference::ModelInferRequest proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  EXPECT_EQ(error_of(bytes), "");
}

inference::ModelInferResponse response_of(const std::string& type, const std::vector<std::int64_t>& shape) {
  inference::ModelInferResponse response;
  response.set_model_name("m");
  response.set_model_version("3");
  response.set_id("7");
  (*response.mutable_parameters())["p"].set_int64_param(-1);
  auto& output = *response.add_outputs();
  output.set_name("y");
  output.set_datatype(type);
  for (const auto size : shape) output.add_shape(size);
  return response;
}

Error reply_error(const std::string& bytes) {
  InferReply reply;
  const auto status = read_infer_reply(bytes, reply);
  return status ? Error{} : status.error();
}

TEST(ReadInferReply, TakesRawAndTypedContents) {
  auto proto = response_of("FP32", {1, 2});
  auto& shared = *proto.add_outputs();
  shared.set_name("z");
  shared.set_datatype("UINT8");
  shared.add_shape(4);
  (*shared.mutable_parameters())["shared_memory_region"].set_string_param("r");
  auto typed = proto;
  proto.add_raw_output_contents("12345678");
  for (const float value : {0.5F, -2.0F})
    typed.mutable_outputs(0)->mutable_contents()->add_fp32_contents(value);
  const auto raw_bytes = proto.SerializeAsString();
  InferReply reply;
  ASSERT_TRUE(read_infer_reply(raw_bytes, reply));
  EXPECT_EQ(reply.model + reply.version + reply.id, "m37");
  EXPECT_EQ(*find(reply.parameters, "p"), Value(std::int64_t{-1}));
  ASSERT_EQ(reply.outputs.size(), 2U);
  EXPECT_EQ(reply.outputs[0].name, "y");
  EXPECT_EQ(std::memcmp(reply.outputs[0].data.data(), "12345678", 8), 0);
  EXPECT_EQ(reply.outputs[1].shared->region, "r");
  reply.clear();
  ASSERT_TRUE(read_infer_reply(typed.SerializeAsString(), reply));
  const std::vector<float> values{0.5F, -2.0F};
  ASSERT_EQ(reply.outputs[0].data.size(), 8U);
  EXPECT_EQ(std::memcmp(reply.outputs[0].data.data(), values.data(), 8), 0);
}

TEST(ReadInferReply, NamesWhatIsWrong) {
  for (const std::string wrong : {"\xff", "\x08\x01", "\x2b"}) {
    EXPECT_EQ(reply_error(wrong).code, ErrorCode::corrupt);
    EXPECT_EQ(reply_error(wrong).message, "the reply is not a ModelInferResponse");
  }
  auto proto = response_of("FP32", {1, 2});
  EXPECT_THAT(reply_error(proto.SerializeAsString()).message,
              HasSubstr("0 bytes of data; FP32 [1, 2] has 8"));
  for (int i = 0; i < 2; ++i) proto.add_raw_output_contents("12345678");
  EXPECT_THAT(reply_error(proto.SerializeAsString()).message, HasSubstr("2 raw contents for 1 tensors"));
  auto huge = response_of("FP64", {std::int64_t{1} << 40});  // no memory is taken for what is not there
  huge.mutable_outputs(0)->mutable_contents()->add_fp64_contents(1);
  EXPECT_THAT(reply_error(huge.SerializeAsString()).message,
              HasSubstr("8 bytes of data; FP64 [1099511627776]"));
  EXPECT_THAT(reply_error(response_of("FP16", {1}).SerializeAsString()).message,
              HasSubstr("no typed contents"));
}

TEST(WriteInferRequest, IsReadByProtobuf) {
  const std::string data(300, 'd'), word("\1\0\0\0a", 5);
  InferRequest request{.model = "m", .version = "3", .id = "7"};
  request.parameters = {{"yes", true},
                        {"less", std::int64_t{-5}},
                        {"most", std::uint64_t{UINT64_MAX}},
                        {"half", 0.5},
                        {"text", std::string("a")}};
  request.inputs = {{.name = "x", .type = DataType::u8, .shape = {300}, .data = bytes_of(data)},
                    {.name = "s", .type = DataType::i8, .shape = {8}, .shared = SharedPart{"r", 16, 8}},
                    {.name = "z", .type = DataType::f16, .shape = {0, 4}},
                    {.name = "w", .type = DataType::bytes, .shape = {1}, .data = bytes_of(word)}};
  request.outputs = {{.name = "y", .classification = 5}, {.name = "q", .shared = SharedPart{"r", 0, 4}}};
  OutgoingMessage message;
  write_infer_request(request, message);
  inference::ModelInferRequest proto;
  ASSERT_TRUE(proto.ParseFromString(in_one(message)));
  EXPECT_EQ(proto.model_name() + proto.model_version() + proto.id(), "m37");
  const auto& parameters = proto.parameters();
  EXPECT_TRUE(parameters.at("yes").bool_param());
  EXPECT_EQ(parameters.at("less").int64_param(), -5);
  EXPECT_EQ(parameters.at("most").uint64_param(), UINT64_MAX);
  EXPECT_EQ(parameters.at("half").double_param(), 0.5);
  EXPECT_EQ(parameters.at("text").string_param(), "a");
  ASSERT_EQ(proto.inputs_size(), 4);
  EXPECT_EQ(proto.inputs(0).datatype(), "UINT8");
  EXPECT_THAT(proto.inputs(2).shape(), ElementsAre(0, 4));
  const auto& shared = proto.inputs(1).parameters();
  EXPECT_EQ(shared.at("shared_memory_region").string_param(), "r");
  EXPECT_EQ(shared.at("shared_memory_byte_size").int64_param(), 8);
  EXPECT_EQ(shared.at("shared_memory_offset").int64_param(), 16);
  EXPECT_EQ(proto.outputs(0).parameters().at("classification").int64_param(), 5);
  EXPECT_EQ(proto.outputs(1).parameters().size(), 2U) << "no offset";
  EXPECT_THAT(proto.raw_input_contents(), ElementsAre(data, "", word));
  InferRequest read;
  const auto bytes = in_one(message);
  ASSERT_TRUE(read_infer_request(bytes, plenty, read)) << error_of(bytes);
  EXPECT_EQ(read.inputs[1].shared->offset, 16U);
}

TEST(Described, IsWhatProtobufReadsAndWrites) {
  ModelStatistics statistics{.name = "m\xff", .inference_count = 3};
  statistics.inference_stats.compute_output = {2, 7};
  statistics.batch_stats = {{.batch_size = 4}, {.compute_infer = {1, 2}}};
  inference::ModelStatistics read;
  ASSERT_TRUE(read.ParseFromString(to_protobuf(statistics)));
  EXPECT_EQ(read.name(), "m\uFFFD");
  EXPECT_EQ(read.inference_count(), 3U);
  EXPECT_EQ(read.inference_stats().compute_output().ns(), 7U);
  EXPECT_EQ(read.batch_stats(0).batch_size(), 4U);
  EXPECT_EQ(read.batch_stats(1).compute_infer().count(), 1U);
  EXPECT_EQ(to_protobuf(statistics), read.SerializeAsString());
  statistics.inference_stats.cache_hit = {1, 1};
  EXPECT_EQ(to_protobuf(statistics), read.SerializeAsString()) << "gRPC has no such field here";

  inference::ModelMetadataResponse proto;
  proto.set_name("m");
  for (const auto* version : {"1", "2"}) proto.add_versions(version);
  proto.set_platform("p");
  auto& output = *proto.add_outputs();
  output.set_name("y");
  output.set_datatype("FP32");
  for (const int size : {-1, 4}) output.add_shape(size);
  ModelMetadata metadata;
  ASSERT_TRUE(from_protobuf(proto.SerializeAsString(), metadata));
  EXPECT_EQ(metadata.name + metadata.platform, "mp");
  EXPECT_THAT(metadata.versions, ElementsAre("1", "2"));
  EXPECT_TRUE(metadata.inputs.empty());
  EXPECT_THAT(metadata.outputs.at(0).shape, ElementsAre(-1, 4));
  for (const auto* wrong : {"\xff", "\x0a\x01\xff", "\x2a\x01\xff", "\x0a\x05m"})
    EXPECT_FALSE(from_protobuf(wrong, metadata));
}

InferReply reply_of(std::span<const std::byte> data) {
  InferReply reply{.model = "m", .version = "1", .id = "7"};
  reply.parameters.push_back({"p", std::int64_t{-1}});
  reply.outputs.push_back({.name = "y",
                           .type = DataType::u8,
                           .shape = {1, static_cast<std::int64_t>(data.size())},
                           .data = data});
  reply.outputs.push_back({.name = "s", .type = DataType::u8, .shape = {1}, .shared = SharedPart{"r", 0, 1}});
  return reply;
}

TEST(WriteInferReply, IsReadByProtobuf) {
  const std::string data(300, 'd');
  for (const bool streamed : {false, true}) {
    OutgoingMessage message;
    ASSERT_TRUE(write_infer_reply(reply_of(bytes_of(data)), streamed, message));
    const auto bytes = in_one(message);
    EXPECT_EQ(bytes.size(), message.bytes());
    const auto length = static_cast<unsigned char>(bytes[3]) * 256U + static_cast<unsigned char>(bytes[4]);
    ASSERT_EQ(length, bytes.size() - 5);
    inference::ModelInferResponse proto;
    if (streamed) {
      inference::ModelStreamInferResponse outer;
      ASSERT_TRUE(outer.ParseFromString(bytes.substr(5)));
      proto = outer.infer_response();
    } else {
      ASSERT_TRUE(proto.ParseFromString(bytes.substr(5)));
    }
    EXPECT_EQ(proto.model_name() + proto.model_version() + proto.id(), "m17");
    EXPECT_EQ(proto.parameters().at("p").int64_param(), -1);
    EXPECT_THAT(proto.outputs(0).shape(), ElementsAre(1, 300));
    EXPECT_EQ(proto.outputs(0).datatype(), "UINT8");
    ASSERT_EQ(proto.raw_output_contents_size(), 2);
    EXPECT_EQ(proto.raw_output_contents(0), data);
    EXPECT_EQ(proto.raw_output_contents(1), "");
  }
  OutgoingMessage message;
  write_stream_error("no", {.id = "7"}, message);
  inference::ModelStreamInferResponse outer;
  ASSERT_TRUE(outer.ParseFromString(in_one(message).substr(5)));
  EXPECT_EQ(outer.error_message() + outer.infer_response().id(), "no7");
}

TEST(WriteInferReply, RefusesMoreThanGrpcCarries) {
  constexpr std::size_t bytes = std::size_t{1} << 31;
  void* const space = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(space, MAP_FAILED);
  OutgoingMessage message;
  const auto status =
      write_infer_reply(reply_of({static_cast<const std::byte*>(space), bytes}), false, message);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("gRPC carries at most 2147483647"));
  ::munmap(space, bytes);
}

}  // namespace
}  // namespace neph::wire
