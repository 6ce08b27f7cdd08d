#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models_for_tests.hpp"
#include "engine/openvino/amx.hpp"
#include "os/thread.hpp"

namespace neph::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Error refusal(const std::string& name, const Options& options) {
  const auto session = load(name)->compile(options);
  EXPECT_FALSE(session) << name;
  return session ? Error{} : session.error();
}

TEST(Compile, FixesTheBatchOfAnyModelThatAllowsIt) {
  for (const std::int64_t batch : {1, 4, 17}) {
    const auto open = compile("conv.onnx", {.batch = batch});
    EXPECT_THAT(open->inputs()[0].shape, ElementsAre(batch, 3, 8, 8));
    EXPECT_THAT(open->outputs()[0].shape, ElementsAre(batch, 5));
    const auto fixed = compile("conv3.onnx", {.batch = batch});
    EXPECT_THAT(fixed->outputs()[0].shape, ElementsAre(batch, 5)) << "the model says 3";
  }
}

TEST(Compile, OneModelServesManyBatches) {
  const auto model = load("conv.onnx");
  const auto small = model->compile({.batch = 2});
  const auto large = model->compile({.batch = 8});
  ASSERT_TRUE(small && large);
  EXPECT_EQ((*small)->inputs()[0].shape[0], 2);
  EXPECT_EQ((*large)->inputs()[0].shape[0], 8);
  EXPECT_EQ(model->inputs()[0].shape[0], -1) << "the model stays as it was read";
}

