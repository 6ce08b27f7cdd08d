// Lines out of what a pipe gives in pieces.
#pragma once

#include <string>
#include <string_view>

namespace neph {

/// Whole lines out of pieces.
class Lines {
 public:
  /// A line that grows beyond `limit` bytes is handed over in pieces.
  explicit Lines(std::size_t limit) : limit_(limit) {}

  template <class See>
  void add(std::string_view piece, See&& see) {
    const auto known = rest_.size();
    rest_.append(piece);
    std::size_t begin = 0;
    for (auto end = rest_.find('\n', known); end != std::string::npos; end = rest_.find('\n', begin)) {
      see(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() > limit_) finish(see);
  }
  /// What stands without a line feed at the end.
  template <class See>
  void finish(See&& see) {
    if (!rest_.empty()) see(std::string_view(rest_));
    rest_.clear();
  }

 private:
  std::size_t limit_;
  std::string rest_;
};

}  // namespace neph
