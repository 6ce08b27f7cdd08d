// What the engine's tests share: model files in a folder of their own, and the engine from its plugin.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/identity/model.hpp"

namespace neph::engine {

inline constexpr const char* sixteen_floats = R"(
[[inputs]]
name = "x"
shape = [-1, 16]
[[outputs]]
name = "y"
)";

class ScratchFolder : public testing::Test {
 protected:
  ScratchFolder() : folder_((std::filesystem::temp_directory_path() / "neph-identity-XXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~ScratchFolder() override { std::filesystem::remove_all(folder_); }

  /// A model file of that text.
  std::string write(const std::string& text) const {
    const auto path = folder_ + "/m.identity";
    std::ofstream(path) << text;
    return path;
  }

  /// A session of that model whose time passes on `clock` alone.
  std::unique_ptr<Session> session(const std::string& text, const Clock& clock, const Options& options = {}) {
    auto model = IdentityModel::load(write(text), clock);
    if (!model) {
      ADD_FAILURE() << model.error().message;
      return nullptr;
    }
    auto session = (*model)->compile(options);
    if (!session) ADD_FAILURE() << session.error().message;
    return session ? std::move(*session) : nullptr;
  }

  std::string folder_;
  ManualClock clock_;  ///< outlives the sessions of a test
};

}  // namespace neph::engine
