// A folder of models of known behaviour, gone with the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace neph::serve {

class Repository {
 public:
  Repository() {
    std::string name = (std::filesystem::temp_directory_path() / "neph-serve-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Repository() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }
  /// A model that answers its input x [n, 4] as y after so long. What it answers says nothing of its version;
  /// the reply does.
  void add(const std::string& name, int version, double service_ms = 0) const {
    write(fmt::format("{}/{}/model.identity", name, version), identity(service_ms));
  }
  static std::string identity(double service_ms = 0) {
    return fmt::format(
        "service_ms = {}\n[[inputs]]\nname = \"x\"\nshape = [-1, 4]\n[[outputs]]\nname = \"y\"\n",
        service_ms);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace neph::serve
