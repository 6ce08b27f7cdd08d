// A shared memory object of a test: made by shm_open, gone with the test.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace neph::serve {

class SharedObject {
 public:
  explicit SharedObject(std::size_t bytes) : key_(new_key()) {
    descriptor_ = ::shm_open(key_.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    EXPECT_GE(descriptor_, 0) << key_;
    resize(bytes);
  }
  ~SharedObject() {
    unlink();
    ::close(descriptor_);
  }
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  const std::string& key() const { return key_; }
  void resize(std::size_t bytes) { EXPECT_EQ(::ftruncate(descriptor_, static_cast<off_t>(bytes)), 0); }
  void unlink() const { ::shm_unlink(key_.c_str()); }
  void write(std::size_t at, std::span<const std::byte> bytes) const {
    EXPECT_EQ(::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }
  std::vector<std::byte> read(std::size_t at, std::size_t count) const {
    std::vector<std::byte> bytes(count);
    bytes.resize(static_cast<std::size_t>(::pread(descriptor_, bytes.data(), count, static_cast<off_t>(at))));
    return bytes;
  }
  std::size_t size() const { return static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)); }

 private:
  static std::string new_key() {
    static std::atomic<int> made{0};
    return fmt::format("/neph-serve-test-{}-{}", ::getpid(), ++made);
  }
  std::string key_;
  int descriptor_;
};

}  // namespace neph::serve
