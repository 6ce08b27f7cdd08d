#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include "record/answer_summary.hpp"
#include "workload/infer/answer_keeper.hpp"

namespace neph::workload {
namespace {

class ClassAnswers final : public AnswerKeeper {
 public:
  ClassAnswers(ItemName name, std::int64_t items, std::int64_t batch, AnswersFile file)
      : name_(std::move(name)), file_(std::move(file)) {
    tops_.resize(static_cast<std::size_t>(batch));
    answers_.assign(static_cast<std::size_t>(items), -1);
  }

  void judge(const image::Batch& batch, Outputs outputs) override {
    if (outputs.empty()) return;
    const auto& output = outputs.front();
    const std::span scores(reinterpret_cast<const float*>(output.data.data()),
                           output.data.size() / sizeof(float));
    const auto items = static_cast<std::size_t>(batch.size);
    // A short last batch of tensors goes whole.
    const auto rows = batch.files.empty() ? tops_.size() : items;
    const auto classes = scores.size() / rows;
    for (std::size_t i = 0; i < items; ++i) {
      tops_[i] = top_classes(scores.subspan(i * classes, classes));
      if (const auto at = static_cast<std::size_t>(batch.first) + i; at < answers_.size()) {
        answers_[at] = tops_[i].classes[0];
        if (is_close(tops_[i])) close_.insert(at);
      }
    }
  }

  void write(const image::Batch& batch) override {
    auto failure = batch.failed.begin();
    for (std::int64_t i = 0; i < batch.size; ++i) {
      const auto index = batch.first + i;
      if (failure != batch.failed.end() && failure->index == index) {
        if (static_cast<std::size_t>(index) < answers_.size()) {
          answers_[static_cast<std::size_t>(index)] = -1;
          ++failed_;
        }
        file_.add_failed(name_(index), failure->reason);
        ++failure;
      } else {
        file_.add(name_(index), tops_[static_cast<std::size_t>(i)]);
      }
    }
  }

  void finish(RunResult& result) const override {
    result.outputs = answers_;
    result.outputs_checksum = answers_checksum(answers_);
    if (!close_.empty()) set(result.facts, fact::close_answers, fmt::format("{}", fmt::join(close_, ",")));
    const auto silent = std::count(answers_.begin(), answers_.end(), -1) - failed_;
    if (silent > 0)
      result.warnings.push_back(
          make_warning(WarningCode::no_answer,
                       fmt::format("{} images got no answer: none of their scores is a number", silent)));
  }

  Status close() override { return file_.close(); }

 private:
  const ItemName name_;
  AnswersFile file_;
  std::vector<Top> tops_;  ///< of the batch at hand
  std::vector<std::int32_t> answers_;
  std::set<std::size_t> close_;
  std::ptrdiff_t failed_ = 0;
};

}  // namespace

std::unique_ptr<AnswerKeeper> class_answers(ItemName name, std::int64_t items, std::int64_t batch,
                                            AnswersFile file) {
  return std::make_unique<ClassAnswers>(std::move(name), items, batch, std::move(file));
}

}  // namespace neph::workload
