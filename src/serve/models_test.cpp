#include "serve/models.hpp"

#include <atomic>
#include <deque>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/exchange_test.hpp"
#include "serve/repository_test.hpp"
#include "serve/service.hpp"

namespace neph::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ModelRepositories : public testing::Test {
 protected:
  void load_all() {
    const auto found = models.find(folder.path(), "");
    ASSERT_TRUE(found) << found.error().message;
    const auto loaded = models.load_all();
    EXPECT_TRUE(loaded) << loaded.error().message;
  }
  /// "NAME VERSION STATE".
  std::vector<std::string> listed(bool only_ready = false) {
    std::vector<std::string> lines;
    for (const auto& entry : models.list(only_ready))
      lines.push_back(fmt::format("{} {} {}", entry.name, entry.version, entry.state));
    return lines;
  }
  void ask(TestExchange& exchange, const std::string& model, const std::string& version = "") {
    exchange.request.model = model;
    exchange.request.version = version;
    exchange.received = clock.now();
    service.infer(exchange);
  }
  std::string answer_of(const std::string& model, const std::string& version = "") {
    TestExchange exchange(1, 1);
    ask(exchange, model, version);
    const auto status = exchange.wait();
    return status ? exchange.reply.model + " " + exchange.reply.version
                  : std::string(to_string(status.error().code)) + ": " + status.error().message;
  }

  Repository folder;
  SteadyClock clock;
  Regions regions{false, 1 << 20};
  Models models{{.max_batch = 4}, regions, clock};
  InferenceService service{models, regions, "0"};
};

TEST_F(ModelRepositories, ServeTheNewestVersionOfEachModel) {
  folder.add("a", 1);
  folder.add("a", 9);
  folder.add("a", 10);
  folder.add("b", 3);
  folder.write("a/latest/model.identity", "not a version");
  folder.write("a/0/model.identity", "not a version either");
  folder.write("a/99", "not a folder");
  folder.write("README", "no model");
  folder.write(".git/HEAD", "nor this");
  load_all();
  EXPECT_THAT(listed(), ElementsAre("a 10 READY", "b 3 READY"));
  EXPECT_EQ(answer_of("a"), "a 10");
  EXPECT_EQ(answer_of("a", "10"), "a 10");
  EXPECT_EQ(answer_of("a", "9"), "not_found: model 'a' has no version '9'; it is served in version 10");
  EXPECT_TRUE(models.ready());
}

TEST_F(ModelRepositories, ServeAsManyVersionsAsAModelsOptionsSay) {
  for (const int version : {1, 2, 9, 10}) folder.add("a", version);
  folder.write("a/config.toml", "versions = 3\n");
  load_all();
  EXPECT_THAT(listed(true), ElementsAre("a 2 READY", "a 9 READY", "a 10 READY"));
  EXPECT_EQ(answer_of("a"), "a 10");
  EXPECT_EQ(answer_of("a", "2"), "a 2");
  EXPECT_EQ(answer_of("a", "1"), "not_found: model 'a' has no version '1'; it is served in version 2, 9, 10");
  EXPECT_TRUE(*models.model_ready("a", "9"));
  EXPECT_FALSE(*models.model_ready("a", "1"));
  EXPECT_THAT(service.model_metadata("a", "9")->versions, ElementsAre("2", "9", "10"));
  EXPECT_EQ(service.statistics("a", "")->size(), 3U) << "of each version";
  EXPECT_EQ(service.statistics("a", "2")->at(0).inference_count, 1U);
  EXPECT_EQ(service.statistics("", "")->size(), 3U);

  folder.add("a", 11);
  ASSERT_TRUE(models.load("a"));
  EXPECT_THAT(listed(true), ElementsAre("a 9 READY", "a 10 READY", "a 11 READY"));
  folder.write("a/9/model.identity", "no model");
  EXPECT_FALSE(models.load("a")) << "one of them does not load";
  EXPECT_THAT(listed(true), ElementsAre("a 9 READY", "a 10 READY", "a 11 READY")) << "so all stay";
  ASSERT_TRUE(models.unload("a"));
  EXPECT_THAT(listed(), ElementsAre("a  UNAVAILABLE"));
}

