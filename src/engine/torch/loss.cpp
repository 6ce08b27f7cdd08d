#include "engine/torch/loss.hpp"

#include "engine/torch/elementwise.hpp"

namespace neph::engine::torch_plugin {
namespace {

class CrossEntropy final : public Objective {
 public:
  Tensor forward(const Ops& ops, const Tensor& scores, const Tensor& labels) override {
    sizes_.assign(scores.sizes().begin(), scores.sizes().end());
    log_shares_ = ops.log_softmax(matrix(ops, scores), 1);
    labels_ = labels;
    auto [loss, weight] = ops.nll_loss(log_shares_, labels, Ops::Reduction::mean);
    total_weight_ = std::move(weight);
    return std::move(loss);
  }

  Tensor backward(const Ops& ops) override {
    const auto one = ops.filled(Sizes{}, Sizes{}, 1);
    const auto gradient =
        ops.nll_loss_backward(one, log_shares_, labels_, Ops::Reduction::mean, total_weight_);
    return ops.reshape(ops.log_softmax_backward(gradient, log_shares_, 1), sizes_);
  }

  std::int64_t correct(const Ops& ops, const Tensor& scores, const Tensor& labels) const override {
    return ops.count_equal(ops.largest(matrix(ops, scores), 1), labels);
  }

 private:
  /// Also of a network that ends in pictures of one pixel.
  static Tensor matrix(const Ops& ops, const Tensor& scores) {
    return scores.rank() == 2 ? scores : ops.reshape(scores, Sizes{scores.size(0), -1});
  }

  Sizes sizes_;
  Tensor log_shares_;
  Tensor labels_;
  Tensor total_weight_;
};

class Ctc final : public Objective {
 public:
  explicit Ctc(bool examples_first) : examples_first_(examples_first) {}

  Tensor forward(const Ops& ops, const Tensor& scores, const Tensor& labels) override {
    log_shares_ = ops.log_softmax(by_steps(ops, scores), 2);
    labels_ = labels;
    const auto examples = static_cast<std::size_t>(labels.size(0));
    steps_.assign(examples, log_shares_.size(0));
    lengths_.assign(examples, labels.size(1));
    losses_ = ops.ctc_loss(log_shares_, labels, steps_, lengths_);
    return scale(ops, ops.mean(losses_[0], Sizes{0}, false), 1.0F / static_cast<float>(labels.size(1)),
                 false);
  }

  Tensor backward(const Ops& ops) override {
    const auto examples = static_cast<std::int64_t>(lengths_.size());
    const double share = 1.0 / static_cast<double>(examples * labels_.size(1));
    const auto each = ops.filled(Sizes{examples}, Sizes{1}, share);
    const auto gradient = ops.ctc_loss_backward(each, log_shares_, labels_, steps_, lengths_, losses_);
    return by_steps(ops, ops.log_softmax_backward(gradient, log_shares_, 2));
  }

  std::int64_t correct(const Ops&, const Tensor&, const Tensor&) const override { return 0; }

 private:
  /// Steps and examples change places, where the network has the examples first.
  Tensor by_steps(const Ops& ops, const Tensor& x) const {
    return examples_first_ ? ops.usual(ops.permute(x, Sizes{1, 0, 2})) : x;
  }

  bool examples_first_;
  Tensor log_shares_;
  Tensor labels_;
  Sizes steps_;
  Sizes lengths_;
  std::array<Tensor, 2> losses_;
};

}  // namespace

std::unique_ptr<Objective> cross_entropy() { return std::make_unique<CrossEntropy>(); }
std::unique_ptr<Objective> ctc(bool examples_first) { return std::make_unique<Ctc>(examples_first); }

}  // namespace neph::engine::torch_plugin
