// The models that test_models.py makes, once per test program, and short words for what tests do with them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "os/file.hpp"

namespace neph::engine {

/// Removed when the program ends.
class ModelFolder {
 public:
  ModelFolder() : path_((std::filesystem::temp_directory_path() / "neph-models-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
    std::filesystem::permissions(path_, std::filesystem::perms(0755));  // a test reads it as nobody
    const auto command = std::string(std::getenv("NEPH_PYTHON")) + " src/engine/test_models.py " + path_ +
                         " tests/golden/models";
    if (std::system(command.c_str()) != 0) std::abort();
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string model_path(const std::string& name) {
  static const ModelFolder folder;
  return folder.path() + "/" + name;
}

/// The engine that the test program is of, as users get it: from its plugin.
inline Engine& tested_engine() {
  static Registry registry({std::string(std::getenv("NEPH_BUILD")) + "/bin/engines"});
  static const auto engine = registry.open(NEPH_TESTED_ENGINE);
  if (!engine) ADD_FAILURE() << engine.error().message;
  return **engine;
}

inline std::unique_ptr<Model> load(const std::string& name) {
  auto model = tested_engine().load(model_path(name));
  if (!model) ADD_FAILURE() << model.error().message;
  return model ? std::move(*model) : nullptr;
}

inline std::unique_ptr<Session> compile(const std::string& name, const Options& options = {}) {
  auto session = load(name)->compile(options);
  if (!session) ADD_FAILURE() << session.error().message;
  return session ? std::move(*session) : nullptr;
}

inline std::unique_ptr<Request> request_of(Session& session) {
  auto request = session.make_request();
  if (!request) ADD_FAILURE() << request.error().message;
  return request ? std::move(*request) : nullptr;
}

/// The numbers that test_models.py wrote.
inline std::vector<float> numbers(const std::string& name) {
  const auto bytes = read_file(model_path(name));
  if (!bytes) ADD_FAILURE() << bytes.error().message;
  std::vector<float> values(bytes->size() / sizeof(float));
  std::memcpy(values.data(), bytes->data(), values.size() * sizeof(float));
  return values;
}

inline void bind(Request& request, std::vector<float>& input, std::vector<float>& output) {
  const auto in = request.bind_input(0, input.data(), input.size() * sizeof(float));
  const auto out = request.bind_output(0, output.data(), output.size() * sizeof(float));
  ASSERT_TRUE(in && out) << (in ? out : in).error().message;
}

/// What a session made of `name`, whose weights lie in `beside`, adds to zeros once that file has been
/// written over and cut short: still 0, 1, 2, ... where it has weights of its own.
inline void expect_own_weights(const std::string& name, const std::string& beside,
                               const Options& options = {}) {
  auto model = tested_engine().load(model_path(name), Weights::owned);
  ASSERT_TRUE(model) << model.error().message;
  const auto session = (*model)->compile(options);
  ASSERT_TRUE(session) << session.error().message;
  const auto request = request_of(**session);
  const auto file = model_path(beside);
  const auto kept = read_file(file);
  ASSERT_TRUE(kept);
  for (const auto size : {kept->size(), std::size_t{0}}) {
    std::FILE* const there = std::fopen(file.c_str(), "r+");  // in place, as cp does
    std::fwrite(std::string(kept->size(), '\7').data(), 1, kept->size(), there);
    std::fclose(there);
    std::filesystem::resize_file(file, size);
    std::vector<float> input((*session)->inputs()[0].bytes() / sizeof(float)), output(input.size());
    bind(*request, input, output);
    EXPECT_TRUE(request->infer());
    for (const std::size_t i : {1, 2047, 4095}) EXPECT_EQ(output[i], static_cast<float>(i)) << name;
  }
  EXPECT_TRUE(write_file(file, *kept));
}

}  // namespace neph::engine