TEST_F(ModelRepositories, ServeASingleFileUnderItsOwnNameOrAnother) {
  folder.write("clouds.identity", Repository::identity());
  ASSERT_TRUE(models.find(folder / "clouds.identity", ""));
  EXPECT_FALSE(models.ready()) << "found and not yet loaded";
  ASSERT_TRUE(models.load_all());
  EXPECT_EQ(answer_of("clouds"), "clouds 1");
  Models named({}, regions, clock);
  ASSERT_TRUE(named.find(folder / "clouds.identity", "sky"));
  ASSERT_TRUE(named.load_all());
  EXPECT_TRUE(*named.model_ready("sky", "1"));
  EXPECT_FALSE(named.load("clouds"));
}

TEST_F(ModelRepositories, RefuseVersionsOfASingleFile) {
  folder.write("one.identity", "");
  Models several{{.versions = 3}, regions, clock};
  const auto status = several.find(folder / "one.identity", "");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("--versions 3 needs a folder of models"));
}

TEST_F(ModelRepositories, SayWhatIsMissing) {
  EXPECT_EQ(models.find(folder / "none.onnx", "").error().message,
            "no model and no folder " + (folder / "none.onnx").string());
  const auto empty = models.find(folder.path(), "");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message,
              HasSubstr("holds no model; a repository is laid out as NAME/VERSION/model.onnx"));
}

TEST_F(ModelRepositories, NameFoldersThatHoldNoModel) {
  folder.add("a", 1);
  folder.write("no_version/model.identity", Repository::identity());
  std::filesystem::create_directory(folder / "nothing");
  std::filesystem::create_symlink(folder / "gone", folder / "link");
  ASSERT_TRUE(models.find(folder.path(), ""));
  EXPECT_FALSE(models.load_all());
  EXPECT_THAT(listed(), ElementsAre("a 1 READY", "link  UNAVAILABLE", "no_version  UNAVAILABLE",
                                    "nothing  UNAVAILABLE"));
  const auto all = models.list(false);
  EXPECT_EQ(all[1].reason, "link is a link that leads to nothing") << "clients see no folder of the server";
  EXPECT_EQ(all[2].reason, "no_version has no version folder (1, 2, ...)");
  EXPECT_EQ(all[3].reason, "nothing is empty");
  EXPECT_EQ(models.failures().at("nothing"), (folder / "nothing is empty").string());
  const auto unready = models.metadata("nothing", "");
  ASSERT_FALSE(unready);
  EXPECT_EQ(unready.error().message, "model 'nothing' is not ready: UNAVAILABLE, nothing is empty");
  EXPECT_EQ(answer_of("a"), "a 1");
  EXPECT_TRUE(models.ready());
}

TEST_F(ModelRepositories, HaveNoModelWhoseNameIsNotText) {
  folder.add("a", 1);
  folder.add("caf\xE9", 1);
  folder.add("two\nlines", 1);
  ASSERT_TRUE(models.find(folder.path(), ""));
  EXPECT_TRUE(models.load_all());
  EXPECT_THAT(listed(), ElementsAre("a 1 READY", "caf\xEF\xBF\xBD  UNAVAILABLE", "two lines  UNAVAILABLE"));
  EXPECT_THAT(models.failures().at("two lines"),
              HasSubstr("not UTF-8, or has control characters; rename it"));
  for (const auto* name : {"caf\xE9", "caf\xEF\xBF\xBD", "two\nlines"}) {
    const auto status = models.load(name);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::not_found);
  }
  EXPECT_EQ(listed().size(), 3U);
  std::filesystem::rename(folder / "a/1/model.identity", folder / "b\xE9.identity");
  Models one({}, regions, clock);
  EXPECT_THAT(one.find(folder / "b\xE9.identity", "").error().message, HasSubstr("name it with --name"));
  EXPECT_TRUE(one.find(folder / "b\xE9.identity", "b"));
}

