#include "workload/command/text_output.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/text.hpp"

namespace neph::workload::command {
namespace {

constexpr std::size_t longest_line = 4096;  ///< of those that are read

/// Reads a line from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// To behind the next such word.
  bool find(std::string_view word) {
    const auto found = rest_.find(word);
    if (found == rest_.npos) return false;
    rest_.remove_prefix(found + word.size());
    return true;
  }
  std::optional<double> number() {
    double value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }
  std::optional<std::int64_t> count() {
    std::int64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc{} || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

Told told(auto what) { return {.by = Teller::output, .what = std::move(what)}; }

struct Key {
  std::string_view name;
  Value value;
};
constexpr std::array keras_keys{Key{"loss", Value::train_loss}, Key{"val_loss", Value::test_loss},
                                Key{"val_accuracy", Value::test_accuracy}};
constexpr std::array evaluate_keys{Key{"loss", Value::test_loss}, Key{"accuracy", Value::test_accuracy}};
constexpr std::array trainer_keys{Key{"train_loss", Value::train_loss}, Key{"eval_loss", Value::test_loss},
                                  Key{"eval_accuracy", Value::test_accuracy},
                                  Key{"train_samples_per_second", Value::samples_per_s}};

/// "45/45": the number, where the two are the same.
std::optional<std::int64_t> all_of_all(Cursor& cursor) {
  const auto done = cursor.count();
  if (!done || !cursor.skip("/")) return std::nullopt;
  const auto all = cursor.count();
  return all && *all == *done && *all > 0 ? all : std::nullopt;
}

/// "93ms", of what "/step" follows.
std::optional<double> time_of_step(std::string_view text) {
  const auto end = text.find("/step");
  if (end == text.npos) return std::nullopt;
  const auto begin = text.rfind(' ', end);
  Cursor cursor(text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1)));
  const auto number = cursor.number();
  if (!number) return std::nullopt;
  if (cursor.rest() == "s") return *number;
  if (cursor.rest() == "ms") return *number * 1e-3;
  return cursor.rest() == "us" ? std::optional(*number * 1e-6) : std::nullopt;
}

/// The Trainer's lines are Python's dictionaries: {'train_loss': '0.69', 'epoch': 2.0}.
std::vector<Told> hear_trainer(std::string_view line) {
  std::vector<Told> all;
  const auto begin = line.find("{'");
  if (begin == line.npos || !line.ends_with('}')) return all;
  const auto value_of = [&](std::string_view key) -> std::optional<double> {
    Cursor cursor(line.substr(begin));
    if (!cursor.find("'" + std::string(key) + "': ")) return std::nullopt;
    cursor.skip("'");
    return cursor.number();
  };
  for (const auto& key : trainer_keys)
    if (const auto value = value_of(key.name)) all.push_back(told(Figure{key.value, *value}));
  if (const auto rate = value_of("train_steps_per_second"); rate && *rate > 0)
    all.push_back(told(Figure{Value::step_s, 1 / *rate}));
  return all;
}

/// Off a terminal it prints its bar once, at the end: "Epoch 1/1 --- 100/100 0:00:06 • 0:00:00 14.72it/s".
/// Before version 2.6 by tqdm: "Epoch 1: 100%|###| 100/100 [00:06<00:00, 14.72it/s, v_num=0]".
std::vector<Told> hear_lightning(std::string_view line) {
  const auto unit = line.rfind("it/s");
  if (!line.starts_with("Epoch ") || unit == line.npos) return {};
  const auto blank = line.rfind(' ', unit);
  if (blank == line.npos) return {};
  Cursor cursor(line.substr(blank + 1));
  const auto rate = cursor.number();
  if (!rate || *rate <= 0 || !cursor.skip("it/s")) return {};
  return {told(Figure{Value::step_s, 1 / *rate})};
}

}  // namespace

std::string shown_line(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with('\b')) line.remove_suffix(1);
  for (const char over : {'\r', '\b'})
    if (const auto last = line.rfind(over); last != line.npos) line.remove_prefix(last + 1);
  std::string shown;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      shown += line[i];
      continue;
    }
    if (i + 1 >= line.size() || line[i + 1] != '[') continue;
    for (i += 2; i < line.size() && !(line[i] >= '@' && line[i] <= '~');) ++i;
  }
  return shown;
}

std::vector<Told> TextOutput::hear(std::string_view line, double now_s) {
  line = trimmed(line);
  if (line.empty() || line.size() > longest_line) return {};
  auto all = hear_keras(line, now_s);
  if (all.empty()) all = hear_trainer(line);
  return all.empty() ? hear_lightning(line) : all;
}

/// "Epoch 1/2", and at its end "45/45 - 4s - 93ms/step - loss: 2.3357", where verbose 1 has a bar for the
/// first dash. Outside of an epoch such a line is of evaluate(), or of predict(), which has no loss.
std::vector<Told> TextOutput::hear_keras(std::string_view line, double now_s) {
  Cursor cursor(line);
  if (cursor.skip("Epoch ")) {
    if (cursor.count() && cursor.skip("/") && cursor.count() && cursor.rest().empty()) epoch_begin_s_ = now_s;
    return {};
  }
  if (!epoch_begin_s_ && !has_learnt_) return {};
  const auto steps = all_of_all(cursor);
  const auto step_s = steps ? time_of_step(cursor.rest()) : std::nullopt;
  if (!step_s) return {};
  std::vector<Told> all;
  if (epoch_begin_s_)
    all = {told(Span{.kind = SpanKind::epoch, .begin_s = *epoch_begin_s_, .end_s = now_s, .steps = *steps}),
           told(Figure{Value::step_s, *step_s})};
  for (const auto& key : epoch_begin_s_ ? std::span<const Key>(keras_keys) : evaluate_keys) {
    Cursor value(cursor.rest());
    if (!value.find(" " + std::string(key.name) + ": ")) continue;
    if (const auto number = value.number()) all.push_back(told(Figure{key.value, *number}));
  }
  epoch_begin_s_.reset();
  has_learnt_ = true;
  return all;
}

}  // namespace neph::workload::command
