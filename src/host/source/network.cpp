// Bytes over the network devices of this process's network namespace: /proc/net/dev. The loopback is apart:
// what goes over it stays in the machine.
#include <fmt/format.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Network final : public Source {
 public:
  Network(const Subject& subject, Recorder& recorder)
      : dev_(subject.records.path(fmt::format("proc/{}/net/dev", subject.pid)), 2048),
        received_(recorder.rate(target::machine, telemetry::network_received)),
        sent_(recorder.rate(target::machine, telemetry::network_sent)),
        loopback_(recorder.rate(target::machine, telemetry::loopback_received)) {}

  void sample(Moment now) override {
    const auto text = dev_.read();
    if (!text) {
      for (auto* rate : {&received_, &sent_, &loopback_}) rate->unavailable(dev_.why());
      return;
    }
    double received = 0;
    double sent = 0;
    Scanner scanner(*text);
    scanner.next_line();           // two lines of headings
    while (scanner.next_line()) {  // "  eth0: 787867473 15128 0 0 0 0 0 0 720814 ...", and ": " may be ":"
      const auto name = scanner.rest().substr(0, scanner.rest().find(':'));
      const auto device = name.substr(std::min(name.find_first_not_of(' '), name.size()));
      if (!scanner.seek(name)) break;
      const auto in = static_cast<double>(scanner.number().value_or(0));
      scanner.skip(7);
      const auto out = static_cast<double>(scanner.number().value_or(0));
      if (device == "lo") {
        loopback_.count(now, in);
      } else {
        received += in;
        sent += out;
      }
    }
    received_.count(now, received);
    sent_.count(now, sent);
    loopback_.unavailable("this network namespace has no loopback device");
  }

 private:
  CounterFile dev_;
  Rate received_, sent_, loopback_;
};

}  // namespace

SourcePtr network(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Network>(subject, recorder);
}

}  // namespace neph::host