TEST(WithoutFolders, ClientsGetNoPathsOfTheServer) {
  Repository folder;
  folder.add("m", 1);
  const auto root = folder.path().string();
  const auto shown = [&](const std::string& text) { return without_folders(text, folder.path()); };
  EXPECT_EQ(shown(root + "/m/1/model.onnx: broken"), "m/1/model.onnx: broken");
  EXPECT_EQ(shown("cannot open '" + root + "/m/1/model.onnx'"), "cannot open 'm/1/model.onnx'");
  EXPECT_EQ(shown(root + " holds no model"), folder.path().filename().string() + " holds no model");
  EXPECT_EQ(shown("no /usr/lib/python3/x.so, (/tmp/y) or /usr"), "no x.so, (y) or usr");
  EXPECT_EQ(shown("node /no such/layer/Conv_3, 5 images/s, a/b"),
            "node /no such/layer/Conv_3, 5 images/s, a/b");
  EXPECT_EQ(shown("bytes \xE9 and\nlines"), "bytes \xEF\xBF\xBD and lines");
  const auto spaced = folder / "my models";
  EXPECT_EQ(without_folders(spaced.string() + "/m/1: x", spaced), "m/1: x");
}

TEST_F(ModelRepositories, TakeOptionsOfAModelFromItsOwnFile) {
  folder.add("a", 1);
  folder.add("b", 1);
  folder.write("a/config.toml", "max_batch = 2\ninstances = 3\n");
  load_all();
  EXPECT_EQ(service.model_config("a", "")->max_batch_size, 2);
  EXPECT_EQ(service.model_config("a", "")->instance_group.at(0).count, 3);
  EXPECT_EQ(service.model_config("b", "")->max_batch_size, 4);
  EXPECT_EQ(service.model_config("b", "")->backend, "identity");
}

TEST_F(ModelRepositories, HeedTritonsConfigurationAndTheirOwnLast) {
  for (const int version : {1, 2, 3}) folder.add("a", version);
  folder.add("b", 1);
  folder.write("a/config.pbtxt", R"(
    name: "a" max_batch_size: 8 input { name: "x" data_type: TYPE_FP32 dims: 4 }
    output { name: "y" data_type: TYPE_FP32 dims: [ 2, 2 ] reshape { shape: 4 } label_filename: "labels.txt" }
    version_policy { specific { versions: [ 1, 3 ] } } instance_group { count: 3 } model_warmup { })");
  folder.write("a/labels.txt", "cat\r\ndog\n");
  folder.write("a/config.toml", "instances = 2\n");
  folder.write("b/config.pbtxt", "default_model_filename: 'model.identity' max_batch_size: 2");
  load_all();
  EXPECT_THAT(listed(true), ElementsAre("a 1 READY", "a 3 READY", "b 1 READY"));
  EXPECT_EQ(service.model_config("a", "")->max_batch_size, 8);
  EXPECT_EQ(service.model_config("b", "")->max_batch_size, 2);
  EXPECT_EQ(service.model_config("a", "")->instance_group.at(0).count, 2);
  EXPECT_THAT(service.model_metadata("a", "")->outputs.at(0).shape, ElementsAre(-1, 2, 2));
  EXPECT_EQ(answer_of("a"), "a 3");
  models.each_ready([](const Deployment& deployment) {
    if (deployment.name().name != "a") return;
    EXPECT_THAT(deployment.notes(), ElementsAre("config.pbtxt: without effect here: model_warmup"));
    EXPECT_THAT(deployment.signature().outputs.at(0).labels, ElementsAre("cat", "dog"));
  });
}

TEST_F(ModelRepositories, SayWhereAConfigurationContradictsTheModel) {
  folder.add("a", 1);
  const auto refusal = [&](const std::string& text) {
    folder.write("a/config.pbtxt", text);
    const auto loaded = models.load("a");
    return loaded ? "loaded" : loaded.error().text();
  };
  ASSERT_TRUE(models.find(folder.path(), ""));
  EXPECT_THAT(refusal("max_batch_size: 2 input { name: 'x' data_type: TYPE_FP16 dims: 4 }"),
              HasSubstr("a/config.pbtxt: input 'x' is FP16, and the model's is FP32"));
  EXPECT_THAT(refusal("max_batch_size: 2 input { name: 'x' data_type: TYPE_FP32 dims: [ -1, 4 ] }"),
              HasSubstr("has the shape [?, ?, 4] with max_batch_size above 0, and the model's is [?, 4]"));
  EXPECT_THAT(refusal("version_policy { specific { versions: 2 } }"), HasSubstr("has no version 2"));
  EXPECT_THAT(refusal("default_model_filename: 'net.onnx'"),
              HasSubstr("a/1/net.onnx, by default_model_filename"));
  EXPECT_THAT(refusal("platform: 'onnxruntime_onnx'"), HasSubstr("model.identity"));
  EXPECT_EQ(refusal("max_batch_size: 2 input { name: 'x' data_type: TYPE_FP32 dims: 4 }"), "loaded");
}

