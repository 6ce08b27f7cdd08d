#include "predict/model_file.hpp"

#include <bit>

#include <gmock/gmock.h>

#include "core/json.hpp"
#include "core/random.hpp"

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

/// Models with parts of all kinds: of `auto`, and trees.
class ModelFile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const auto method : {Method::automatic, Method::trees}) {
      Random random(1);
      FitOptions options;
      options.method = method;
      options.roles = {
          .network = "model", .variants = "profet", .side = "side", .batch = "batch", .machine = "machine"};
      auto fitted = Model::fit(*survey(*parse_table(measured(random), "t.csv"), "t"), options);
      ASSERT_TRUE(fitted) << fitted.error().message;
      models_.push_back(std::move(*fitted));
    }
    text_ = write_model(models_[0]);
  }
  static void TearDownTestSuite() { models_.clear(); }
  static std::string error_of(const std::string& text) {
    const auto model = read_model(text, "m.json");
    return model ? "" : model.error().message;
  }
  static std::vector<Model> models_;
  static std::string text_;
};
std::vector<Model> ModelFile::models_;
std::string ModelFile::text_;

TEST_F(ModelFile, GivesTheSameAnswersToTheLastBit) {
  const auto query = *parse_table(
      "model,side,batch,machine,cache\nlenet5,32,3,m1,\nmnist-cnn,128,16,m2,3\nlenet5,32,1,m3,\n", "q");
  for (const auto& model : models_) {
    const auto text = write_model(model);
    const auto read = read_model(text, "m.json");
    ASSERT_TRUE(read) << read.error().message;
    const auto before = *model.predict(query), after = *read->predict(query);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(before[i].value), std::bit_cast<std::uint64_t>(after[i].value));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(before[i].low), std::bit_cast<std::uint64_t>(after[i].low));
      EXPECT_EQ(before[i].refused, after[i].refused);
      EXPECT_EQ(before[i].extrapolates.size(), after[i].extrapolates.size());
    }
    EXPECT_EQ(*read->nearest(query, 3), *model.nearest(query, 3));
    EXPECT_EQ(write_model(*read), text);
    EXPECT_EQ(read->origin().source, "t.csv");
  }
}

TEST_F(ModelFile, IsRefusedWhereItIsNone) {
  EXPECT_THAT(error_of(""), HasSubstr("m.json: not a model that can be used"));
  EXPECT_THAT(error_of("{}"), HasSubstr("it was not written by 'neph fit'"));
  EXPECT_THAT(error_of(text_.substr(0, text_.size() / 2)), HasSubstr("not a model that can be used"));
  auto json = *parse_json(text_, "it");
  json["version"] = 2;
  EXPECT_EQ(
      error_of(dump_json(json)),
      "m.json: not a model that can be used: it has version 2 of the format, and this program knows up to 1");
  json.erase("version");
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("version"));
  json["version"] = 1;
  json.erase("low");
  EXPECT_THAT(error_of(dump_json(json)), HasSubstr("'low' is missing"));
}

/// Any one list made shorter or number made text is found before it is used; what is left answers without a
/// fault.
TEST_F(ModelFile, IsRefusedWhereItWasEdited) {
  const auto query =
      *parse_table("model,side,batch,machine,cache\nlenet5,32,3,m1,\nlenet5,128,16,m2,3\n", "q");
  const Json wholes[] = {*parse_json(text_, "it"), *parse_json(write_model(models_[1]), "it")};
  Random random(2);
  int refused = 0;
  for (int round = 0; round < 600; ++round) {
    auto json = wholes[round % 2];
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
    const auto model = read_model(dump_json(json), "m.json");
    refused += !model;
    if (model) static_cast<void>(model->predict(query));
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace neph::predict
