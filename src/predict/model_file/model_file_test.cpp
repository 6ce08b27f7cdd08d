#include "predict/model_file/model_file.hpp"

#include <filesystem>
#include <limits>
#include <set>

#include <gmock/gmock.h>

#include "core/json.hpp"
#include "core/random.hpp"
#include "predict/explain/fit_summary.hpp"

namespace neph::predict {
namespace {

using testing::HasSubstr;

/// Two networks on two machines, with a column that has empty cells.
std::string measured(Random& random) {
  std::string text = "model,side,batch,machine,cache,t\n";
  for (const char* model : {"mnist-cnn", "lenet5", "cifar10-cnn"})
    for (const int side : {32, 64})
      for (const int batch : {1, 2, 4, 8})
        for (const int machine : {1, 2})
          text +=
              fmt::format("{},{},{},m{},{},{}\n", model, side, batch, machine, batch > 2 ? "3" : "",
                          (0.01 + 1e-6 * batch * side * side) / machine * std::exp(0.02 * random.normal()));
  return text;
}

class ModelFile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Random random(1);
    FitOptions options;
    options.roles = {.network = "model",
                     .variants = "profet",
                     .side = "side",
                     .batch = "batch",
                     .hardware = {.machine = "machine"}};
    options.roles.terms = {.work = {"batch*side^2", "side"}, .latency = {"1"}, .scale = "2"};
    auto fitted = Model::fit(*profile(*table::parse_table(measured(random), "t.csv"), "t"), options);
    ASSERT_TRUE(fitted) << fitted.error().message;
    text_ = write_model(*fitted);
    model_ = std::make_unique<Model>(std::move(*fitted));
  }
  static void TearDownTestSuite() { model_.reset(); }
  static std::string error_of(const std::string& text) {
    const auto model = read_model(text, "m.json");
    return model ? "" : model.error().message;
  }
  static std::unique_ptr<Model> model_;
  static std::string text_;
};
std::unique_ptr<Model> ModelFile::model_;
std::string ModelFile::text_;

TEST_F(ModelFile, GivesTheSameAnswers) {
  const auto read = read_model(text_, "m.json");
  ASSERT_TRUE(read) << read.error().message;
  const auto query = *table::parse_table(
      "model,side,batch,machine,cache\nlenet5,32,3,m1,\nmnist-cnn,128,16,m2,3\nlenet5,32,1,m3,\n", "q");
  const auto before = *model_->predict(query), after = *read->predict(query);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].refused, after[i].refused);
    EXPECT_EQ(before[i].refused.empty(), i < 2) << "m3 was not measured";
    if (i == 2) continue;
    EXPECT_NEAR(after[i].value, before[i].value, 1e-9 * before[i].value);
    EXPECT_NEAR(after[i].low, before[i].low, 1e-9 * before[i].low);
    EXPECT_EQ(before[i].extrapolates.size(), after[i].extrapolates.size());
  }
  EXPECT_EQ(*read->nearest(query, 3), *model_->nearest(query, 3));
  EXPECT_EQ(write_model(*read), text_);
  EXPECT_EQ(read->origin().source, "t.csv");
}

/// Whose members are fitted anew without the category: with the work of layers, the user's terms and the
/// machines' data sheets, as before.
TEST_F(ModelFile, GivesTheSameAnswersOfAnUnseenCategory) {
  const auto read = read_model(text_, "m.json");
  ASSERT_TRUE(read) << read.error().message;
  const auto query = *table::parse_table("model,side,batch,machine,cache\nresnet18,64,4,m1,\n", "q");
  const auto before = model_->predict(query)->front(), after = read->predict(query)->front();
  EXPECT_EQ(before.refused, "");
  EXPECT_EQ(before.extrapolates.front().kind, ShiftKind::unseen);
  EXPECT_NEAR(after.value, before.value, 1e-6 * before.value);
  EXPECT_NEAR(after.high, before.high, 1e-6 * before.high);
}

