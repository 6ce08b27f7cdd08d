// The models that test_models.py makes, once per test program, and short words for what tests do with them.
#pragma once

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

}  // namespace neph::engine
