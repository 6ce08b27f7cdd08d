// A wait that ends when stop is requested: for poll(2), which knows descriptors only.
#pragma once

#include <stop_token>

#include <sys/eventfd.h>

#include "os/process.hpp"

namespace neph::workload {

/// Readable once stop was requested.
class Woken {
 public:
  explicit Woken(const std::stop_token& stop) : callback_(stop, Wake{descriptor_.get()}) {}
  int descriptor() const { return descriptor_.get(); }

 private:
  struct Wake {
    int descriptor;
    void operator()() const { ::eventfd_write(descriptor, 1); }
  };
  Descriptor descriptor_{::eventfd(0, EFD_CLOEXEC)};
  std::stop_callback<Wake> callback_;
};

}  // namespace neph::workload