TEST(Compile, RefusesBatchesThatMakeNoSense) {
  for (const std::int64_t batch :
       {std::int64_t{-1}, std::int64_t{1'000'000'000}, std::numeric_limits<std::int64_t>::max()}) {
    const auto error = refusal("conv.onnx", {.batch = batch});
    EXPECT_EQ(to_string(error.code), "invalid_argument");
    EXPECT_THAT(error.message, HasSubstr("batch " + std::to_string(batch)));
    EXPECT_THAT(error.message, HasSubstr("conv.onnx"));
  }
}

TEST(Compile, CountsWhatLayersNeedBeforeItIsAllocated) {
  // The pictures alone (0.75 KB each) would fit; with the first layer's output they do not.
  const auto memory = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const auto error = refusal("conv.onnx", {.batch = memory / 1024});
  EXPECT_EQ(to_string(error.code), "invalid_argument");
  EXPECT_THAT(error.message, HasSubstr("use a smaller batch"));
}

TEST(Compile, SaysWhyABatchCannotBe) {
  EXPECT_EQ(compile("two_rows.onnx", {.batch = 2})->outputs()[0].shape[0], 2);
  const auto error = refusal("two_rows.onnx", {.batch = 4});
  EXPECT_EQ(to_string(error.code), "unsupported");
  EXPECT_THAT(error.message, HasSubstr("do not take batch 4"));
  EXPECT_EQ(error.message.find('\n'), std::string::npos);

  const auto sides = refusal("open_side.onnx", {.batch = 1});
  EXPECT_EQ(to_string(sides.code), "unsupported");
  EXPECT_THAT(sides.message, HasSubstr("only its first dimension may be open"));
}

TEST(Compile, LeavesShapesAsTheModelHasThem) {
  EXPECT_THAT(compile("conv3.onnx", {.batch = 0})->inputs()[0].shape, ElementsAre(3, 3, 8, 8));
  const auto open = compile("open_all.onnx", {.batch = 0});
  EXPECT_THAT(open->inputs()[0].shape, ElementsAre(-1, -1));
  EXPECT_TRUE(open->outputs()[0].is_open());
}

std::string difference(const std::string& name, std::int64_t rows = 2) {
  const auto alone = compile(name, {.batch = 1});
  const auto together = compile(name, {.batch = rows});
  const auto found = rows_that_differ(*alone, *together, rows, load(name)->row_facts().integers_below);
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or("an error");
}

TEST(Rows, AreStrangersOrNot) {
  EXPECT_EQ(difference("conv.onnx"), "");
  EXPECT_EQ(difference("conv.onnx", 7), "");
  EXPECT_EQ(difference("quantised.onnx"), "");
  EXPECT_THAT(difference("over_rows.onnx"), HasSubstr("output 'y' of a row changes by up to 0."));
  EXPECT_THAT(difference("large_and_small.onnx"), HasSubstr("changes by up to 0."));
  EXPECT_THAT(difference("constant.onnx"), HasSubstr("they tell nothing of its rows"));
  EXPECT_THAT(difference("parity.onnx"), HasSubstr("changes by up to 1 with the other rows"))
      << "integers agree by chance in one draw of two";
}

TEST(Rows, AreStrangersOnlyWhateverTheOthersHold) {
  const auto changes = HasSubstr("changes by up to");
  for (const std::int64_t rows : {2, 8}) {
    for (const char* mixed :
         {"beyond_one.onnx", "high_words.onnx", "quantised_as_it_runs.onnx", "none_of_sum.onnx"})
      EXPECT_THAT(difference(mixed, rows), changes) << mixed << " by " << rows;
    for (const char* strangers : {"words_of_many.onnx", "half.onnx", "flattened.onnx"})
      EXPECT_EQ(difference(strangers, rows), "") << strangers << " by " << rows;
  }
  EXPECT_EQ(difference("two_back.onnx", 2), "") << "no two rows of two are two apart";
  EXPECT_THAT(difference("two_back.onnx", 8), changes);
}

TEST(Rows, AreJudgedByTheGraphWhereATrialSeesNothing) {
  const auto coupling = [](const char* name) { return load(name)->row_facts().coupling; };
  EXPECT_THAT(coupling("small_mean.onnx"), HasSubstr("(ReduceMean) goes over the rows of a batch"));
  EXPECT_EQ(difference("seldom.onnx"), "");
  EXPECT_THAT(coupling("seldom.onnx"), HasSubstr("(If) does depends on what all rows of a batch hold"));
  EXPECT_THAT(coupling("quantised_as_it_runs.onnx"), HasSubstr("goes over the rows of a batch"));
  for (const char* name :
       {"conv.onnx", "conv.xml", "conv.pb", "conv.tflite", "quantised.onnx", "flattened.onnx"})
    EXPECT_EQ(coupling(name), "") << name;
  EXPECT_EQ(load("state.xml")->row_facts().state, "it keeps state (variable 'before')");
  EXPECT_EQ(load("conv.onnx")->row_facts().state, "");
}

TEST(Rows, AreTriedWithIntegersThatTheModelTakes) {
  const auto below = [](const char* name) { return load(name)->row_facts().integers_below; };
  EXPECT_EQ(below("words_of_many.onnx"), 50) << "the table has no more";
  EXPECT_EQ(below("high_words.onnx"), 50);
  EXPECT_EQ(below("open_sum.onnx"), 100);
  EXPECT_EQ(below("fussy.onnx"), 2) << "a size";
  EXPECT_EQ(below("parity.onnx"), 2) << "not known to be harmless";
}

TEST(Compile, FactsSayWhatIsUsedNotWhatWasAsked) {
  const auto session =
      compile("conv.onnx", {.precision = Precision::f32, .threads = 1, .pinning = Pinning::off});
  const auto& facts = session->facts();
  EXPECT_EQ(facts.at("device"), "CPU");
  EXPECT_FALSE(facts.at("device_name").empty());
  EXPECT_EQ(facts.at("engine"), "openvino " + tested_engine().version());
  EXPECT_EQ(facts.at("hint"), "latency");
  EXPECT_EQ(facts.at("precision"), "f32");
  EXPECT_EQ(facts.at("threads"), "1");
  EXPECT_EQ(facts.at("streams"), "1");
  EXPECT_EQ(facts.at("pinning"), "off");
  EXPECT_THAT(facts.at("kernel"), HasSubstr("f32"));
  EXPECT_EQ(std::to_string(session->optimal_requests()), facts.at("requests"));

  const auto many = compile("conv.onnx", {.threads = 60'000});
  EXPECT_LE(std::stoi(many->facts().at("threads")), static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_EQ(compile("conv.onnx", {.hint = Hint::throughput})->facts().at("hint"), "throughput");
  EXPECT_EQ(compile("conv.onnx", {.streams = 1, .hint = Hint::throughput})->facts().at("streams"), "1");
}

TEST(Compile, UsesOnlyPrecisionsThatTheProcessorHas) {
  const auto devices = tested_engine().devices();
  ASSERT_TRUE(devices);
  const auto& native = devices->front().precisions;
  for (const auto precision : {Precision::bf16, Precision::f16}) {
    const auto session = load("conv.onnx")->compile({.precision = precision});
    if (std::find(native.begin(), native.end(), precision) != native.end()) {
      ASSERT_TRUE(session) << session.error().message;
      const auto request = request_of(**session);
      std::vector<float> input(3 * 8 * 8, 1.0F), output(5);
      bind(*request, input, output);
      EXPECT_TRUE(request->infer());
    } else {
      ASSERT_FALSE(session);
      EXPECT_EQ(to_string(session.error().code), "unsupported");
    }
  }
}

TEST(Compile, EightBitsNeedAQuantisedModel) {
  const auto error = refusal("conv.onnx", {.precision = Precision::i8});
  EXPECT_EQ(to_string(error.code), "unsupported");
  EXPECT_THAT(error.message, HasSubstr("not quantised"));
  const auto session = compile("quantised.onnx", {.precision = Precision::i8});
  EXPECT_EQ(session->facts().at("precision"), "i8");
}

TEST(Compile, RefusesUnknownDevicesAndCounts) {
  const auto device = refusal("conv.onnx", {.device = "CPUU"});
  EXPECT_EQ(to_string(device.code), "not_found");
  EXPECT_THAT(device.text(), HasSubstr("did you mean 'CPU'"));
  for (const auto& options : {Options{.threads = -1}, Options{.threads = 1'000'000}, Options{.streams = -1}})
    EXPECT_EQ(to_string(refusal("conv.onnx", options).code), "invalid_argument");
}

/// Names of all threads of the process but the first.
std::multiset<std::string> other_threads() {
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(::getpid())) continue;
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    names.insert(name);
  }
  return names;
}

/// 0: OpenVINO's threads have the engine's name and this one kept its own.
int threads_are_named() {
  name_this_thread("tester");
  const auto session = compile("conv.onnx", {.batch = 2, .hint = Hint::throughput});
  const auto request = request_of(*session);
  std::vector<float> input(384), output(10);
  bind(*request, input, output);
  std::atomic<bool> done = false;
  const auto started = request->start([&](Status) { done = true; });
  while (started && !done) std::this_thread::yield();
  char own[16];
  pthread_getname_np(pthread_self(), own, sizeof(own));
  const auto others = other_threads();
  for (const auto& name : others) std::fprintf(stderr, "thread %s\n", name.c_str());
  const bool named = !others.empty() && others.count(engine_role) == others.size();
  return named && std::string_view(own) == "tester" ? 0 : 1;
}

TEST(CompileDeathTest, NamesTheThreadsOfTheRuntimeAfterTheEngine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, in which OpenVINO has no threads yet
  EXPECT_EXIT(std::exit(threads_are_named()), testing::ExitedWithCode(0), "");
}

TEST(Amx, IsLeftOffWhereItWouldCrash) {
  tested_engine();
  if (!has_amx_without_palette()) GTEST_SKIP() << "this processor describes its AMX tiles, or has none";
  ASSERT_NE(std::getenv("ONEDNN_MAX_CPU_ISA"), nullptr);
  EXPECT_EQ(compile("conv.onnx")->facts().count("amx"), 1U);
}

}  // namespace
}  // namespace neph::engine
