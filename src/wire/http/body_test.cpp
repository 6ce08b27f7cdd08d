#include "wire/http/body.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/random.hpp"
#include "wire/json/infer_json.hpp"

namespace neph::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

/// The message of the refusal; "accepted" if there is none.
std::string fault_of(std::string_view body, std::optional<std::uint64_t> json_bytes = {}) {
  InferRequest request;
  const auto status = read_body(bytes_of(body), json_bytes, request);
  EXPECT_TRUE(status || status.error().code == ErrorCode::invalid_argument);
  return status ? "accepted" : status.error().text();
}

TEST(RequestBody, WithNumbersInJson) {
  InferRequest request;
  ASSERT_TRUE(read_body(
      bytes_of(R"({"id": "7", "parameters": {"priority": 2, "timeout": 500, "note": "x", "ratio": 0.5},
      "inputs": [{"name": "a", "shape": [2, 2], "datatype": "FP32", "data": [[1, 2.5], [-3e2, 4]]},
                 {"name": "b", "shape": [3], "datatype": "INT64", "data": [1, -9223372036854775808, 3]},
                 {"name": "c", "shape": [2], "datatype": "BYTES", "data": ["", "déjà"]},
                 {"name": "d", "shape": [2], "datatype": "BOOL", "data": [true, false]}],
      "outputs": [{"name": "y", "parameters": {"binary_data": true}}, {"name": "z"}]})"),
      {}, request));
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(find_integer(request.parameters, "priority"), 2);
  EXPECT_EQ(find_integer(request.parameters, "timeout"), 500);
  EXPECT_EQ(find_integer(request.parameters, "note"), std::nullopt);
  EXPECT_EQ(std::get<double>(*find(request.parameters, "ratio")), 0.5);
  ASSERT_EQ(request.inputs.size(), 4U);
  EXPECT_EQ(request.inputs[0].shape, (Shape{2, 2}));
  EXPECT_THAT(values_of<float>(request.inputs[0]), ElementsAre(1, 2.5F, -300, 4));
  EXPECT_THAT(values_of<std::int64_t>(request.inputs[1]), ElementsAre(1, INT64_MIN, 3));
  std::vector<std::string> words;
  for_each_bytes(request.inputs[2].data, [&](auto element) {
    words.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  });
  EXPECT_THAT(words, ElementsAre("", "déjà"));
  EXPECT_THAT(values_of<std::uint8_t>(request.inputs[3]), ElementsAre(1, 0));
  ASSERT_EQ(request.outputs.size(), 2U);
  EXPECT_EQ(request.outputs[0].binary, true);
  EXPECT_EQ(request.outputs[1].binary, std::nullopt);
}

TEST(RequestBody, WhoseDataComesBeforeItsType) {
  InferRequest request;
  ASSERT_TRUE(read_body(bytes_of(R"({"outputs": [{"name": "y"}, {"name": "z"}],
      "inputs": [{"data": [1, 2], "shape": [2], "name": "a", "datatype": "UINT8"},
                 {"datatype": "INT16", "shape": [1], "name": "b", "data": [-2]}], "id": "late"})"),
                        {}, request));
  EXPECT_EQ(request.inputs[0].shape.rank(), 1U);
  EXPECT_THAT(values_of<std::uint8_t>(request.inputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(values_of<std::int16_t>(request.inputs[1]), ElementsAre(-2));
  ASSERT_EQ(request.outputs.size(), 2U);
  EXPECT_EQ(request.outputs[0].name, "y");
}

TEST(RequestBody, MayWriteWholeNumbersWithAPoint) {
  InferRequest request;
  ASSERT_TRUE(read_body(bytes_of(R"({"inputs":[
      {"name":"a","datatype":"INT64","shape":[2,2],"data":[[1.0,-2.0],[3e2,-0.0]]},
      {"name":"b","datatype":"UINT8","shape":[1],"data":[255.0]},
      {"name":"c","datatype":"UINT64","shape":[1],"data":[9007199254740991.0]},
      {"name":"d","datatype":"BOOL","shape":[1],"data":[1.0]}]})"),
                        {}, request));
  EXPECT_THAT(values_of<std::int64_t>(request.inputs[0]), ElementsAre(1, -2, 300, 0));
  EXPECT_THAT(values_of<std::uint8_t>(request.inputs[1]), ElementsAre(255));
  EXPECT_THAT(values_of<std::uint64_t>(request.inputs[2]), ElementsAre((std::uint64_t{1} << 53) - 1));
  EXPECT_THAT(values_of<std::uint8_t>(request.inputs[3]), ElementsAre(1));
}

