// A table with a law that tests know.
#pragma once

#include <cmath>

#include "core/random.hpp"
#include "predict/survey.hpp"

namespace neph::predict {

/// Times of 3 ms a unit of work on two machines, one three times as fast, with 1 % of noise; columns work (1
/// to `works`), machine, memory (which follows from the machine), colour (of three, at random, without
/// effect), and t: three rows of each work and machine, with different colours.
inline Survey noisy_work(int works) {
  Random random(1);
  std::string text = "work,machine,memory,colour,t\n";
  for (int work = 1; work <= works; ++work)
    for (const int speed : {1, 3})
      for (const int colour : {1, 2, 3})
        text += fmt::format("{},m{},{},c{},{}\n", work, speed, 16 * speed, colour,
                            3.0 * work / speed * std::exp(0.01 * random.normal()));
  return *survey(*parse_table(text, "work.csv"), "t", {.ignored = {}, .used = {"colour"}});
}

}  // namespace neph::predict
