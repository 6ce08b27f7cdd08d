// What becomes of a model's outputs: classes of images, or tensors of which only a summary is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "image/image.hpp"
#include "record/run.hpp"
#include "workload/infer/answers.hpp"
#include "workload/infer/batch_runner.hpp"

namespace neph::workload {

/// Of a run's item, by its position. It stays.
using ItemName = std::function<const std::string&(std::int64_t)>;

/// Fed with every batch of the measurement: first judge(), then write().
class AnswerKeeper {
 public:
  virtual ~AnswerKeeper() = default;
  virtual void judge(const image::Batch& batch, Outputs outputs) = 0;
  /// Lines of the file of answers.
  virtual void write(const image::Batch& batch) = 0;
  /// Answers, facts and warnings of the run.
  virtual void finish(RunResult& result) const = 0;
  virtual Status close() = 0;
};

/// The first output's best classes of each of `items` images.
std::unique_ptr<AnswerKeeper> class_answers(ItemName name, std::int64_t items, std::int64_t batch,
                                            AnswersFile file);

/// A line for each output of each inference, where `path` is not empty. Errors: the file cannot be written.
Result<std::unique_ptr<AnswerKeeper>> tensor_answers(ItemName name, const std::string& path);

}  // namespace neph::workload