TEST_F(ModelRepositories, RefuseAFileOfOptionsThatIsWrongAndServeTheOthers) {
  folder.add("a", 1);
  folder.add("b", 1);
  folder.write("a/config.toml", "max_bach = 2\n");
  ASSERT_TRUE(models.find(folder.path(), ""));
  const auto loaded = models.load_all();
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("a/config.toml: "));
  EXPECT_THAT(loaded.error().text(), HasSubstr("max_batch"));
  EXPECT_EQ(answer_of("b"), "b 1");
  EXPECT_THAT(answer_of("a"), HasSubstr("unavailable: model 'a' is not ready: UNAVAILABLE, "));
  EXPECT_FALSE(*models.model_ready("a", ""));
  EXPECT_TRUE(models.ready()) << "for those who ask for the others";
  folder.write("a/config.toml", "max_batch = 2\n");
  EXPECT_TRUE(models.load("a"));
  EXPECT_TRUE(models.ready());
  for (const char* text : {"max_batch = 0\n", "max_batch = \"two\"\n", "max_batch = \n"}) {
    folder.write("a/config.toml", text);
    EXPECT_FALSE(models.load("a")) << text;
  }
}

TEST_F(ModelRepositories, KeepTheOneBeforeWhenANewerVersionDoesNotLoad) {
  folder.add("a", 1);
  load_all();
  folder.write("a/2/model.identity", "service_ms = \"long\"");
  const auto loaded = models.load("a");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("a/2/model.identity"));
  EXPECT_EQ(answer_of("a"), "a 1");
  EXPECT_THAT(listed(), ElementsAre("a 1 READY"));
  std::filesystem::remove_all(folder / "a");
  EXPECT_FALSE(models.load("a"));
  EXPECT_THAT(listed(), ElementsAre("a 1 READY")) << "it still answers";
}

TEST_F(ModelRepositories, LoadAModelThatCameLater) {
  folder.add("a", 1);
  load_all();
  folder.add("b", 1);
  EXPECT_THAT(answer_of("b"), HasSubstr("not_found: no model 'b'; this server has: a"));
  ASSERT_TRUE(models.load("b"));
  EXPECT_EQ(answer_of("b"), "b 1");
}

TEST_F(ModelRepositories, LoadNothingOutsideTheirFolder) {
  folder.write("inside/a/1/model.identity", Repository::identity());
  folder.add("outside", 1);
  ASSERT_TRUE(models.find(folder / "inside", ""));
  for (const char* name : {"../outside", "..", ".", "", "a/../../outside", "/tmp"})
    EXPECT_EQ(to_string(models.load(name).error().code), "not_found") << name;
  EXPECT_THAT(listed(), ElementsAre("a  LOADING"));
}

TEST_F(ModelRepositories, SayWhatAVersionFolderLacks) {
  folder.write("a/1/weights.bin", "");
  folder.write("a/1/model.bin", "the weights of an .xml");
  ASSERT_TRUE(models.find(folder.path(), ""));
  EXPECT_THAT(models.load("a").error().message, HasSubstr("a/1 has no file model.onnx, model.xml, ..."));
  folder.write("a/1/model.cloud", "");
  EXPECT_THAT(models.load("a").error().message, HasSubstr("no engine here reads '.cloud' files"));
}

