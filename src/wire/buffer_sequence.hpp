// A message in several buffers, as Asio takes them: it copies the sequence, which must not allocate.
#pragma once

#include <boost/asio/buffer.hpp>
#include <vector>

namespace neph::wire {

struct BufferSequence {
  using value_type = boost::asio::const_buffer;
  using const_iterator = const value_type*;

  /// The buffers stay the caller's until they are written.
  explicit BufferSequence(const std::vector<value_type>& pieces)
      : first(pieces.data()), last(pieces.data() + pieces.size()) {}
  const_iterator begin() const { return first; }
  const_iterator end() const { return last; }

  const_iterator first, last;
};

}  // namespace neph::wire
