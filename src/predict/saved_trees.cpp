#include "predict/saved_trees.hpp"

#include <deque>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace neph::predict {
namespace {

/// The arrays of one tree, as XGBoost names them.
struct SavedTree {
  std::vector<double> left_children, right_children, split_indices, split_conditions;

  std::vector<double>* find(std::string_view name) {
    if (name == "left_children") return &left_children;
    if (name == "right_children") return &right_children;
    if (name == "split_indices") return &split_indices;
    if (name == "split_conditions") return &split_conditions;
    return nullptr;
  }
  /// Whether each node but the first is the child of one before it, so that a walk over them ends.
  bool is_whole() const {
    const auto nodes = left_children.size();
    if (nodes == 0 || right_children.size() != nodes || split_indices.size() != nodes ||
        split_conditions.size() != nodes)
      return false;
    const auto is_child = [&](double child, std::size_t parent) {
      return child > static_cast<double>(parent) && child < static_cast<double>(nodes);
    };
    for (std::size_t node = 0; node < nodes; ++node)
      if (left_children[node] >= 0 &&
          !(is_child(left_children[node], node) && is_child(right_children[node], node)))
        return false;
    return true;
  }
};

/// Behind the nodes that are there.
void add_tree(const SavedTree& saved, Trees& trees) {
  trees.roots.push_back(std::ssize(trees.columns));
  std::deque<std::size_t> theirs{0};  // in the order of our nodes
  auto next = std::ssize(trees.columns) + 1;
  for (; !theirs.empty(); theirs.pop_front()) {
    const auto node = theirs.front();
    const bool is_leaf = saved.left_children[node] < 0;
    trees.columns.push_back(is_leaf ? -1 : static_cast<std::int64_t>(saved.split_indices[node]));
    trees.numbers.push_back(saved.split_conditions[node]);
    trees.lefts.push_back(is_leaf ? 0 : next);
    if (is_leaf) continue;
    theirs.push_back(static_cast<std::size_t>(saved.left_children[node]));
    theirs.push_back(static_cast<std::size_t>(saved.right_children[node]));
    next += 2;
  }
}

/// Takes the trees out of the text as it is read: what else a model says, which is most of it, is never kept.
class TreeReader : public nlohmann::json_sax<Json> {
 public:
  explicit TreeReader(std::size_t count) : count_(count) {}

  Trees trees;
  std::string fault;

  bool key(string_t& name) override {
    wanted_ = tree_.find(name);
    if (wanted_ != nullptr) has_tree_ = true;
    return true;
  }
  bool number_integer(number_integer_t value) override { return take(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return take(value); }
  bool end_array() override {
    wanted_ = nullptr;
    return true;
  }
  bool end_object() override {
    wanted_ = nullptr;
    if (!has_tree_) return true;
    if (!tree_.is_whole()) return stop("a tree is not whole");
    if (trees.roots.size() < count_) add_tree(tree_, trees);
    tree_ = {};
    has_tree_ = false;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    return stop(error.what());
  }

 private:
  bool take(double value) {
    if (wanted_ != nullptr) wanted_->push_back(value);
    return true;
  }
  bool stop(std::string why) {
    fault = std::move(why);
    return false;
  }

  std::size_t count_;
  SavedTree tree_;
  std::vector<double>* wanted_ = nullptr;  ///< array of the tree that is being read
  bool has_tree_ = false;
};

}  // namespace

Result<Trees> read_saved_trees(std::string_view saved, std::size_t count) {
  TreeReader reader(count);
  const bool is_read = Json::sax_parse(saved, &reader, Json::input_format_t::ubjson);
  if (!is_read) return fail(ErrorCode::internal, "XGBoost's model cannot be read: {}", reader.fault);
  if (reader.trees.roots.size() < count)
    return fail(ErrorCode::internal, "XGBoost has {} trees of {}", reader.trees.roots.size(), count);
  return std::move(reader.trees);
}

}  // namespace neph::predict
