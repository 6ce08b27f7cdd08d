// Bytes and requests between memory and disks: /proc/diskstats (Documentation/admin-guide/iostats.rst).
#include <set>
#include <string>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"

namespace neph::host {
namespace {

class Disks final : public Source {
 public:
  Disks(const Subject& subject, Recorder& recorder)
      : diskstats_(subject.records.path("proc/diskstats"), 8192),
        read_(recorder.rate(target::machine, telemetry::disk_read, sector_bytes)),
        write_(recorder.rate(target::machine, telemetry::disk_write, sector_bytes)),
        reads_(recorder.rate(target::machine, telemetry::disk_read_requests)),
        writes_(recorder.rate(target::machine, telemetry::disk_write_requests)) {
    find_disks(subject.records);
  }

  void sample(Moment now) override {
    const auto text = diskstats_.read();
    if (!text || disks_.empty()) {
      const auto reason = text ? "/sys/block names no disk" : diskstats_.why();
      for (auto* rate : {&read_, &write_, &reads_, &writes_}) rate->unavailable(reason);
      return;
    }
    double read_sectors = 0, write_sectors = 0, reads = 0, writes = 0;
    const auto number = [](Scanner& scanner) { return static_cast<double>(scanner.number().value_or(0)); };
    Scanner scanner(*text);
    do {  // major minor name reads merged sectors ms writes merged sectors ...
      scanner.skip(2);
      if (!disks_.contains(scanner.word())) continue;
      reads += number(scanner);
      scanner.skip(1);
      read_sectors += number(scanner);
      scanner.skip(1);
      writes += number(scanner);
      scanner.skip(1);
      write_sectors += number(scanner);
    } while (scanner.next_line());
    read_.count(now, read_sectors);
    write_.count(now, write_sectors);
    reads_.count(now, reads);
    writes_.count(now, writes);
  }

 private:
  // /sys/block lists whole disks without their partitions. Devices made of others (RAID, LVM, loop) have no
  // `device` link and would count the same bytes twice.
  void find_disks(const Records& records) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(records.path("sys/block"), error), end;
         !error && entry != end; entry.increment(error)) {
      std::error_code absent;
      if (std::filesystem::exists(entry->path() / "device", absent))
        disks_.insert(entry->path().filename().string());
    }
  }

  static constexpr double sector_bytes = 512;  // of the kernel's count, whatever the disk's own
  CounterFile diskstats_;
  std::set<std::string, std::less<>> disks_;
  Rate read_, write_, reads_, writes_;
};

}  // namespace

SourcePtr disks(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Disks>(subject, recorder);
}

}  // namespace neph::host
