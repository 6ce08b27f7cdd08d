#include "cli/interrupts.hpp"

#include <gtest/gtest.h>

namespace neph::cli {
namespace {

int level_after(std::initializer_list<int> signals) {
  experiment::Interrupt interrupt;
  const CatchInterrupts catching(interrupt);
  for (const int signal : signals) ::raise(signal);
  return interrupt.level();
}

TEST(CatchInterrupts, ATerminalThatIsGoneCannotSayItTwice) {
  EXPECT_EQ(level_after({SIGINT}), 1);
  EXPECT_EQ(level_after({SIGTERM}), 1);
  EXPECT_EQ(level_after({SIGINT, SIGTERM}), 2);
  EXPECT_EQ(level_after({SIGHUP}), 2);
  EXPECT_EQ(level_after({SIGQUIT}), 2);
}

TEST(CatchInterrupts, WhatNohupIgnoresStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  EXPECT_EQ(level_after({SIGHUP}), 0);
  EXPECT_TRUE(is_ignored(SIGHUP));
  std::signal(SIGHUP, SIG_DFL);
  level_after({SIGHUP});
  EXPECT_FALSE(is_ignored(SIGHUP)) << "as it was before";
}

TEST(CatchInterrupts, WhatDoesNotReturnIsEnded) {
  EXPECT_EXIT(
      {
        experiment::Interrupt interrupt;
        const CatchInterrupts catching(interrupt, 1);
        ::raise(SIGTERM);
        for (;;) ::pause();
      },
      testing::KilledBySignal(SIGALRM), "");
}

}  // namespace
}  // namespace neph::cli
