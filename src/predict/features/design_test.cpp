#include "predict/features/design.hpp"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>

#include "predict/ensemble/hold_out.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

table::Table table_of(std::string_view text) { return *table::parse_table(text, "t"); }

TEST(Design, QuantitiesAreLogarithmsAndTheRestIsAsItIs) {
  const auto points = table_of("batch,offset,kind,always\n1,-1,a,7\n4,0,b,7\n16,3,a,7\n");
  const auto design = *Design::learn(points, {});
  EXPECT_THAT(design.features(), ElementsAre("batch", "offset"));
  EXPECT_EQ(design.ranged_name(2), "always");
  const auto inputs = *design.apply(points);
  EXPECT_NEAR(inputs.matrix.numbers(1, 0), std::log(4), 1e-12);
  EXPECT_EQ(inputs.matrix.numbers(2, 1), 3);
  EXPECT_THAT(
      std::vector<int>(inputs.matrix.levels.reshaped().begin(), inputs.matrix.levels.reshaped().end()),
      ElementsAre(0, 1, 0));
}

TEST(Design, CountsFromZeroAreLogarithmsBeyondTheLeast) {
  const auto points = table_of("cache,offset,flag\n0,-1,0\n8,0,1\n256,3,0\n");
  const auto design = *Design::learn(points, {});
  const auto inputs = *design.apply(table_of("cache,offset,flag\n0,3,1\n8,3,1\n256,3,1\n-8,3,1\n"));
  EXPECT_TRUE(inputs.refused.empty());
  EXPECT_EQ(inputs.matrix.numbers(0, 0), 0);
  EXPECT_NEAR(inputs.matrix.numbers(1, 0), std::log(2), 1e-12);
  EXPECT_NEAR(inputs.matrix.numbers(2, 0), std::log(33), 1e-12);
  EXPECT_NEAR(inputs.matrix.numbers(3, 0), -std::log(2), 1e-12) << "below what was measured, and not refused";
  EXPECT_EQ(inputs.matrix.numbers(0, 1), 3) << "one that is below 0 somewhere is as it is";
  EXPECT_EQ(design.range_end(0, inputs.matrix.numbers(2, 0)), "256");
  EXPECT_EQ(design.range_end(0, inputs.matrix.numbers(3, 0)), "-8");
}

TEST(Design, EmptyCellsOfAColumnThatHasSomeAreAFeature) {
  const auto points = table_of("x,y\n1,2\n,3\n5,4\n");
  const auto design = *Design::learn(points, {});
  EXPECT_THAT(design.features(), ElementsAre("x", "has x", "y"));
  const auto inputs = *design.apply(points);
  EXPECT_NEAR(inputs.matrix.numbers(1, 0), std::log(3), 1e-12) << "the median stands for it";
  EXPECT_EQ(inputs.matrix.numbers(1, 1), 0);
  EXPECT_THAT(design.apply(table_of("x,y\n1,\n,2\n"))->refused,
              ElementsAre(Pair(0, "row 1 has no 'y', which every row that was fitted to had")));
}

TEST(Design, AnEmptyCellOfACategoryIsALevelWhereItWasMeasured) {
  const auto design = *Design::learn(table_of("x,kind\n1,a\n2,\n3,b\n"), {});
  const auto levels = [&](const char* rows) { return design.apply(table_of(rows))->matrix.levels; };
  EXPECT_GE(levels("x,kind\n1,a\n2,\n")(1, 0), 0);
  EXPECT_EQ(levels("x,kind\n1,a\n2,c\n")(1, 0), -1);
  const auto without = *Design::learn(table_of("x,kind\n1,a\n2,b\n"), {});
  EXPECT_EQ(without.apply(table_of("x,kind\n1,a\n2,\n"))->matrix.levels(1, 0), -1);
}

