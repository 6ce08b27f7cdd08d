#include "script/script.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/toml.hpp"
#include "script/embedded.hpp"
#include "script/writer.hpp"

namespace neph::script {
namespace {

using testing::HasSubstr;
using testing::Not;

Job job() {
  Job job{.title = "infer resnet50, experiment 1 of neph.db",
          .name = "1",
          .command = "neph script 1",
          .version = "9.9"};
  job.experiment.workload = "infer";
  job.experiment.spec = {{"model", "resnet50"}, {"images", "photos"}};
  job.experiment.factors = {{"batch", {1, 8}}};
  job.files = {"photos"};
  job.engines = {"openvino"};
  return job;
}

std::string text_of(const Job& job, const std::string& offer, Wishes wishes = {}) {
  if (wishes.results.empty()) wishes.results = "s3://bucket/x";
  wishes.offer = offer;
  const auto text = script(job, *offer_of_name(offer), wishes, price::built_in_rules());
  return text ? *text : text.error().text();
}

TEST(Offers, AreKnownByTheirNames) {
  const auto offer = offer_of_name("GCP/n1-standard-8+v100:4@us-central1");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->provider, "gcp");
  EXPECT_EQ(offer->instance, "n1-standard-8");
  EXPECT_EQ(offer->gpu, "v100");
  EXPECT_EQ(offer->gpus, 4);
  EXPECT_EQ(offer->region, "us-central1");
  EXPECT_EQ(offer_of_name("azure/NC6")->gpus, 0);
  EXPECT_EQ(offer_of_name("aws/p3+V100")->gpus, 1);
  for (const auto* wrong :
       {"", "gcp", "/n1", "gcp/n1+V100:", "gcp/n1+V100:-1", "gcp/n1+V100:65", "gcp/n1+:2", "gcp/n\n1"})
    EXPECT_FALSE(offer_of_name(wrong)) << wrong;
}

/// Strings of any bytes that are text, numbers of any size.
TEST(Specs, AreReadAgainAsTheyWere) {
  std::mt19937 draw(3);
  std::uniform_int_distribution<int> length(0, 20), byte(1, 127);
  for (int round = 0; round < 300; ++round) {
    Experiment experiment{.workload = "infer", .repeat = 3, .seed = 5};
    std::string text;
    for (int n = length(draw); n > 0; --n) text += static_cast<char>(byte(draw));
    experiment.spec = {{"model", text}, {"rate", 1e-7 * round}, {"count", round}, {"flag", round % 2 == 0}};
    experiment.factors = {{"images", {text + "a", text + "b"}}};
    const auto read = parse_toml(spec_text(experiment, {{"timeout_s", 60.0}}), "spec");
    ASSERT_TRUE(read) << read.error().text();
    auto wanted = experiment.spec;
    wanted["images"] = experiment.factors[0].values;
    EXPECT_EQ(nlohmann::json((*read)["infer"]), nlohmann::json(wanted)) << text;  // in any order
    EXPECT_EQ((*read)["repeat"], 3);
    EXPECT_EQ((*read)["timeout_s"], 60.0);
  }
}

TEST(Scripts, HaveOnlyWhatIsAskedFor) {
  const auto plain = text_of(job(), "aws/m5.large");
  EXPECT_THAT(plain, HasSubstr("rclone copyto"));
  EXPECT_THAT(plain, HasSubstr("'openvino=="));
  for (const auto* absent : {"nvidia", "docker", "scp ", "curl -fsSL", "\n#: "})
    EXPECT_THAT(plain, Not(HasSubstr(absent)));
  EXPECT_THAT(text_of(job(), "aws/p3+V100:1"), HasSubstr("do_step driver install"));
  EXPECT_THAT(text_of(job(), "aws/m5", {.install = Install::image, .image = "reg/neph:1"}),
              HasSubstr("image='reg/neph:1'"));
}

TEST(Scripts, OfTheSameExperimentHaveTheSameFolderWhateverTheBudget) {
  const auto name = [](const std::string& text) { return text.substr(text.find("\nname="), 20); };
  const auto first = text_of(job(), "aws/m5");
  EXPECT_EQ(name(first), name(text_of(job(), "aws/m5", {.budget = "5USD", .price = "1USD/h"})));
  auto other = job();
  other.experiment.spec["model"] = "resnet18";
  EXPECT_NE(name(first), name(text_of(other, "aws/m5")));
}

TEST(Scripts, OfOtherWishesHaveOtherFolders) {
  const auto name = [](const Wishes& wishes) {
    const auto text = text_of(job(), "aws/m5", wishes);
    return text.substr(text.find("\nname="), 20);
  };
  const auto first = name({});
  for (const auto& wishes :
       {Wishes{.data = {"s3://bucket/other"}}, Wishes{.bundle = "https://host/x"},
        Wishes{.install = Install::image, .image = "x"}, Wishes{.install = Install::both, .image = "x"}})
    EXPECT_NE(first, name(wishes));
}

TEST(Scripts, ShowTheImageWhatLiesElsewhere) {
  auto reads = job();
  reads.files = {"photos", "/srv/it's"};
  reads.datasets = {"fashion-mnist"};
  const auto text = text_of(reads, "aws/m5", {.install = Install::image, .image = "x"});
  for (const auto* volume :
       {R"(--volume '/srv/it'\''s':'/srv/it'\''s':ro \)",
        "--volume '/usr/share/datasets/fashion-mnist':'/usr/share/datasets/fashion-mnist':ro"})
    EXPECT_THAT(text, HasSubstr(volume));
  EXPECT_THAT(text, Not(HasSubstr("photos':")));
}

TEST(Scripts, NeedAGpuThatIsNamed) {
  auto learns = job();
  learns.needs_gpu = true;
  EXPECT_THAT(text_of(learns, "aws/p3.2xlarge"), HasSubstr("aws/p3.2xlarge+V100:1"));
  EXPECT_THAT(text_of(learns, "aws/p3.2xlarge+V100:1"), HasSubstr("do_step driver install"));
}

TEST(Scripts, AreForNoArm) {
  for (const auto* offer : {"aws/c7g.large", "gcp/t2a-standard-4", "azure/Standard_D4ps_v5"})
    EXPECT_THAT(text_of(job(), offer), HasSubstr("its CPU is an ARM")) << offer;
  EXPECT_EQ(offer_of_name("aws/C7g.large")->arch, "arm64");
}

TEST(Scripts, LookForTheProgramThatReleases) {
  const auto looks = [](const std::string& command) {
    const auto text = text_of(job(), "hetzner/cx22", {.release_command = command});
    const auto begin = text.find("can_release() { ") + 16;
    return text.substr(begin, text.find("; }", begin) - begin);
  };
  EXPECT_EQ(looks("hcloud server delete \"$(hostname)\""), "has 'hcloud'");
  EXPECT_EQ(looks("HCLOUD_TOKEN=x sudo -n /opt/h/hcloud server delete a"), "has '/opt/h/hcloud'");
  for (const auto* other : {"$RELEASE now", "\"/opt/my tools/hcloud\" delete", "(a; b)"})
    EXPECT_EQ(looks(other), ":") << other;
  EXPECT_THAT(release_of({.provider = "hetzner"}, {.release_command = "hcloud x"})->needs,
              HasSubstr("program hcloud"));
}

TEST(Scripts, BringWhatRunsSaved) {
  auto learns = job();
  learns.saved = {"trained.safetensors"};
  learns.mentioned = {"toy2.py"};
  const auto text = text_of(learns, "aws/m5");
  EXPECT_THAT(text, HasSubstr("save_file \"$home\"/work/'trained.safetensors'\n"));
  EXPECT_THAT(text, HasSubstr("bring_if_beside 'toy2.py'\n"));
  EXPECT_THAT(text_of(job(), "aws/m5"), Not(HasSubstr("bring_if_beside '")));
}

TEST(Longest, IsTheEarlierLimit) {
  const auto limit = [](const std::string& offer, const Wishes& wishes) {
    const auto found = longest(job(), *offer_of_name(offer), wishes, price::built_in_rules()).value();
    return fmt::format("{} {}", found.seconds, found.sure_s);
  };
  EXPECT_EQ(limit("aws/m5", {}), "86400 86400");
  EXPECT_EQ(limit("own/desk", {}), "0 0");
  EXPECT_EQ(limit("aws/m5", {.max_time = Seconds{600}}), "600 600");
  EXPECT_EQ(limit("aws/m5", {.budget = "5USD", .price = "2.5USD/h", .max_time = Seconds{600}}), "600 600");
  EXPECT_EQ(limit("selectel/x", {.budget = "350RUB", .price = "100RUB/h"}), "10800 7200");
  const auto text = text_of(job(), "aws/m5");
  const auto number = [&](const std::string& name) {
    return std::stoll(text.substr(text.find("\n" + name) + name.size() + 1));
  };
  EXPECT_EQ(number("rescue_s=") + number("reserve_s="), kept_for_the_end_s(1200));
}

TEST(Scripts, FitIntoTheUserDataOfAnyProvider) {
  constexpr std::size_t most_of_azure = 65536 * 3 / 4;  // which counts it in base64; AWS takes it packed
  for (const auto* offer : {"aws/m5", "gcp/n1", "azure/NC6", "yandex/x"})
    EXPECT_LT(
        text_of(job(), offer, {.bundle = "https://host/neph.tar.gz", .format = Format::cloud_init}).size(),
        most_of_azure)
        << offer;
}

}  // namespace
}  // namespace neph::script
