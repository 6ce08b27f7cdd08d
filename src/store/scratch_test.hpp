// What the tests of stores need: a folder that goes away, an experiment, a run, and SQL beside the store.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <sqlite3.h>
#include <stdlib.h>

#include "record/experiment.hpp"

namespace neph::store {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "neph-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline Experiment sample_experiment() {
  return {.created = "2026-11-21T10:03:59Z",
          .workload = "infer",
          .spec = {{"model", "resnet50.onnx"}, {"count", 500}, {"precision", nullptr}},
          .factors = {{"batch", {1, 2, 4}}, {"files", {true, false}}},
          .repeat = 5,
          .seed = 42,
          .version = "0.1.0",
          .command = "neph infer resnet50.onnx --batch 1,2,4"};
}

/// A run of ordinary size: 500 samples of 8 columns, 40 series of 600 readings.
inline Run sample_run(std::int64_t experiment, std::int64_t cell, std::int64_t repeat) {
  Run run{.experiment_id = experiment,
          .cell = cell,
          .repeat = repeat,
          .started = "2026-11-21T10:04:00Z",
          .wall_s = 60};
  auto& result = run.result;
  result.phases = {{"process_start", 0, 0.1}, {"model_load", 0.1, 0.5}, {"measure", 0.5, 60}};
  result.figures = {{"images_per_s", "pictures/s", {.value = 96.5, .low = 95, .high = 98, .n = 20}}};
  result.stages = {{"decode", 10, 500}, {"infer", 40, 500}};
  result.facts = {{"precision", "bf16"}};
  result.outputs.assign(500, 7);
  for (int i = 0; i < 8; ++i)
    result.samples.push_back({"column" + std::to_string(i), std::vector<double>(500, i)});
  for (int i = 0; i < 40; ++i) {
    result.telemetry.push_back({"machine", "quantity" + std::to_string(i), "cores", 1.0, 2.0, 0.5, ""});
    result.series.push_back({"machine", "quantity" + std::to_string(i), "cores",
                             std::vector<double>(600, 0.1), std::vector<double>(600, i), ""});
  }
  return run;
}

/// The first column of the first row; "error: ..." when there is none.
inline std::string first_text(const std::filesystem::path& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr);
  std::string text = std::string("error: ") + sqlite3_errmsg(connection);
  if (statement && sqlite3_step(statement) == SQLITE_ROW) {
    const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    text = found ? found : "";
  }
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return text;
}

}  // namespace neph::store
