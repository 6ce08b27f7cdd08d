// What this module's tests share: a scratch folder, and files of each form made by hand. Only for tests.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "data/data.hpp"

namespace neph::data {

/// An empty folder that is gone when the test ends.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "neph-sets-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string text() const { return path_.string(); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string zipped(const std::string& content) {
  std::string out(compressBound(content.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// An IDX file of bytes.
inline std::string idx(const std::vector<std::uint32_t>& shape, const std::string& values) {
  std::string file{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (const auto size : shape)
    for (const int shift : {24, 16, 8, 0}) file.push_back(static_cast<char>(size >> shift));
  return file + values;
}

/// All examples of a half, one after the other.
struct Contents {
  std::vector<float> inputs;
  std::vector<std::int64_t> labels;
};

inline Contents contents_of(const Split& split, std::size_t values) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(split.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  Contents contents;
  contents.inputs.resize(rows.size() * values);
  contents.labels.resize(rows.size() * static_cast<std::size_t>(split.labels_per_example()));
  const auto filled = split.fill(rows, contents.inputs, contents.labels);
  EXPECT_TRUE(filled) << filled.error().text();
  return contents;
}

/// The message of what must fail.
template <class T>
std::string message_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? "" : result.error().text();
}
template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result);
  return result ? ErrorCode::internal : result.error().code;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace neph::data
