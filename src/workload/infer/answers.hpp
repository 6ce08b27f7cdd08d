// What the network answered: the five best classes of each image, a checksum over the best ones, and a
// file of all.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::workload {

inline constexpr std::size_t top_count = 5;

/// Class and score of the best classes, best first; class -1 where the network has fewer. Equal scores: lower
/// class first.
struct Top {
  std::array<std::int32_t, top_count> classes{-1, -1, -1, -1, -1};
  std::array<float, top_count> scores{};
};

/// One pass over the scores of one picture. A score that is not a number is never among the best.
Top top_classes(std::span<const float> scores);

/// Whether the two best are within 1 % of the larger, so that sums in another order, or products of fewer
/// bits, may exchange them.
bool is_close(const Top& top);

/// FNV-1a (Fowler, Noll, Vo; 64 bit) over the answers as little-endian 32-bit numbers, in 16 hexadecimal
/// digits.
std::string answers_checksum(std::span<const std::int32_t> answers);

/// A CSV cell: quoted when it holds a comma, a quote or a line feed (RFC 4180).
std::string csv_cell(const std::string& text);

/// The file of answers: one line per picture, "picture,class1,score1,...,class5,score5". Without a path
/// it is written to a file that has no name, so that its cost is measured all the same. A file that goes
/// before close() leaves nothing behind. Threads: one.
class AnswersFile {
 public:
  static Result<AnswersFile> open(const std::string& path);
  /// Of answers that are no classes: with a first line of its own.
  static Result<AnswersFile> open(const std::string& path, std::string_view heading);
  AnswersFile(AnswersFile&&) noexcept = default;
  AnswersFile& operator=(AnswersFile&&) = delete;
  ~AnswersFile();

  void add(const std::string& picture, const Top& top);
  /// `cells` are cells of CSV already.
  void add_line(const std::string& item, std::string_view cells);
  /// A picture that could not be used, with the reason.
  void add_failed(const std::string& picture, const std::string& reason);
  /// Writes what is buffered and makes the file appear under its name.
  Status close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  AnswersFile(std::FILE* file, std::string path, std::string part)
      : file_(file), path_(std::move(path)), part_(std::move(part)) {}

  std::unique_ptr<std::FILE, Closer> file_;
  std::string path_;
  std::string part_;  ///< where it is written until it is whole
};

}  // namespace neph::workload