TEST(Design, TakesNumbersInTheirUnitOrAlone) {
  const auto message = [](const char* fitted, const char* asked) {
    const auto inputs = Design::learn(table_of(fitted), {})->apply(table_of(asked));
    if (!inputs) return inputs.error().text();
    return inputs->refused.empty() ? "" : inputs->refused.begin()->second;
  };
  EXPECT_EQ(message("x\n1MB\n4MB\n", "x\n2MB\n"), "");
  EXPECT_EQ(message("x\n1MB\n4MB\n", "x\n2\n"), "");
  EXPECT_EQ(message("x\n1MB\n4MB\n", "x\n2GB\n"),
            "'x' is given in 'GB', as '2GB', and was fitted in 'MB': give it in that (row 1)");
  EXPECT_EQ(message("x\n1\n4\n", "x\n2GB\n"),
            "'x' is given in 'GB', as '2GB', and was fitted as a number alone: give it so (row 1)");
  EXPECT_EQ(message("x\n1 MB\n4 MB\n", "x\n8\n2MB\n"), "") << "with a space or without, or alone";
  EXPECT_EQ(message("x,y\n,1\n,2\n", "x,y\n2GB,1\n"), "") << "nobody knows the unit";
  EXPECT_EQ(
      message("size\n1\n4\n", "size (GB)\n2\n"),
      "t: the model was fitted to the column 'size', and here is 'size (GB)': call it the same if it is");
}

TEST(Design, RefusesRowsThatItCannotRead) {
  const auto design = *Design::learn(table_of("x,k\n1,a\n2,b\n"), {});
  EXPECT_EQ(design.apply(table_of("k\na\n")).error().code, ErrorCode::not_found);
  const auto inputs = *design.apply(table_of("x,k\n+1,a\nabc,a\n-1,b\n1e999,b\n2,b\n"));
  EXPECT_THAT(inputs.refused, ElementsAre(Pair(1, "'x' is 'abc', and a number is needed (row 2)"),
                                          Pair(2, "'x' is -1 in row 3; a number above 0 is needed"),
                                          Pair(3, "'x' is inf in row 4; a number above 0 is needed")));
  const auto alone = *design.apply(table_of("x,k\n1,a\n2,b\n"));
  EXPECT_EQ(inputs.matrix.numbers.row(0), alone.matrix.numbers.row(0)) << "the others are as they were";
  EXPECT_EQ(inputs.matrix.numbers.row(4), alone.matrix.numbers.row(1));
  EXPECT_EQ((*design.apply(table_of("x,k,more\n1,c,9\n"))).matrix.levels(0, 0), -1)
      << "a level that is not known";
}

