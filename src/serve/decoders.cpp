#include "serve/decoders.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "os/thread.hpp"

namespace neph::serve {

Decoders::Decoders(const Signature& signature, const Clock& clock, std::function<void(Job&)> ready)
    : signature_(signature), clock_(clock), ready_(std::move(ready)) {}

Status Decoders::begin(std::int64_t threads) {
  NEPH_TRY(threads_,
           start_threads(loader_role, threads, [this](std::int64_t, const std::stop_token&) { work(); }));
  return {};
}

Decoders::~Decoders() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  awake_.notify_all();
}

void Decoders::add(Job& job) {
  const auto count = job.pictures.size();
  if (job.decoded.hold(signature_.transform.values() * count) == nullptr) {
    job.break_with({ErrorCode::unavailable, "no memory"});  // a text that takes none
    return ready_(job);
  }
  job.undecoded = static_cast<std::int64_t>(count);
  const std::scoped_lock lock(mutex_);  // to the end: without it the job, and these threads, may be gone
  (first_ != nullptr ? last_->next : first_) = &job;
  last_ = &job;
  if (count == 1)
    awake_.notify_one();
  else
    awake_.notify_all();
}

void Decoders::work() {
  image::Decoder decoder(signature_.transform, clock_);
  std::unique_lock lock(mutex_);
  for (;;) {
    awake_.wait(lock, [this] { return ending_ || first_ != nullptr; });
    if (first_ == nullptr) return;
    const Task task{first_, begun_++};
    if (begun_ == task.job->pictures.size()) {
      first_ = std::exchange(first_->next, nullptr);
      begun_ = 0;
    }
    lock.unlock();
    auto& job = *task.job;
    if (!job.broken && !job.exchange->abandoned() && !is_late(job))
      if (auto status = contained([&] { return decode(decoder, task); }); !status)
        job.break_with(std::move(status).error());
    if (--job.undecoded == 0) ready_(job);
    lock.lock();
  }
}

bool Decoders::is_late(const Job& job) const {
  const auto& deadline = job.exchange->deadline;
  return deadline && *deadline <= clock_.now();
}

Status Decoders::decode(image::Decoder& decoder, const Task& task) const {
  const auto values = signature_.transform.values();
  const std::span tensor(task.job->decoded.get() + task.picture * values, values);
  const auto picture = task.job->pictures[task.picture];
  if (signature_.payload == Payload::uint8) {
    normalise_pixels(picture, signature_.transform, tensor);
    return {};
  }
  if (const auto times = decoder.decode(picture, tensor); !times)
    return fail(ErrorCode::invalid_argument, "image {} of input '{}': {}", task.picture,
                signature_.inputs.front().name, times.error().message);
  return {};
}

void normalise_pixels(std::span<const std::byte> pixels, const image::Transform& transform,
                      std::span<float> tensor) {
  const auto channels = static_cast<std::size_t>(transform.channels);
  const auto plane = static_cast<std::size_t>(transform.crop_side * transform.width());
  for (std::size_t c = 0; c < channels; ++c) {
    const double scale = 1 / (255 * transform.deviation[c]);
    const double shift = transform.mean[c] / transform.deviation[c];
    std::array<float, 256> level;  // a table is exact, whatever the compiler makes of the division
    for (std::size_t value = 0; value < level.size(); ++value)
      level[value] = static_cast<float>(static_cast<double>(value) * scale - shift);
    auto* out = tensor.data() + c * (transform.channels_last ? 1 : plane);
    const std::size_t step = transform.channels_last ? channels : 1;
    for (std::size_t i = 0; i < plane; ++i)
      out[i * step] = level[std::to_integer<std::size_t>(pixels[i * channels + c])];
  }
}

}  // namespace neph::serve
