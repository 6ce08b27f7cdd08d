#include "workload/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/infer/spec.hpp"
#include "workload/load/spec.hpp"

namespace neph::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

enum class Where { here, there };
constexpr auto enum_names(Where) {
  return std::array{Named{Where::here, "here"}, Named{Where::there, "there"}};
}

struct Spec {
  Where where = Where::here;
  std::int64_t port = 1;
  double factor = 1;
};
template <class Visit, Describes<Spec> Self>
void describe(Visit&& v, Self& s) {
  v("where", s.where, "place", prepared());
  v("port", s.port, "port", between(1, 9) | only_where("where", "there") | once_called("door"));
  v("factor", s.factor, "factor", changes_answers());
}

TEST(Fields, AreListedByWhatTheirTraitsSay) {
  EXPECT_THAT(fields_with<Spec>(&Traits::is_prepared), ElementsAre("where"));
  EXPECT_THAT(fields_with<Spec>(&Traits::changes_answers), ElementsAre("factor"));
}

TEST(Fields, MeanNothingWhereTheirConditionDoesNotHold) {
  const auto idle = idle_fields<Spec>();
  ASSERT_EQ(idle.size(), 1U);
  EXPECT_EQ(idle[0].field, "where");
  EXPECT_EQ(idle[0].value, "here");
  EXPECT_THAT(idle[0].fields, ElementsAre("port"));
  EXPECT_THAT(check_applicable({{"port", 2}}, Spec{}).error().message,
              HasSubstr("--port means nothing with --where here"));
  EXPECT_TRUE(check_applicable({{"port", 2}, {"where", "there"}}, Spec{.where = Where::there}));
  EXPECT_TRUE(check_applicable({{"factor", 2}}, Spec{}));
}

TEST(Fields, KeepTheirRangeBesideOtherTraits) {
  Spec spec;
  EXPECT_THAT(from_json({{"port", 10}}, spec, "").error().message, HasSubstr("port: 10 is above 9"));
}

TEST(Fields, AreReadByTheirEarlierNameAndWrittenByTheNewOne) {
  EXPECT_EQ(from_json<Spec>({{"door", 3}}, "")->port, 3);
  EXPECT_EQ(dump_json(with_own_names<Spec>({{"door", {1, 2}}, {"factor", 2}})),
            R"({"port":[1,2],"factor":2})");
  EXPECT_EQ(from_json<LoadSpec>({{"deadline", "2s"}}, "")->connection.request_timeout.value, 2);
  EXPECT_EQ(from_json<InferSpec>({{"patience", "2s"}}, "")->connection.request_timeout.value, 2);
}

TEST(Fields, OfAPartHaveTheTraitsOfTheWhole) {
  std::map<std::string, std::vector<std::string>> where;
  for (const auto& idle : idle_fields<InferSpec>())
    where[idle.field + " " + value_as_text(idle.value)] = idle.fields;
  EXPECT_THAT(where["architecture remote"],
              UnorderedElementsAre("protocol", "server_in", "image", "server_cpus", "server_memory_bytes",
                                   "engine", "device", "provider", "precision", "threads", "streams",
                                   "pinning", "spinning", "instances"));
  EXPECT_THAT(where["architecture local"],
              UnorderedElementsAre("server", "metrics", "ca", "certificate", "key", "token_file"));
  EXPECT_THAT(where["mode sync"], ElementsAre("depth"));
}

TEST(Fields, OfInferThatMayChangeAnswersAreAllThatTheModelAndItsInputDependOn) {
  EXPECT_THAT(fields_with<InferSpec>(&Traits::changes_answers),
              UnorderedElementsAre("model", "images", "inputs", "shape", "count", "prepared", "engine",
                                   "device", "provider", "precision", "classes", "side", "weights_seed",
                                   "min_file_bytes", "tensor_memory_bytes"));
  EXPECT_THAT(fields_with<InferSpec>(&Traits::is_prepared), Not(Contains("batch")));
  EXPECT_THAT(fields_with<LoadSpec>(&Traits::changes_answers), IsEmpty());
}

}  // namespace
}  // namespace neph::workload