TEST_F(ModelFile, IsRefusedWithNumbersThatCannotBe) {
  const auto error_with = [&](const std::string& place, const Json& value) {
    auto json = *parse_json(text_, "it");
    EXPECT_TRUE(json.contains(Json::json_pointer(place))) << place;
    json[Json::json_pointer(place)] = value;
    return error_of(dump_json(json));
  };
  for (const auto* number :
       {"/ensemble/members/0/backbone/parts/level", "/ensemble/members/0/process/kernel/amplitude",
        "/ensemble/members/0/process/weights/values/0", "/scores/scores/0/median"})
    EXPECT_THAT(error_with(number, nullptr), HasSubstr("a finite number is needed")) << number;
  const std::vector<std::pair<std::string, Json>> edits{
      {"/ensemble/members/1/backbone/parts/scaling/width/values/0", 0},
      {"/ensemble/members/0/process/kernel/own/0/length", 0},
      {"/ensemble/members/2/trees", nullptr},
      {"/scores/scores/0/trials", std::numeric_limits<std::int64_t>::max()},
      {"/scores/scores/0/median", 0},
      {"/measured/features/columns", Json::array()}};
  for (const auto& [place, value] : edits)
    EXPECT_THAT(error_with(place, value), HasSubstr("its parts contradict each other")) << place;
}

TEST_F(ModelFile, KeepsTheUsersTerms) {
  const auto texts = read_model(text_, "m.json")->design().user_terms().texts();
  EXPECT_EQ(texts.work, (std::vector<std::string>{"batch*side^2", "side"}));
  EXPECT_EQ(texts.scale, "2");
  EXPECT_TRUE(fitted_terms(*model_)) << "no member with terms: this file tests none";
  auto json = *parse_json(text_, "it");
  json["design"]["roles"]["terms"]["work"][0] = "batch*hide^2";
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("--term: there is no column 'hide'"));
  json["design"]["roles"]["terms"]["work"][0] = "batch, side";
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("its parts contradict each other"));
}

TEST_F(ModelFile, IsRefusedWhereItIsNone) {
  EXPECT_THAT(error_of(""), HasSubstr("m.json: not a model that can be used"));
  EXPECT_THAT(error_of("{}"), HasSubstr("it was not written by 'neph fit'"));
  EXPECT_THAT(error_of(text_.substr(0, text_.size() / 2)), HasSubstr("not a model that can be used"));
  auto json = *parse_json(text_, "it");
  const auto version = json["version"].get<int>();
  json["version"] = version + 1;
  EXPECT_EQ(error_of(dump_json(json)),
            fmt::format("m.json: not a model that can be used: it has version {} of the format, and this "
                        "program reads version {}: ask a newer one",
                        version + 1, version));
  json["version"] = version - 1;
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("fit it again"));
  json.erase("version");
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("version"));
  json["version"] = version;
  json.erase("scores");
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("'scores' is missing"));
}

TEST_F(ModelFile, IsRefusedWhereCountsArePreposterous) {
  const auto edited = [&](const char* pointer, const Json& value) {
    auto json = *parse_json(text_, "it");
    json[Json::json_pointer(pointer)] = value;
    return error_of(dump_json(json));
  };
  EXPECT_THAT(edited("/measured/repeats/0", -1), HasSubstr("what was measured"));
  EXPECT_THAT(edited("/measured/repeats/0", 2147483647), HasSubstr("what was measured"));
  EXPECT_THAT(edited("/origin/rows", std::numeric_limits<std::int64_t>::max()), HasSubstr("how many rows"));
  EXPECT_THAT(edited("/scores/scores/0/group", std::numeric_limits<std::int64_t>::max()),
              HasSubstr("what trials said"));
  EXPECT_THAT(edited("/scores/scores/0/distance", -1), HasSubstr("what trials said"));
  const Json shift{{"kind", "above"}, {"column", 99}};
  EXPECT_THAT(edited("/scores/scores/0/shift", shift), HasSubstr("what trials said"));
  const Json huge{{"rows", 4611686018427387905}, {"columns", 4}, {"values", {1, 1, 1, 1}}};
  EXPECT_THAT(edited("/ensemble/members/0/process/rows/numbers", huge), HasSubstr("4 values are not"));
}

