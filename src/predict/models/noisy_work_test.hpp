// A table with a law that tests know.
#pragma once

#include <cmath>

#include "core/random.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {

/// Times of 3 ms a unit of work on two machines, one three times as fast, with 1 % of noise; columns work (1
/// to `works`), machine, memory (which follows from the machine), colour (of three, at random, without
/// effect), and t: three rows of each work and machine, with different colours.
inline Profile noisy_work(int works) {
  Random random(1);
  std::string text = "work,machine,memory,colour,t\n";
  for (int work = 1; work <= works; ++work)
    for (const int speed : {1, 3})
      for (const int colour : {1, 2, 3})
        text += fmt::format("{},m{},{},c{},{}\n", work, speed, 16 * speed, colour,
                            3.0 * work / speed * std::exp(0.01 * random.normal()));
  return *profile(*table::parse_table(text, "work.csv"), "t", {.ignored = {}, .used = {"colour"}});
}

/// Training steps of three networks, one of which, inceptionv3, cannot be built with pictures of 32 or 64
/// pixels; columns model, side, batch, and t, with 1 % of noise.
inline Profile steps_of_networks() {
  Random random(1);
  std::string text = "model,side,batch,t\n";
  for (const auto& [model, weight] : {std::pair{"resnet50", 1.0}, {"vgg16", 3.0}, {"inceptionv3", 1.5}})
    for (const int side : {32, 64, 128, 224})
      for (const int batch : {4, 8, 16, 32})
        if (side > 64 || model != std::string_view("inceptionv3"))
          text += fmt::format("{},{},{},{}\n", model, side, batch,
                              weight * (1 + 1e-5 * side * side * batch) * std::exp(0.01 * random.normal()));
  return *profile(*table::parse_table(text, "steps.csv"), "t");
}
inline const Roles roles_of_networks{.network = "model", .side = "side", .batch = "batch"};

}  // namespace neph::predict