TEST(RequestBody, WithBytesBehindTheJson) {
  const std::string json =
      R"({"inputs":[{"name":"a","datatype":"UINT8","shape":[3],"parameters":{"binary_data_size":3}},
                    {"name":"j","datatype":"INT32","shape":[1],"data":[5]},
                    {"name":"b","datatype":"UINT16","shape":[1],"parameters":{"binary_data_size":2}}],
          "parameters":{"binary_data_output":true}})";
  const std::string body = json + "abcxy";
  InferRequest request;
  ASSERT_TRUE(read_body(bytes_of(body), json.size(), request));
  EXPECT_TRUE(request.binary_outputs);
  EXPECT_EQ(request.inputs[0].data.data(), bytes_of(body).data() + json.size()) << "a copy was made";
  EXPECT_THAT(values_of<char>(request.inputs[2]), ElementsAre('x', 'y'));
  EXPECT_THAT(values_of<std::int32_t>(request.inputs[1]), ElementsAre(5));
}

TEST(RequestBody, ThatIsAllData) {
  InferRequest request;
  ASSERT_TRUE(read_body(bytes_of("pixels"), 0, request));
  EXPECT_TRUE(request.raw);
  EXPECT_EQ(request.inputs.at(0).data.size(), 6U);
}

TEST(RequestBody, InSharedMemory) {
  InferRequest request;
  ASSERT_TRUE(read_body(bytes_of(R"({"inputs":[{"name":"a","datatype":"FP32","shape":[1,16],"parameters":
          {"shared_memory_region":"in","shared_memory_byte_size":64,"shared_memory_offset":8}}],
          "outputs":[{"name":"y","parameters":{"shared_memory_region":"out","shared_memory_byte_size":4}}]})"),
                        {}, request));
  EXPECT_EQ(request.inputs[0].shared->region, "in");
  EXPECT_EQ(request.inputs[0].shared->bytes, 64U);
  EXPECT_EQ(request.inputs[0].shared->offset, 8U);
  EXPECT_EQ(request.outputs[0].shared->region, "out");
}

TEST(RequestBody, PassesOverWhatItDoesNotKnow) {
  EXPECT_EQ(
      fault_of(R"({"new":{"a":[1,{"b":null}]},"x":3,"inputs":[{"name":"a","datatype":"UINT8","shape":[1],
      "data":[1],"hint":[[]]}],"outputs":[{"name":"y","parameters":{"later":"x"},"more":{}}]})"),
      "accepted");
}

