#include "record/event.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(Event, EveryKindComesBackFromItsLine) {
  const std::vector<Event> events{
      Began{{{"effective_cores", 2.0}}, 81.5},
      Ended{87.25},
      Phase{"measure", 1, 2},
      Progress{"measure", 3, 4},
      Progress{"probe at 20.0/s", 3, 4, 12.5},
      Note{"25/s holds"},
      Warning{WarningCode::stolen, "12 % stolen", "ask for a dedicated core", Weight::voids},
      RunResult{.figures = {{"images_per_s", "pictures/s", {.value = 5, .low = 4, .high = 6, .n = 7}}},
                .probes = {{.rate_per_s = 20, .outcome = Slo::met, .late = 1, .requests = 400}},
                .outputs = {1, -1}},
      Error{ErrorCode::corrupt, "cut short"}};
  for (const auto& event : events) {
    const auto line = encode_event(event);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto read = decode_event(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->index(), event.index());
    EXPECT_EQ(encode_event(*read), line);
  }
}

TEST(Event, RefusesWhatIsNotAnEvent) {
  for (const auto* line :
       {"", "{", "[]", "{}", R"({"event":1})", R"({"event":"party"})", R"({"event":"phase","name":3})"})
    EXPECT_FALSE(decode_event(line)) << line;
}

}  // namespace
}  // namespace neph
