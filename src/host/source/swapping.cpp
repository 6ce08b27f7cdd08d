// Pages that the machine moves to and from its swap space: /proc/vmstat.
#include <chrono>

#include <unistd.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Swapping final : public Source {
 public:
  Swapping(const Subject& subject, Recorder& recorder)
      : vmstat_(subject.records.path("proc/vmstat"), 8192),
        in_(recorder.rate(target::machine, telemetry::swap_in, page_bytes)),
        out_(recorder.rate(target::machine, telemetry::swap_out, page_bytes)) {}

  void sample(Moment now) override {
    const auto text = vmstat_.read();
    const auto count = [&](std::string_view key, Rate& rate) {
      if (const auto pages = number_after(text.value_or(""), key))
        rate.count(now, static_cast<double>(*pages));
      else
        rate.unavailable(text ? "/proc/vmstat does not tell" : vmstat_.why());
    };
    count("pswpin", in_);
    count("pswpout", out_);
  }

  // The dearest of the small files, for a quantity that is nearly always 0.
  Nanoseconds spacing() const override { return std::chrono::milliseconds(900); }

 private:
  static inline const double page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  CounterFile vmstat_;
  Rate in_, out_;
};

}  // namespace

SourcePtr swapping(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Swapping>(subject, recorder);
}

}  // namespace neph::host
