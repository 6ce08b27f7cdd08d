#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "engine/elements.hpp"
#include "record/answer_summary.hpp"
#include "workload/infer/answer_keeper.hpp"

namespace neph::workload {
namespace {

/// Of a larger output every so manieth element is looked at, so that the loop is not slowed down.
constexpr std::size_t most_looked_at = 4096;

/// A sign that the place decides.
double sign_of(std::size_t place) { return (place * 0x9e3779b97f4a7c15ULL) >> 63 != 0 ? 1 : -1; }

struct Sums {
  double sum = 0, squares = 0, signed_sum = 0;
  std::size_t count = 0;
  void add(double value, std::size_t place) {
    if (!std::isfinite(value)) return;
    sum += value;
    squares += value * value;
    signed_sum += sign_of(place) * value;
    ++count;
  }
};

Sums sums_of(const Output& output) {
  // Of text its bytes, so that other words are another sum.
  const auto element = output.element == engine::Element::text ? engine::Element::u8 : output.element;
  const auto elements = output.data.size() / engine::element_bytes(element);
  const auto step = elements / most_looked_at + 1;
  Sums sums;
  if (element == engine::Element::f32) {
    const auto* values = reinterpret_cast<const float*>(output.data.data());
    for (std::size_t i = 0; i < elements; i += step) sums.add(static_cast<double>(values[i]), i);
  } else {
    for (std::size_t i = 0; i < elements; i += step)
      sums.add(engine::element_value(element, output.data.data(), i), i);
  }
  return sums;
}

AnswerSummary summary_of(const Output& output) {
  const auto sums = sums_of(output);
  const auto count = static_cast<double>(std::max<std::size_t>(1, sums.count));
  return {.name = std::string(output.name),
          .element = std::string(enum_name(output.element)),
          .shape = engine::shape_text({output.shape.begin(), output.shape.end()}),
          .mean = sums.sum / count,
          .rms = std::sqrt(sums.squares / count),
          .mark = sums.signed_sum / std::sqrt(count)};
}

class TensorAnswers final : public AnswerKeeper {
 public:
  TensorAnswers(ItemName name, std::optional<AnswersFile> file)
      : name_(std::move(name)), file_(std::move(file)) {}

  void judge(const image::Batch& batch, Outputs outputs) override {
    outputs_ = outputs;
    if (outputs.empty() || (!file_ && batch.index != 0)) return;
    summaries_.clear();
    for (const auto& output : outputs) summaries_.push_back(summary_of(output));
    if (batch.index == 0) first_ = summaries_;
  }

  void write(const image::Batch& batch) override {
    if (!file_) return;
    const auto& item = name_(batch.first);
    if (outputs_.empty()) {
      file_->add_failed(item, batch.failed.empty() ? "no answer" : batch.failed.front().reason);
      return;
    }
    for (const auto& output : summaries_)
      file_->add_line(item, fmt::format("{},{},\"{}\",{:.6g},{:.6g},{:.6g}", csv_cell(output.name),
                                        output.element, output.shape, output.mean, output.rms, output.mark));
  }

  void finish(RunResult& result) const override {
    if (!first_.empty()) set(result.facts, fact::answers, answers_text(first_));
  }

  Status close() override { return file_ ? file_->close() : Status(); }

 private:
  const ItemName name_;
  std::optional<AnswersFile> file_;
  Outputs outputs_;  ///< of the batch at hand
  std::vector<AnswerSummary> summaries_, first_;
};

}  // namespace

Result<std::unique_ptr<AnswerKeeper>> tensor_answers(ItemName name, const std::string& path) {
  std::optional<AnswersFile> file;
  if (!path.empty()) {
    NEPH_TRY(auto opened, AnswersFile::open(path, "input,output,type,shape,mean,rms,mark"));
    file.emplace(std::move(opened));
  }
  return std::make_unique<TensorAnswers>(std::move(name), std::move(file));
}

}  // namespace neph::workload
