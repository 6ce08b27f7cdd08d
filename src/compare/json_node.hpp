// JSON that others wrote, with the place of each value in it. Inside the module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.hpp"
#include "core/result.hpp"

namespace neph::compare {

/// A value and where it stands, so that an error can say so: "a.json: runs[3].status: expected text, got 3".
/// Keys that nobody asks for do not matter. All errors are corrupt. The document outlives its nodes.
class Node {
 public:
  /// `source` is what messages call the document, `path` the place of the value in it.
  Node(const Json& value, std::string source, std::string path = {})
      : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

  const Json& value() const { return *value_; }

  /// Error: it is not there.
  Result<Node> at(std::string_view key) const;
  /// Empty: it is not there, or null.
  Result<std::optional<Node>> find(std::string_view key) const;
  Result<std::vector<Node>> elements() const;
  Result<std::vector<std::pair<std::string, Node>>> members() const;

  Result<std::string> text() const;
  Result<double> number() const;
  /// Of what cannot be below 0: a time, a count of bytes.
  Result<double> quantity() const;
  /// A whole number from 0 on.
  Result<std::int64_t> count() const;

  /// Those of a member; empty: it is not there, or null.
  Result<std::optional<std::string>> text_at(std::string_view key) const;
  Result<std::optional<double>> quantity_at(std::string_view key) const;
  Result<std::optional<std::int64_t>> count_at(std::string_view key) const;
  Result<bool> is_true_at(std::string_view key) const;

  [[nodiscard]] tl::unexpected<Error> fault(std::string_view what) const;

 private:
  Node member(std::string_view key, const Json& value) const;
  [[nodiscard]] tl::unexpected<Error> expected(std::string_view what) const;

  const Json* value_;
  std::string source_;
  std::string path_;
};

}  // namespace neph::compare