TEST(RequestBody, ThatIsWrongIsRefusedWithThePlace) {
  const auto tensor = [](std::string_view rest) {
    return fmt::format(R"({{"inputs":[{{"name":"a",{}}}]}})", rest);
  };
  EXPECT_THAT(fault_of(""), HasSubstr("not JSON at byte"));
  EXPECT_THAT(fault_of("{\"inputs\":"), HasSubstr("not JSON at byte"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("object is expected"));
  EXPECT_THAT(fault_of("7"), HasSubstr("object is expected"));
  EXPECT_THAT(fault_of(R"({"id":7})"), HasSubstr("id: a number does not belong there"));
  EXPECT_THAT(fault_of(R"({"inputs":{}})"), HasSubstr("inputs: an object does not belong there"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP31","shape":[1],"data":[1])")),
              HasSubstr("did you mean 'FP32'?"));
  EXPECT_THAT(fault_of(tensor(R"("shape":[1],"data":[1])")), HasSubstr("inputs[0]: no datatype"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"UINT8","shape":[1],"data":[256])")),
              HasSubstr("256 is beyond UINT8"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"INT32","shape":[1],"data":[1.5])")),
              HasSubstr("not a whole number"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"UINT8","shape":[1],"data":[256.0])")),
              HasSubstr("256 is beyond UINT8"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"UINT64","shape":[1],"data":[-1.0])")),
              HasSubstr("-1 is beyond UINT64"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"INT64","shape":[1],"data":[9007199254740993.0])")),
              HasSubstr("may be rounded; write all digits, without . and e"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"INT64","shape":[1],"data":[1e300])")),
              HasSubstr("1e+300 is beyond INT64"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"data":["1"])")),
              HasSubstr("text does not fit FP32"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"data":[null])")),
              HasSubstr("null does not belong"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP16","shape":[1],"data":[1])")), HasSubstr("binary data"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[2,3],"data":[1])")), HasSubstr("[2, 3] has 24"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[-1],"data":[])")), HasSubstr("[-1]"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[4294967296,4294967296,4294967296],"data":[])")),
              HasSubstr("too many elements"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[18446744073709551615],"data":[])")),
              HasSubstr("too large"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1,1,1,1,1,1,1,1,1],"data":[1])")),
              HasSubstr("8 dimensions"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":["1"],"data":[1])")), HasSubstr("shape: text"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"parameters":{"binary_data_size":-4})")),
              HasSubstr("from 0 on"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4})")),
              HasSubstr("4 bytes announced, and 0 are left"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"data":[1e300])")), HasSubstr("beyond FP32"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"shape":[2],"data":[1])")),
              HasSubstr("shape: given twice"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"INT8","shape":[1],"data":[1],"datatype":"UINT8")")),
              HasSubstr("given twice"));
  const auto long_name = std::string(100'000, 'x');
  EXPECT_LT(fault_of(tensor(R"("datatype":")" + long_name + R"(","shape":[1],"data":[1])")).size(), 600U);
  const auto nested = std::string(10'000, '[') + std::string(10'000, ']');
  EXPECT_THAT(fault_of(nested), HasSubstr("object is expected"));
  EXPECT_THAT(fault_of(R"({"x":)" + nested + "}"), HasSubstr("nested deeper than 32"));
  EXPECT_THAT(fault_of(tensor(R"("datatype":"FP32","shape":[1],"data":)" + nested)),
              HasSubstr("nested deeper than 32"));
  EXPECT_THAT(fault_of(R"({"x":)" + std::string(10, '[')), HasSubstr("not JSON at byte 15: the text ends"));
  EXPECT_THAT(fault_of("{}", 3), HasSubstr("Inference-Header-Content-Length is 3, and the body has 2"));
  EXPECT_THAT(fault_of("{}tail", 2), HasSubstr("4 bytes behind the JSON"));
  EXPECT_THAT(fault_of(R"({"parameters":{"a":{}}})"), HasSubstr("parameters.a: an object"));
}

TEST(RequestBody, CountsTheTensorsOfItsJson) {
  const std::string json = R"({"inputs":[{"name":"a","datatype":"FP64","shape":[4],"data":[0,0,0,0]},)"
                           R"({"name":"b","datatype":"BYTES","shape":[1],"data":["a text\n"]}]})";
  const auto fault = [&](std::size_t tensor_bytes) {
    InferRequest request;
    const auto status = read_body(bytes_of(json), {}, request, json.size() + tensor_bytes);
    EXPECT_LE(request.memory.capacity(), tensor_bytes);
    return status ? "accepted" : status.error().message;
  };
  EXPECT_EQ(fault(32 + 4 + 7), "accepted");
  EXPECT_THAT(fault(32 + 4 + 6), HasSubstr("inputs[1].data: the request takes more than is allowed"));
  EXPECT_THAT(fault(31), HasSubstr("inputs[0].data: the request takes more than is allowed"));
  EXPECT_THAT(fault(0), HasSubstr("is allowed"));
}

TEST(RequestBody, OfManyTensorsIsRefused) {
  std::string body = R"({"inputs":[)";
  for (int i = 0; i < 1025; ++i) body += (i ? ",{}" : "{}");
  EXPECT_THAT(fault_of(body + "]}"), HasSubstr("more than 1024"));
}

/// A message of random tensors; their bytes lie in `store`.
InferRequest random_request(Random& random, std::vector<std::vector<std::byte>>& store) {
  InferRequest request;
  request.id = fmt::format("id \"{}\"\n", random.below(1000));
  request.parameters = {
      {"priority", std::uint64_t{random.below(9)}}, {"who", std::string("Ünï\\")}, {"flag", true}};
  request.binary_outputs = random.below(2) == 1;
  const auto types = enum_names(DataType{});
  for (std::uint64_t i = 0; i <= random.below(4); ++i) {
    Tensor tensor{.name = fmt::format("in{}", i), .type = types[random.below(types.size())].value};
    for (std::uint64_t d = 0; d < random.below(4); ++d)
      tensor.shape.push_back(static_cast<std::int64_t>(random.below(4)));
    auto& bytes = store.emplace_back();
    const auto count = static_cast<std::size_t>(*elements(tensor.shape));
    if (tensor.type == DataType::bytes)
      for (std::size_t e = 0; e < count; ++e) {
        const auto length = random.below(5);
        for (const auto byte : {length, 0UL, 0UL, 0UL}) bytes.push_back(static_cast<std::byte>(byte));
        for (std::uint64_t k = 0; k < length; ++k) bytes.push_back(static_cast<std::byte>(random.below(256)));
      }
    else
      for (std::size_t e = 0; e < count * element_bytes(tensor.type); ++e)
        bytes.push_back(static_cast<std::byte>(random.below(256)));
    tensor.data = bytes;
    request.inputs.push_back(std::move(tensor));
  }
  return request;
}

std::string joined(const OutgoingBody& body) {
  std::string text = body.json;
  for (const auto& part : body.data) text.append(reinterpret_cast<const char*>(part.data()), part.size());
  return text;
}

TEST(RequestBody, ReadsWhatWasWritten) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::vector<std::byte>> store;
    store.reserve(8);
    const auto sent = random_request(random, store);
    OutgoingBody body;
    ASSERT_TRUE(write_body(sent, body));
    const auto text = joined(body);
    InferRequest got;
    const auto status = read_body(bytes_of(text), body.json.size(), got);
    ASSERT_TRUE(status) << status.error().message << "\n" << body.json;
    EXPECT_EQ(got.id, sent.id);
    EXPECT_EQ(got.binary_outputs, sent.binary_outputs);
    ASSERT_EQ(got.parameters.size(), sent.parameters.size());
    EXPECT_EQ(got.parameters[1].value, sent.parameters[1].value);
    ASSERT_EQ(got.inputs.size(), sent.inputs.size());
    for (std::size_t i = 0; i < got.inputs.size(); ++i) {
      EXPECT_EQ(got.inputs[i].type, sent.inputs[i].type);
      EXPECT_EQ(got.inputs[i].shape, sent.inputs[i].shape);
      EXPECT_TRUE(std::equal(got.inputs[i].data.begin(), got.inputs[i].data.end(),
                             sent.inputs[i].data.begin(), sent.inputs[i].data.end()));
    }
  }
}