TEST(Design, NetworksBecomeWork) {
  const auto points = table_of(
      "model,side,batch,machine\nResNet-50,224px,1,here\nresnet50,224px,8,there\nVGG_16,128px,8,mine\n");
  const auto design = *Design::learn(
      points, {.network = "model", .side = "side", .batch = "batch", .hardware = {.machine = "machine"}});
  const auto inputs = *design.apply(points);
  EXPECT_THAT(design.features(), ElementsAre("side", "batch", "macs", "bytes moved", "parameters", "depth",
                                             "layers", "share of depthwise macs", "share of dense macs"));
  EXPECT_NEAR(std::exp(inputs.matrix.numbers(0, 2)), 4'089'184'256.0, 1e4);
  EXPECT_NEAR(std::exp(inputs.matrix.numbers(1, 2)), 8 * 4'089'184'256.0, 1e5);
  EXPECT_EQ(inputs.work(1, 0), 8 * inputs.work(0, 0));
  const double padding =
      inputs.work(0, 3) /
      inputs.work(0, 0);  // padded macs: the first convolution alone has a tile that is not full
  EXPECT_NEAR(padding, 1 + (160.0 / 147 - 1) * 118'013'952 / inputs.work(0, 0), 1e-9);
  EXPECT_FALSE(design.knows_machines());
}

TEST(Design, WorkIsTimedByTheDataSheetsOfKnownMachines) {
  const auto points = table_of("model,machine\nresnet50,T4\nresnet50,p3.2xlarge\nresnet50,mine\n");
  const auto design = *Design::learn(points, {.network = "model", .hardware = {.machine = "machine"}});
  ASSERT_TRUE(design.knows_machines());
  EXPECT_THAT(design.features(), testing::IsSupersetOf({"peak of the machine", "bandwidth of the machine"}));
  const auto inputs = *design.apply(points);
  EXPECT_NEAR(inputs.work(0, 0) / inputs.work(1, 0), 15.7 / 8.1, 1e-9);
  EXPECT_NEAR(inputs.log_speed[1] - inputs.log_speed[0], 0.5 * std::log(15.7 / 8.1 * 900 / 320), 1e-9);
  EXPECT_THAT(inputs.unknown_machines, ElementsAre(Pair(2, HasSubstr("unknown device 'mine'"))));
}

TEST(Design, AnEmptySideOrBatchOfANetworkIsItsMedian) {
  const auto points =
      table_of("m,s,b\nresnet50,224,8\nresnet50,,8\nresnet50,224,\nvgg16,224,8\nvgg16,224,8\n");
  const auto design = *Design::learn(points, {.network = "m", .side = "s", .batch = "b"});
  const auto work = design.apply(points)->work;
  EXPECT_TRUE(work.row(0).array().isFinite().all());
  EXPECT_EQ(work.row(1), work.row(0));
  EXPECT_EQ(work.row(2), work.row(0));
  EXPECT_NE(work.row(3), work.row(0));
}

/// The numbers are those that Python made of what 'neph net --json' says.
TEST(Design, TheMeanLayerCountsEachByItsWork) {
  const auto points = table_of("model,side,batch\nresnet50,224,1\nresnet50,224,8\nvgg16,128,8\n");
  const auto design = *Design::learn(points, {.network = "model", .side = "side", .batch = "batch"});
  const auto mean = design.apply(points)->mean_layer;
  ASSERT_EQ(mean.cols(), 3);
  const Eigen::Matrix3d expected{
      {293.7112, 528.8425, 92.32899}, {290.1511, 4495.247, 89.82973}, {263.0353, 6376.104, 1236.595}};
  for (Index row = 0; row < 3; ++row)
    for (Index size = 0; size < 3; ++size)
      EXPECT_NEAR(std::exp(mean(row, size)), expected(row, size), 1e-6 * expected(row, size))
          << "row " << row << ", size " << size;
}

/// A machine that is called by a number, beside one that is text: the column is text then.
TEST(Design, ALevelThatIsANumberIsTheSameHoweverItIsWritten) {
  const auto design =
      *Design::learn(table_of("m,x\n3090,1\n4090,2\n3090,3\n"), {.hardware = {.machine = "m"}});
  const auto levels = design.apply(table_of("m,x\n3090.0,1\nnew,2\n4090,3\n"))->matrix.levels;
  EXPECT_EQ(levels(0, 0), design.apply(table_of("m,x\n3090,1\n"))->matrix.levels(0, 0));
  EXPECT_EQ(levels(1, 0), -1);
  EXPECT_GE(levels(2, 0), 0);
}

TEST(Design, ATermWithoutAValueRefusesItsRow) {
  const auto points = table_of("a,b,t\n1,2,1\n2,3,2\n3,4,2\n");
  const auto design = *Design::learn(points, {.terms = {.work = {"a/(b-1)"}, .latency = {}, .scale = ""}});
  const auto inputs = *design.apply(table_of("a,b,t\n1,2,1\n1,1,1\nx,2,1\n3,4,2\n"));
  EXPECT_THAT(inputs.refused,
              ElementsAre(Pair(1, HasSubstr("divides by zero")), Pair(2, HasSubstr("'a' is 'x'"))));
  EXPECT_EQ(inputs.user_terms.work(0, 0), 1);
  EXPECT_EQ(inputs.user_terms.work(3, 0), 1);
}

TEST(Design, SaysWhichNetworkItDoesNotKnow) {
  const auto learn = [](const char* text) {
    return Design::learn(table_of(text), {.network = "m", .side = "s"}).error().text();
  };
  EXPECT_EQ(learn("m,s\nResNet51,224\nvgg16,224\n"),
            "t: unknown network 'ResNet51'; did you mean 'resnet50'?");
  EXPECT_THAT(learn("m,s\nvgg16,8\nvgg16,224\n"), HasSubstr("the image is too small"));
}

TEST(Design, OfARowThatIsAskedItSaysWhyItsNetworkCannotBeBuilt) {
  const auto points = table_of("m,s,b\nvgg16,224,1\nresnet50,64,1\nvgg16,64,8\n");
  const auto design = *Design::learn(points, {.network = "m", .side = "s", .batch = "b"});
  const auto inputs = *design.apply(table_of("m,s,b\nresnet50,64,1\nvgg16,8,1\nvgg16,64,8\nresnet51,64,1\n"));
  EXPECT_THAT(inputs.refused, ElementsAre(Pair(1, HasSubstr("the image is too small")),
                                          Pair(3, HasSubstr("did you mean 'resnet50'?"))));
  EXPECT_EQ(inputs.work.row(0), design.apply(points)->work.row(1));
  EXPECT_EQ(inputs.work.row(2), design.apply(points)->work.row(2));
  EXPECT_TRUE(inputs.work.row(1).isZero());
  EXPECT_THAT(rows_of(inputs, {2, 1}).refused, ElementsAre(Pair(1, inputs.refused.at(1))));
}

TEST(NetworkWork, VariantsGoFirst) {
  EXPECT_EQ(network_work("ResNet50", "", 224)->parameters, 25'557'032);
  EXPECT_EQ(network_work("ResNet50", "profet", 224)->parameters, 25'576'040);
  EXPECT_EQ(network_work("VGG16", "profet", 224)->parameters, 138'357'544) << "there is no such variant";
}

/// A grid of three sizes on three machines.
table::Table grid() {
  std::string text = "size,machine\n";
  for (const int size : {1, 2, 4, 8})
    for (const char* machine : {"a", "b", "c"})
      for (int again = 0; again < 4; ++again) text += fmt::format("{},{}\n", size, machine);
  return table_of(text);
}

TEST(HoldOuts, LeaveTheTableAsAQueryMay) {
  const auto points = grid();
  const auto inputs = *Design::learn(points, {})->apply(points);
  const auto all = hold_outs(inputs);
  std::map<ShiftKind, int> count;
  for (const auto& split : all) {
    ++count[split.shifts.front().kind];
    EXPECT_EQ(split.kept.size() + split.left_out.size(), 48U);
    if (split.shifts.front().kind != ShiftKind::above) continue;
    double highest = -1, lowest = 99;
    for (const auto row : split.kept) highest = std::max(highest, inputs.ranged(static_cast<Index>(row), 0));
    for (const auto row : split.left_out)
      lowest = std::min(lowest, inputs.ranged(static_cast<Index>(row), 0));
    EXPECT_LT(highest, lowest);
  }
  EXPECT_EQ(count[ShiftKind::inside], 15) << "three times, where rows are few";
  EXPECT_EQ(count[ShiftKind::above], 2);
  EXPECT_EQ(count[ShiftKind::below], 2);
  EXPECT_EQ(count[ShiftKind::between], 1);
  EXPECT_EQ(count[ShiftKind::unseen], 3);
  EXPECT_EQ(count[ShiftKind::rare], 0);
}

TEST(HoldOuts, ARareLevelMakesOthersRareToo) {
  auto text = std::string("x,machine\n");
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i % 5 + 1, i < 3 ? "new" : i % 2 ? "a" : "b");
  const auto points = table_of(text);
  const auto inputs = *Design::learn(points, {})->apply(points);
  int rare = 0;
  for (const auto& split : hold_outs(inputs)) {
    if (split.shifts.front().kind != ShiftKind::rare) continue;
    ++rare;
    const int level = inputs.matrix.levels(static_cast<Index>(split.left_out.front()), 0);
    const auto kept = std::count_if(split.kept.begin(), split.kept.end(), [&](std::size_t row) {
      return inputs.matrix.levels(static_cast<Index>(row), 0) == level;
    });
    EXPECT_EQ(kept, 3) << "as many as the new one has";
  }
  EXPECT_EQ(rare, 2);
}

}  // namespace
}  // namespace neph::predict