TEST_F(ModelRepositories, UnloadWhenAllThatWasAcceptedIsAnswered) {
  folder.add("a", 1, 20);
  folder.add("b", 1);
  load_all();
  std::deque<TestExchange> accepted;
  for (int i = 0; i < 5; ++i) ask(accepted.emplace_back(static_cast<float>(i), 1), "a");
  ASSERT_TRUE(models.unload("a"));
  for (auto& each : accepted) {
    ASSERT_TRUE(each.answered());
    EXPECT_EQ(each.code(), "ok");
  }
  EXPECT_EQ(answer_of("a"), "unavailable: model 'a' is not ready: UNAVAILABLE, unloaded");
  EXPECT_EQ(answer_of("b"), "b 1");
  EXPECT_THAT(listed(), ElementsAre("a  UNAVAILABLE", "b 1 READY"));
  EXPECT_THAT(listed(true), ElementsAre("b 1 READY"));
  EXPECT_TRUE(models.ready()) << "a was unloaded because somebody wanted that";
  EXPECT_FALSE(*models.model_ready("a", ""));
  EXPECT_EQ(to_string(models.unload("c").error().code), "not_found");
  EXPECT_EQ(to_string(models.model_ready("c", "").error().code), "not_found");
  ASSERT_TRUE(models.load("a"));
  EXPECT_EQ(answer_of("a"), "a 1");
}

TEST_F(ModelRepositories, LoseNoRequestWhenANewerVersionIsLoadedUnderLoad) {
  folder.add("a", 1, 0.2);
  load_all();
  std::atomic<bool> enough = false;
  std::atomic<int> answers = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      int newest = 1;
      while (!enough) {
        TestExchange exchange(7, 1);
        ask(exchange, "a");
        ASSERT_EQ(exchange.message(), "ok");
        ASSERT_EQ(exchange.floats()[0], 7);
        const int version = std::stoi(exchange.reply.version);
        ASSERT_GE(version, newest);
        newest = version;
        ++answers;
      }
      EXPECT_EQ(newest, 8);
    });
  for (int version = 2; version <= 8; ++version) {
    folder.add("a", version, 0.2);
    const int before = answers;
    EXPECT_TRUE(models.load("a"));
    while (answers < before + 40) std::this_thread::yield();
  }
  enough = true;
  for (auto& client : clients) client.join();
}

TEST_F(ModelRepositories, AnswerWhatTheyCanWhenToldToStop) {
  folder.add("a", 1, 30);
  load_all();
  std::deque<TestExchange> accepted;
  for (int i = 0; i < 10; ++i) ask(accepted.emplace_back(static_cast<float>(i), 1), "a");
  EXPECT_FALSE(models.stop(clock.now()));
  int answered = 0;
  for (auto& each : accepted) {
    ASSERT_TRUE(each.answered());
    if (each.code() == "ok")
      ++answered;
    else
      EXPECT_EQ(each.message(), "model 'a' is stopping, and there is no time left");
  }
  EXPECT_GE(answered, 1) << "what ran";
  EXPECT_LT(answered, 10);
  EXPECT_TRUE(models.stop(clock.now())) << "nothing is left";
}

// ---- The protocol's other questions

TEST_F(ModelRepositories, AnswerForOneModelOrAll) {
  folder.add("a", 1);
  folder.add("b", 2);
  load_all();
  EXPECT_EQ(answer_of("a"), "a 1");
  EXPECT_EQ(service.statistics("", "")->size(), 2U);
  EXPECT_EQ(service.statistics("a", "")->at(0).inference_count, 1U);
  EXPECT_FALSE(service.statistics("a", "2"));
  EXPECT_FALSE(service.statistics("c", ""));
  EXPECT_EQ(service.model_metadata("b", "")->platform, "identity_identity");
  EXPECT_FALSE(service.model_metadata("c", ""));
  EXPECT_TRUE(service.live());
  EXPECT_TRUE(service.ready());
  EXPECT_EQ(service.metadata().name, "neph");
  const auto page = service.metrics();
  EXPECT_THAT(page, HasSubstr("nv_inference_request_success{model=\"a\",version=\"1\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("nv_inference_request_success{model=\"b\",version=\"2\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("process_cpu_seconds_total "));
}

}  // namespace
}  // namespace neph::serve
