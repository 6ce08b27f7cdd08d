// Archives and images made by hand. Only for tests.
#pragma once

#include <cstdio>
#include <utility>

#include "data/scratch_test.hpp"

namespace neph::data {

using Files = std::vector<std::pair<std::string, std::string>>;

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

/// A 24-bit BMP of one colour.
inline std::string picture(int side, int red, int green, int blue) {
  const int row = (side * 3 + 3) / 4 * 4;
  std::string file = "BM" + little(static_cast<std::uint64_t>(54 + row * side), 4) + little(0, 4) +
                     little(54, 4) + little(40, 4) + little(static_cast<std::uint64_t>(side), 4) +
                     little(static_cast<std::uint64_t>(side), 4) + little(1, 2) + little(24, 2) +
                     std::string(24, '\0');
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x)
      file += {static_cast<char>(blue), static_cast<char>(green), static_cast<char>(red)};
    file.append(static_cast<std::size_t>(row - side * 3), '\0');
  }
  return file;
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

}  // namespace neph::data
