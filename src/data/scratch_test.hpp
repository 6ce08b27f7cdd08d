// What this module's tests share: a scratch folder, and files of each form made by hand. Only for tests.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
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

using Files = std::vector<std::pair<std::string, std::string>>;

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

inline std::string tar_entry(const std::string& name, const std::string& content, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, std::min<std::size_t>(name.size(), 100), name.substr(0, 100));
  char size[13];
  std::snprintf(size, sizeof size, "%011llo", static_cast<unsigned long long>(content.size()));
  header.replace(124, 11, size);
  header[156] = type;
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 7, std::string(digits, 7));
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

inline std::string tar(const Files& files) {
  std::string archive;
  for (const auto& [name, content] : files) archive += tar_entry(name, content);
  return archive + std::string(1024, '\0');
}

/// Stored members, or deflated ones.
inline std::string zip(const Files& files, bool deflated) {
  std::string archive, list;
  for (const auto& [name, content] : files) {
    const auto gzip = zipped(content);
    const auto packed = deflated ? gzip.substr(10, gzip.size() - 18) : content;
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const auto facts = little(deflated ? 8 : 0, 2) + little(0, 4) + little(crc, 4) +
                       little(packed.size(), 4) + little(content.size(), 4) + little(name.size(), 2);
    list += little(0x02014b50, 4) + little(20, 2) + little(20, 2) + little(0, 2) + facts +
            std::string(12, '\0') + little(archive.size(), 4) + name;
    archive += little(0x04034b50, 4) + little(20, 2) + little(0, 2) + facts + little(0, 2) + name + packed;
  }
  const auto at = archive.size();
  return archive + list + little(0x06054b50, 4) + little(0, 4) + little(files.size(), 2) +
         little(files.size(), 2) + little(list.size(), 4) + little(at, 4) + little(0, 2);
}

inline std::string npy(const std::string& type, const std::string& shape, const std::string& elements,
                       const std::string& fortran = "False") {
  const auto text = "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\x01\0", 2) + little(text.size(), 2) + text + elements;
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
