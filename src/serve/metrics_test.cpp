#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "serve/service.hpp"

namespace neph::serve {
namespace {

wire::ModelStatistics model(const std::string& name) {
  return {.name = name,
          .version = "3",
          .inference_count = 12,
          .execution_count = 5,
          .inference_stats = {.success = {10, 2'000'500},
                              .fail = {2, 7},
                              .queue = {10, 1'000},
                              .compute_input = {10, 2'000},
                              .compute_infer = {10, 1'500'000'000'000},
                              .compute_output = {10, 4'000}}};
}

/// The text format 0.0.4 as its specification describes it, read strictly: samples by their name and labels.
class Page {
 public:
  explicit Page(std::string_view text) {
    EXPECT_TRUE(text.ends_with('\n'));
    while (!text.empty()) {
      const auto end = text.find('\n');
      read_line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }
  std::map<std::string, double> samples;
  std::map<std::string, std::string> types;

 private:
  void read_line(std::string_view line) {
    rest_ = line;
    if (take("# HELP ")) {
      family_ = name();
      EXPECT_TRUE(helped_.insert(family_).second) << "twice: " << line;
      EXPECT_TRUE(take(" ")) << line;
    } else if (take("# TYPE ")) {
      EXPECT_EQ(name(), family_) << line;
      EXPECT_TRUE(take(" ")) << line;
      EXPECT_TRUE(rest_ == "counter" || rest_ == "gauge") << line;
      types[family_] = rest_;
    } else {
      read_sample(line);
    }
  }

  void read_sample(std::string_view line) {
    auto key = name();
    EXPECT_EQ(key, family_) << "a family's lines stand together: " << line;
    EXPECT_TRUE(types.contains(key)) << line;
    if (take("{")) {
      do {
        key += "|" + name();
        EXPECT_TRUE(take("=\"")) << line;
        key += "=" + label_value();
      } while (take(","));
      EXPECT_TRUE(take("}")) << line;
    }
    EXPECT_TRUE(take(" ")) << line;
    double value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    EXPECT_EQ(read.ptr, rest_.data() + rest_.size()) << line;
    EXPECT_TRUE(samples.emplace(key, value).second) << "twice: " << line;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string name() {
    std::size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 || rest_[length] == '_'))
      ++length;
    EXPECT_GT(length, 0U) << rest_;
    std::string taken(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return taken;
  }
  std::string label_value() {
    std::string value;
    while (!rest_.empty() && rest_.front() != '"') {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\') {
        c = rest_.front() == 'n' ? '\n' : rest_.front();
        EXPECT_TRUE(c == '\n' || c == '\\' || c == '"');
        rest_.remove_prefix(1);
      }
      value += c;
    }
    EXPECT_TRUE(take("\""));
    return value;
  }

  std::string_view rest_;
  std::string family_;
  std::set<std::string> helped_;
};

TEST(Metrics, OfAModelAreTritonsNames) {
  Metrics metrics;
  metrics.add(model("m"), 4);
  EXPECT_EQ(metrics.text(),
            "# HELP nv_inference_request_success Requests answered\n"
            "# TYPE nv_inference_request_success counter\n"
            "nv_inference_request_success{model=\"m\",version=\"3\"} 10\n"
            "# HELP nv_inference_request_failure Requests refused or failed\n"
            "# TYPE nv_inference_request_failure counter\n"
            "nv_inference_request_failure{model=\"m\",version=\"3\"} 2\n"
            "# HELP nv_inference_count Inferences; a batch of n counts n\n"
            "# TYPE nv_inference_count counter\n"
            "nv_inference_count{model=\"m\",version=\"3\"} 12\n"
            "# HELP nv_inference_exec_count Executions; a batch counts 1\n"
            "# TYPE nv_inference_exec_count counter\n"
            "nv_inference_exec_count{model=\"m\",version=\"3\"} 5\n"
            "# HELP nv_inference_request_duration_us Time of answered requests, from arrival to answer\n"
            "# TYPE nv_inference_request_duration_us counter\n"
            "nv_inference_request_duration_us{model=\"m\",version=\"3\"} 2000.5\n"
            "# HELP nv_inference_queue_duration_us Time of requests in the queue\n"
            "# TYPE nv_inference_queue_duration_us counter\n"
            "nv_inference_queue_duration_us{model=\"m\",version=\"3\"} 1\n"
            "# HELP nv_inference_compute_input_duration_us Time of requests in decoding and joining\n"
            "# TYPE nv_inference_compute_input_duration_us counter\n"
            "nv_inference_compute_input_duration_us{model=\"m\",version=\"3\"} 2\n"
            "# HELP nv_inference_compute_infer_duration_us Time of requests in the engine\n"
            "# TYPE nv_inference_compute_infer_duration_us counter\n"
            "nv_inference_compute_infer_duration_us{model=\"m\",version=\"3\"} 1500000000\n"
            "# HELP nv_inference_compute_output_duration_us Time of requests in taking outputs apart\n"
            "# TYPE nv_inference_compute_output_duration_us counter\n"
            "nv_inference_compute_output_duration_us{model=\"m\",version=\"3\"} 4\n"
            "# HELP nv_inference_pending_request_count Requests that wait\n"
            "# TYPE nv_inference_pending_request_count gauge\n"
            "nv_inference_pending_request_count{model=\"m\",version=\"3\"} 4\n");
}

TEST(Metrics, OfSeveralModelsStandTogetherByName) {
  Metrics metrics;
  metrics.add(model("a"), 1);
  metrics.add({{.name = "process_threads", .help = "Threads", .value = 7, .grows = false}});
  metrics.add(model("b"), 2);
  const Page page(metrics.text());
  EXPECT_EQ(page.samples.size(), 21U);
  EXPECT_EQ(page.samples.at("nv_inference_pending_request_count|model=a|version=3"), 1);
  EXPECT_EQ(page.samples.at("nv_inference_pending_request_count|model=b|version=3"), 2);
  EXPECT_EQ(page.types.at("process_threads"), "gauge");
  EXPECT_EQ(page.samples.at("process_threads"), 7);
}

TEST(Metrics, KeepLabelsWhatTheyWere) {
  const std::string odd = "a \"model\"\\ with\nlines, {braces} and \xC3\xA9";
  Metrics metrics;
  metrics.add(model(odd), 1);
  metrics.add({{.name = "x_total", .help = "X", .value = 0.1, .labels = {{"one", "1"}, {"two", "\\n"}}}});
  const Page page(metrics.text());
  EXPECT_TRUE(page.samples.contains("nv_inference_count|model=" + odd + "|version=3"));
  EXPECT_EQ(page.samples.at("x_total|one=1|two=\\n"), 0.1);
  Metrics broken;
  broken.add(model("caf\xE9"), 1);
  EXPECT_TRUE(Page(broken.text()).samples.contains("nv_inference_count|model=caf\xEF\xBF\xBD|version=3"));
}

TEST(Metrics, OfThisMachineAreWellFormed) {
  host::Counters counters;
  Metrics metrics;
  metrics.add(counters.read());
  const Page page(metrics.text());
  EXPECT_GT(page.samples.at("process_resident_memory_bytes"), 1e6);
  EXPECT_GE(page.samples.at("process_threads"), 1);
  EXPECT_EQ(page.types.at("process_cpu_seconds_total"), "counter");
  EXPECT_GT(page.samples.at("node_cpu_seconds_total|mode=idle"), 0);
}

}  // namespace
}  // namespace neph::serve
