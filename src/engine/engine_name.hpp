// The name that an engine's threads get.
#pragma once

#include <pthread.h>

#include "os/thread.hpp"

namespace neph::engine {

/// Gives this thread the engine's name for a while: runtimes start their workers while a model is compiled,
/// and a new thread has the name of the one that made it.
class EngineName {
 public:
  EngineName() {
    pthread_getname_np(pthread_self(), name_, sizeof(name_));
    name_this_thread(engine_role);
  }
  ~EngineName() { name_this_thread(name_); }
  EngineName(const EngineName&) = delete;
  EngineName& operator=(const EngineName&) = delete;

 private:
  char name_[16] = "";
};

}  // namespace neph::engine
