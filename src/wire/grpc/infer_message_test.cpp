// The server's own reader and writer of inference messages, beside protobuf's.
#include "wire/http2/infer_message.hpp"

#include <gmock/gmock.h>
#include <inference.pb.h>
#include <sys/mman.h>

#include "core/protobuf.hpp"

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
