#include <gmock/gmock.h>

#include "serve/admission_fixture_test.hpp"
#include "serve/shared_object_test.hpp"

namespace neph::serve {
namespace {

using testing::HasSubstr;

class SharedAdmission : public Admission {
 protected:
  SharedAdmission() {
    EXPECT_TRUE(regions.add({.name = "r", .key = object.key(), .offset = 0, .byte_size = 64}));
    object.write(16, std::as_bytes(std::span(values)));
    exchange.request.inputs.push_back(
        {.name = "x", .shape = {1, 4}, .shared = wire::SharedPart{"r", 16, 16}});
  }
  wire::SharedPart& part() { return *exchange.request.inputs.front().shared; }

  const std::array<float, 4> values{1, 2, 3, 4};
  SharedObject object{64};
};

TEST_F(SharedAdmission, HasACopyOfItsOwn) {
  ASSERT_TRUE(take());
  object.write(16, std::vector<std::byte>(16));
  EXPECT_TRUE(std::ranges::equal(job.inputs[0], std::as_bytes(std::span(values))));
  EXPECT_EQ(job.bytes, 16U);
}

TEST_F(SharedAdmission, RefusesWhatDoesNotFit) {
  part().bytes = 12;
  EXPECT_EQ(refusal(), "invalid_argument: tensor 'x': 12 bytes of data; FP32 [1, 4] has 16");
  exchange.request.inputs.front().shared = wire::SharedPart{"r", 60, 16};
  EXPECT_THAT(refusal(), HasSubstr("16 bytes from 60 on are not inside shared memory 'r'"));
  exchange.request.inputs.front().shared = wire::SharedPart{"q", 0, 16};
  EXPECT_EQ(refusal(), "not_found: shared memory 'q' is not registered");
  exchange.request.inputs.front().shared = wire::SharedPart{"r", 0, 16};
  object.resize(8);
  EXPECT_THAT(refusal(), HasSubstr("no longer has the 64 bytes"));
}

TEST_F(SharedAdmission, LooksAtLengthsThatNobodyCanChangeAnyMore) {
  make_jpeg();
  auto& tensor = exchange.request.inputs.front();
  tensor.type = DataType::bytes;
  tensor.shape = {2};
  object.write(16, elements_of({"ab", "cdef"}));
  tensor.shared->bytes = 14;
  ASSERT_TRUE(take());
  object.write(16, std::vector<std::byte>(14, std::byte{255}));
  ASSERT_EQ(job.pictures.size(), 2U);
  EXPECT_EQ(std::to_integer<char>(job.pictures[1][3]), 'f');
  tensor.shared = wire::SharedPart{"r", 16, 14};
  EXPECT_THAT(refusal(), HasSubstr("the lengths of its BYTES do not fit its 14 bytes"));
}

TEST_F(SharedAdmission, TakesPlacesForOutputs) {
  exchange.request.outputs = {{.name = "y", .shared = wire::SharedPart{"r", 32, 32}}};
  ASSERT_TRUE(take());
  ASSERT_TRUE(job.outputs[0].shared_at);
  EXPECT_EQ(job.outputs[0].shared_at->bytes, 16U) << "as much as the output has";
  EXPECT_NE(job.outputs[0].region, nullptr);
}

TEST_F(SharedAdmission, RefusesPlacesThatAreTooSmall) {
  const auto refusal_of = [&](wire::RequestedOutput output) {
    exchange.request.inputs.front().shared = wire::SharedPart{"r", 16, 16};
    exchange.request.outputs = {std::move(output)};
    return refusal();
  };
  EXPECT_EQ(refusal_of({.name = "y", .shared = wire::SharedPart{"r", 0, 15}}),
            "invalid_argument: output 'y' has 16 bytes, and its shared memory has 15");
  EXPECT_THAT(refusal_of({.name = "y", .shared = wire::SharedPart{"r", 60, 16}}), HasSubstr("not inside"));
  EXPECT_EQ(refusal_of({.name = "y", .classification = 1, .shared = wire::SharedPart{"r", 0, 16}}),
            "unsupported: output 'y': classification into shared memory");
}

TEST_F(SharedAdmission, IsRefusedWhereItIsNotAllowed) {
  const Regions none(false, 1 << 20);
  job.clear();
  job.exchange = &exchange;
  const auto status = take_in(signature, none, job);
  ASSERT_FALSE(status);
  EXPECT_EQ(to_string(status.error().code), "unsupported");
}

}  // namespace
}  // namespace neph::serve
