// The watched process tree: CPU, by role too, memory, page faults, disk bytes, threads.
#include <algorithm>
#include <string>

#include <unistd.h>

#include "host/counter_file.hpp"
#include "host/source/source.hpp"
#include "host/thread_roles.hpp"

namespace neph::host {
namespace {

struct RoleQuantities {
  RoleQuantities(Recorder& recorder, std::string_view role)
      : cpu(recorder.rate(role, telemetry::cpu)),
        wait(recorder.rate(role, telemetry::cpu_wait)),
        threads(recorder.gauge(role, telemetry::threads)) {}
  Rate cpu, wait;
  Gauge threads;
};

class Process final : public Source {
 public:
  Process(const Subject& subject, Recorder& recorder)
      : tree_(&subject.tree),
        cpu_(recorder.rate(subject.process, telemetry::cpu)),
        user_(recorder.rate(subject.process, telemetry::cpu_user, tick_s)),
        system_(recorder.rate(subject.process, telemetry::cpu_system, tick_s)),
        threads_(recorder.gauge(subject.process, telemetry::threads)),
        processes_(recorder.gauge(subject.process, telemetry::processes)),
        resident_(recorder.gauge(subject.process, telemetry::memory_resident)),
        peak_(recorder.gauge(subject.process, telemetry::memory_peak)),
        minor_faults_(recorder.rate(subject.process, telemetry::page_faults_minor)),
        major_faults_(recorder.rate(subject.process, telemetry::page_faults_major)),
        read_(recorder.rate(subject.process, telemetry::disk_read)),
        write_(recorder.rate(subject.process, telemetry::disk_write)) {
    for (const auto name : role_names) by_role_.emplace_back(recorder, subject.part(name));
  }

  void sample(Moment now) override {
    if (tree_->members().empty()) return unavailable("the process has ended");
    ProcessCounts sum;
    for (const auto& member : tree_->members()) {
      sum.user_ticks += member.counts.user_ticks + member.counts.waited_user_ticks;
      sum.system_ticks += member.counts.system_ticks + member.counts.waited_system_ticks;
      sum.minor_faults += member.counts.minor_faults;
      sum.major_faults += member.counts.major_faults;
      sum.threads += member.counts.threads;
    }
    user_.count(now, sum.user_ticks);
    system_.count(now, sum.system_ticks);
    minor_faults_.count(now, sum.minor_faults);
    major_faults_.count(now, sum.major_faults);
    threads_.record(now, sum.threads);
    processes_.record(now, static_cast<double>(tree_->members().size()));
    sample_cpu(now, sum.user_ticks + sum.system_ticks);
    sample_memory(now);
    sample_disk(now);
  }

 private:
  // The threads' clocks are exact, but a thread that ends takes its last stretch with it; the process's own
  // clock is coarse, but has all. What it has more than the threads showed is the lost part, and belongs to
  // rest.
  void sample_cpu(Moment now, double tree_ticks) {
    const auto* root = tree_->root();  // null: it has ended, its descendants live on
    roles_.update(root, tree_->walks());
    const double own_ticks = root != nullptr ? root->counts.user_ticks + root->counts.system_ticks : 0;
    const double others_ticks = tree_ticks - own_ticks;
    if (!first_own_ticks_) {
      first_own_ticks_ = own_ticks;
      last_others_ticks_ = others_ticks;
    }
    double seen_s = 0;
    for (const auto role : {Role::loader, Role::engine, Role::rest}) seen_s += roles_.of(role).run_s;
    lost_s_ = std::max(lost_s_, (own_ticks - *first_own_ticks_) * tick_s - seen_s);
    others_s_ += std::max(0.0, others_ticks - last_others_ticks_) * tick_s;
    last_others_ticks_ = others_ticks;

    cpu_.count(now, seen_s + lost_s_ + others_s_);
    for (const auto role : {Role::loader, Role::engine, Role::rest}) {
      auto& quantities = by_role_[static_cast<std::size_t>(role)];
      const auto& times = roles_.of(role);
      quantities.cpu.count(now, times.run_s + (role == Role::rest ? lost_s_ + others_s_ : 0));
      quantities.threads.record(now, times.threads);
      if (roles_.knows_waiting())
        quantities.wait.count(now, times.wait_s);
      else
        quantities.wait.unavailable("this kernel keeps no schedstat");
    }
  }

  void sample_memory(Moment now) {
    double resident = 0;
    double peak = 0;
    for (auto& member : tree_->members()) {
      const auto text = member.status.read();  // without VmRSS: it has ended, and nobody waited for it yet
      resident += 1024.0 * static_cast<double>(number_after(text.value_or(""), "VmRSS").value_or(0));
      peak += 1024.0 * static_cast<double>(number_after(text.value_or(""), "VmHWM").value_or(0));
      if (!text) resident_.unavailable(member.status.why());
    }
    if (resident <= 0) return peak_.unavailable("/proc/<pid>/status has no VmHWM");
    highest_peak_ = std::max(highest_peak_, peak);
    resident_.record(now, resident);
    peak_.record(now, highest_peak_);
  }

  void sample_disk(Moment now) {
    double read = 0;
    double write = 0;
    for (auto& member : tree_->members()) {
      const auto text = member.io.read();
      const auto in = number_after(text.value_or(""), "read_bytes");
      const auto out = number_after(text.value_or(""), "write_bytes");
      if (!in || !out) {
        read_.unavailable(member.io.why());
        write_.unavailable(member.io.why());
        return;
      }
      read += static_cast<double>(*in);
      write += static_cast<double>(*out);
    }
    read_.count(now, read);
    write_.count(now, write);
  }

  void unavailable(std::string_view reason) {
    for (auto* rate : {&cpu_, &user_, &system_, &minor_faults_, &major_faults_, &read_, &write_})
      rate->unavailable(reason);
    for (auto* gauge : {&threads_, &processes_, &resident_, &peak_}) gauge->unavailable(reason);
    for (auto& role : by_role_) {
      role.cpu.unavailable(reason);
      role.wait.unavailable(reason);
      role.threads.unavailable(reason);
    }
  }

  static inline const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessTree* tree_;
  ThreadRoles roles_;
  Rate cpu_, user_, system_;
  Gauge threads_, processes_, resident_, peak_;
  Rate minor_faults_, major_faults_, read_, write_;
  std::vector<RoleQuantities> by_role_;
  std::optional<double> first_own_ticks_;
  double last_others_ticks_ = 0;
  double lost_s_ = 0;
  double others_s_ = 0;
  double highest_peak_ = 0;
};

}  // namespace

SourcePtr process(const Subject& subject, Recorder& recorder) {
  return std::make_unique<Process>(subject, recorder);
}

}  // namespace neph::host