TEST(ReplyBody, GivesEachOutputAsItWasAskedFor) {
  const std::vector<float> scores{0.1F, 1e-30F, 3};
  const std::vector<std::int8_t> flags{-1, 2};
  InferReply reply{.model = "m", .version = "3", .id = "q"};
  reply.outputs = {
      {.name = "scores", .type = DataType::f32, .shape = {1, 3}, .data = std::as_bytes(std::span(scores))},
      {.name = "flags", .type = DataType::i8, .shape = {2}, .data = std::as_bytes(std::span(flags))}};
  InferRequest request;
  request.outputs = {{.name = "flags", .binary = true}, {.name = "scores"}};
  OutgoingBody body;
  ASSERT_TRUE(write_body(reply, request, body));
  EXPECT_THAT(body.binary, ElementsAre(false, true));

  const auto text = joined(body);
  InferReply got;
  ASSERT_TRUE(read_body(bytes_of(text), body.json.size(), got));
  EXPECT_EQ(got.model, "m");
  EXPECT_EQ(got.version, "3");
  EXPECT_EQ(got.id, "q");
  EXPECT_EQ(values_of<float>(got.outputs[0]), scores) << "a number in JSON must be read back to the last bit";
  EXPECT_EQ(values_of<std::int8_t>(got.outputs[1]), flags);

  request.outputs.clear();
  request.binary_outputs = true;
  ASSERT_TRUE(write_body(reply, request, body));
  EXPECT_THAT(body.binary, ElementsAre(true, true));
  request.outputs = {{.name = "scores", .binary = false}};
  ASSERT_TRUE(write_body(reply, request, body));
  EXPECT_THAT(body.binary, ElementsAre(false, true));
}

