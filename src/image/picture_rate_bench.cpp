// picture_rate_bench FOLDER [PASSES]: decode + resize + crop + normalise of every usable picture of a folder,
// on one thread, from memory. Prints images per CPU-second as JSON, as tests/bench/pictures_reference.py does
// for Pillow and OpenCV; `./dev bench` runs them in turn.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "os/file.hpp"

namespace {

using namespace neph;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Status run(const char* folder, int passes) {
  NEPH_TRY(const auto set, image::scan(folder));
  std::vector<std::string> files;
  for (const auto& picture : set.usable) {
    NEPH_TRY(auto bytes, read_file(picture.path));
    files.push_back(std::move(bytes));
  }
  const image::Transform transform;
  const SteadyClock clock;
  image::Decoder decoder(transform, clock);
  std::vector<float> tensor(transform.values());
  image::StageTimes times;
  const double begin = cpu_seconds();
  for (int pass = 0; pass < passes; ++pass) {
    for (const auto& file : files) {
      NEPH_TRY(const auto one, decoder.decode(std::as_bytes(std::span(file)), tensor));
      times += one;
    }
  }
  const double spent = cpu_seconds() - begin;
  const double pictures = static_cast<double>(files.size()) * passes;
  fmt::print(
      "{{\"name\": \"neph\", \"images_per_cpu_s\": {:.1f}, \"pictures\": {}, \"decode_us\": {:.1f}, "
      "\"preprocess_us\": {:.1f}}}\n",
      pictures / spent, pictures, 1e6 * seconds(times.decode) / pictures,
      1e6 * seconds(times.preprocess) / pictures);
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("picture_rate_bench FOLDER [PASSES]\n", stderr);
    return exit_code(ErrorCode::invalid_argument);
  }
  const auto status = run(words[1], count > 2 ? std::atoi(words[2]) : 1);
  if (status) return 0;
  fmt::print(stderr, "{}\n", status.error().text());
  return exit_code(status.error().code);
}