/// Else the fuzzer would try no more than the reader's first lines. They are files that 'neph fit' wrote of
/// small tables.
TEST_F(ModelFile, SeedsOfTheFuzzerCanBeUsed) {
  std::set<std::size_t> kinds;
  std::size_t processes = 0, trees = 0;
  for (const auto& seed : std::filesystem::directory_iterator("tests/fuzz/seeds/model")) {
    const auto model = load_model(seed.path());
    ASSERT_TRUE(model) << model.error().message;
    for (const auto& member : model->ensemble().members) {
      kinds.insert(member->backbone.index());
      processes += member->process.has_value();
      trees += member->trees.has_value();
    }
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Member::BackboneModel>) << "each kind of backbone";
  EXPECT_GT(processes, 0U);
  EXPECT_GT(trees, 0U);
}

/// XGBoost checks little of what it reads.
TEST_F(ModelFile, IsRefusedWhereTreesAreNotThoseThatWereWritten) {
  auto json = *parse_json(text_, "it");
  auto& text = json["ensemble"]["members"][2]["trees"]["xgboost"].get_ref<std::string&>();
  const auto digit = text.find_first_of("123456789", text.find("left_children"));
  text[digit] = text[digit] == '9' ? '8' : '9';
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("not those that were written"));
}

/// Any one part taken away, or made text, nothing or another number.
Json edited(Json json, Random& random) {
  Json* at = &json;
  while (at->is_structured() && !at->empty()) {
    auto child = at->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(random.below(at->size())));
    if (child->is_structured() && random.below(8) != 0) {
      at = &*child;
      continue;
    }
    switch (random.below(4)) {
      case 0:
        at->erase(child);
        break;
      case 1:
        *child = nullptr;
        break;
      case 2:
        *child = "text";
        break;
      default:
        *child = -7;
        break;
    }
    break;
  }
  return json;
}

/// What was edited is found before it is used; what is left answers without a fault.
void expect_edits_to_be_refused(const std::string& text, const table::Table& query) {
  const auto whole = *parse_json(text, "it");
  Random random(2);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    const auto model = read_model(dump_json(edited(whole, random)), "m.json");
    refused += !model;
    if (model) static_cast<void>(model->predict(query));
  }
  EXPECT_GT(refused, 150);
}

TEST_F(ModelFile, IsRefusedWhereItWasEdited) {
  expect_edits_to_be_refused(
      text_,
      *table::parse_table("model,side,batch,machine,cache\nlenet5,32,3,m1,\nlenet5,128,16,m2,3\n", "q"));
}

/// Models that consist of other parts.
class ModelFileOf : public testing::TestWithParam<Method> {};

TEST_P(ModelFileOf, GivesTheSameAnswersAndIsRefusedWhereItWasEdited) {
  Random random(3);
  FitOptions options;
  options.method = GetParam();
  options.roles.hardware.machine = "machine";
  const auto fitted = Model::fit(*profile(*table::parse_table(measured(random), "t.csv"), "t"), options);
  ASSERT_TRUE(fitted) << fitted.error().message;
  const auto text = write_model(*fitted);
  const auto read = read_model(text, "m.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_model(*read), text);
  const auto query =
      *table::parse_table("model,side,batch,machine,cache\nlenet5,40,3,m1,\nresnet,128,16,m2,5\n", "q");
  const auto before = *fitted->predict(query), after = *read->predict(query);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(std::isfinite(before[i].value));
    EXPECT_NEAR(after[i].value, before[i].value, 1e-9 * before[i].value);
  }
  expect_edits_to_be_refused(text, query);
}
INSTANTIATE_TEST_SUITE_P(Methods, ModelFileOf, testing::Values(Method::trees, Method::process, Method::terms),
                         [](const auto& method) { return std::string(enum_name(method.param)); });

}  // namespace
}  // namespace neph::predict
