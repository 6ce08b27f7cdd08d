#include "workload/infer/answers.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/fnv1a.hpp"
#include "os/file.hpp"

namespace neph::workload {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Top top_classes(std::span<const float> scores) {
  Top top;
  top.scores.fill(-std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const float score = scores[i];
    if (!(score > top.scores.back()) && top.classes.back() >= 0)
      continue;  // the common case: not among the best
    if (!(score >= -std::numeric_limits<float>::max())) continue;
    std::size_t place = top_count - 1;
    while (place > 0 && (top.classes[place - 1] < 0 || score > top.scores[place - 1])) {
      top.scores[place] = top.scores[place - 1];
      top.classes[place] = top.classes[place - 1];
      --place;
    }
    top.scores[place] = score;
    top.classes[place] = static_cast<std::int32_t>(i);
  }
  return top;
}

bool is_close(const Top& top) {
  constexpr float rounding = 0.01F;
  const auto [first, second] = std::pair(top.scores[0], top.scores[1]);
  return top.classes[1] >= 0 && std::isfinite(first) &&
         first - second <= rounding * std::max(std::abs(first), std::abs(second));
}

std::string answers_checksum(std::span<const std::int32_t> answers) {
  std::uint64_t hash = fnv1a("");
  for (const auto answer : answers) {
    const auto bits = static_cast<std::uint32_t>(answer);
    const std::array bytes{static_cast<char>(bits), static_cast<char>(bits >> 8),
                           static_cast<char>(bits >> 16), static_cast<char>(bits >> 24)};
    hash = fnv1a({bytes.data(), bytes.size()}, hash);
  }
  return fmt::format("{:016x}", hash);
}

namespace {

/// A file without a name: on disk, or in memory where there is no folder to write to.
std::FILE* unnamed_file() {
  if (std::FILE* file = std::tmpfile()) return file;
  const int memory = ::memfd_create("neph-answers", MFD_CLOEXEC);
  return memory < 0 ? nullptr : ::fdopen(memory, "w");
}

}  // namespace

Result<AnswersFile> AnswersFile::open(const std::string& path) {
  std::string heading = "picture";
  for (std::size_t i = 1; i <= top_count; ++i) heading += fmt::format(",class{},score{}", i, i);
  return open(path, heading);
}

Result<AnswersFile> AnswersFile::open(const std::string& path, std::string_view heading) {
  const auto part = path.empty() ? std::string() : part_path(path).string();
  std::FILE* file = path.empty() ? unnamed_file() : std::fopen(part.c_str(), "we");
  if (file == nullptr)
    return tl::unexpected(
        system_error(fmt::format("cannot write {}", path.empty() ? "a temporary file" : path), errno));
  AnswersFile answers(file, path, part);
  fmt::print(file, "{}\n", heading);
  return answers;
}

AnswersFile::~AnswersFile() {
  if (file_ && part_ != path_) ::unlink(part_.c_str());
}

void AnswersFile::add(const std::string& picture, const Top& top) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{}", csv_cell(picture));
  for (std::size_t i = 0; i < top_count; ++i) {
    if (top.classes[i] < 0)
      fmt::format_to(std::back_inserter(line), ",,");
    else
      fmt::format_to(std::back_inserter(line), ",{},{:.6g}", top.classes[i], top.scores[i]);
  }
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), file_.get());
}

void AnswersFile::add_line(const std::string& item, std::string_view cells) {
  fmt::print(file_.get(), "{},{}\n", csv_cell(item), cells);
}

void AnswersFile::add_failed(const std::string& picture, const std::string& reason) {
  fmt::print(file_.get(), "{},{}\n", csv_cell(picture), csv_cell("failed: " + reason));
}

Status AnswersFile::close() {
  std::FILE* file = file_.release();
  const bool written = std::ferror(file) == 0 && std::fflush(file) == 0;
  int reason = written ? 0 : errno;
  if (std::fclose(file) != 0 && reason == 0) reason = errno;
  if (path_.empty()) return {};  // the unnamed file was only there to be paid for
  const bool replaces = part_ != path_;
  if (reason == 0 && (!replaces || std::rename(part_.c_str(), path_.c_str()) == 0)) return {};
  if (reason == 0) reason = errno;
  if (replaces) ::unlink(part_.c_str());
  return tl::unexpected(system_error(fmt::format("cannot write {}", path_), reason));
}

}  // namespace neph::workload
