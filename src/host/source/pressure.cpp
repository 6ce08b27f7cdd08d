// Pressure stall information (Documentation/accounting/psi.rst): the share of time in which some, or all,
// tasks that wanted to run waited for a processor, memory or the disk. The running total in microseconds is
// read; the kernel's own averages are too slow.
#include <array>

#include <fmt/format.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Pressure final : public Source {
 public:
  Pressure(const Subject& subject, Recorder& recorder)
      : resources_{
            Resource(subject, recorder, "cpu", telemetry::pressure_cpu_some, telemetry::pressure_cpu_full),
            Resource(subject, recorder, "memory", telemetry::pressure_memory_some,
                     telemetry::pressure_memory_full),
            Resource(subject, recorder, "io", telemetry::pressure_io_some, telemetry::pressure_io_full)} {}

  void sample(Moment now) override {
    for (auto& resource : resources_) resource.sample(now);
  }

 private:
  struct Resource {
    Resource(const Subject& subject, Recorder& recorder, const char* name, const Metric& of_some,
             const Metric& of_full)
        : file(subject.records.path(fmt::format("proc/pressure/{}", name)), 256),
          some(recorder.rate(target::machine, of_some, percent_per_us)),
          full(recorder.rate(target::machine, of_full, percent_per_us)) {}

    void sample(Moment now) {
      const auto text = file.read();
      if (!text) {
        some.unavailable(file.why());
        full.unavailable(file.why());
        return;
      }
      count(now, *text, "some", some);
      count(now, *text, "full", full);
    }

    static void count(Moment now, std::string_view text, std::string_view line, Rate& rate) {
      Scanner scanner(text);
      if (scanner.seek(line) && scanner.skip(3))  // avg10= avg60= avg300=
        if (const auto total = scanner.number()) return rate.count(now, static_cast<double>(*total));
      rate.unavailable("this kernel does not tell");  // "full" of cpu came with Linux 5.13
    }

    static constexpr double percent_per_us = 1e-6 * 100;
    CounterFile file;
    Rate some, full;
  };

  std::array<Resource, 3> resources_;
};

}  // namespace

SourcePtr pressure(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Pressure>(subject, recorder);
}

}  // namespace neph::host