TEST(ReplyBody, KeepsTheSignOfZero) {
  const std::vector<float> scores{-0.0F, 0.0F};
  InferReply reply;
  reply.outputs = {
      {.name = "y", .type = DataType::f32, .shape = {2}, .data = std::as_bytes(std::span(scores))}};
  OutgoingBody body;
  ASSERT_TRUE(write_body(reply, InferRequest{}, body));
  EXPECT_THAT(body.json, HasSubstr("[-0.0,0]")) << "-0 is a whole number to many readers, who have no such";
}

TEST(ReplyBody, GivesBackNumbersBeyondWholeOnes) {
  const std::vector<double> scores{9.3e18, 1.2345678901234568e20, -12345678901234567e3, 1.5e300, -1e22};
  InferReply reply;
  reply.outputs = {
      {.name = "y", .type = DataType::f64, .shape = {5}, .data = std::as_bytes(std::span(scores))}};
  OutgoingBody body;
  ASSERT_TRUE(write_body(reply, InferRequest{}, body));
  InferReply got;
  const auto status = read_body(bytes_of(body.json), {}, got);
  ASSERT_TRUE(status) << status.error().message << body.json;
  EXPECT_EQ(values_of<double>(got.outputs[0]), scores);
}

/// orjson, which KServe's and MLServer's Python servers write with, has null for NaN and for infinities.
TEST(ReplyBody, TakesNullForANumberThatJsonCannotWrite) {
  const auto read = [](std::string_view type, InferReply& reply) {
    return read_body(
        bytes_of(fmt::format(R"({{"outputs":[{{"name":"y","datatype":"{}","shape":[2],"data":[1,null]}}]}})",
                             type)),
        {}, reply);
  };
  InferReply reply;
  ASSERT_TRUE(read("FP32", reply));
  EXPECT_TRUE(std::isnan(values_of<float>(reply.outputs[0])[1]));
  InferReply other;
  const auto status = read("INT32", other);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("outputs[0].data: null does not belong there"));
}

TEST(ReplyBody, SaysNothingOfWhatLiesInSharedMemory) {
  InferReply reply;
  reply.outputs = {
      {.name = "y", .type = DataType::f32, .shape = {2}, .shared = SharedPart{.region = "r", .bytes = 8}}};
  OutgoingBody body;
  ASSERT_TRUE(write_body(reply, InferRequest{}, body));
  EXPECT_EQ(body.json, R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2]}]})")
      << "as Triton does; its client takes any parameters for those of binary data";
}

TEST(ReplyBody, SaysWhatJsonHasNoWordsFor) {
  const std::vector<float> scores{NAN};
  InferReply reply;
  reply.outputs = {
      {.name = "y", .type = DataType::f32, .shape = {1}, .data = std::as_bytes(std::span(scores))}};
  OutgoingBody body;
  const auto status = write_body(reply, InferRequest{}, body);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::unsupported);
  EXPECT_THAT(status.error().message, HasSubstr("ask for binary data"));
}

}  // namespace
}  // namespace neph::wire
