#include "workload/command/account.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace neph::workload::command {
namespace {

constexpr std::array by_trust{Teller::events, Teller::keras, Teller::torch, Teller::mllog, Teller::output};

const Story* story_of(const Tellings& told, Teller teller) {
  const auto found = told.by.find(teller);
  return found == told.by.end() ? nullptr : &found->second;
}

/// Parts of `whole` that lie in none of `holes`, which are sorted.
std::vector<Stretch> without(Stretch whole, const std::vector<Stretch>& holes) {
  std::vector<Stretch> parts;
  for (const auto& hole : holes) {
    if (hole.end_s <= whole.begin_s || hole.begin_s >= whole.end_s) continue;
    if (hole.begin_s > whole.begin_s) parts.push_back({whole.begin_s, hole.begin_s});
    whole.begin_s = hole.end_s;
  }
  if (whole.begin_s < whole.end_s) parts.push_back(whole);
  return parts;
}

/// Sorted, and none begins before the one before it ended.
std::vector<Stretch> side_by_side(std::vector<Stretch> all) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
  std::vector<Stretch> kept;
  for (auto each : all) {
    if (!kept.empty()) each.begin_s = std::max(each.begin_s, kept.back().end_s);
    if (each.end_s > each.begin_s || (kept.empty() && each.end_s == each.begin_s)) kept.push_back(each);
  }
  return kept;
}

auto is_in(const Stretch& time) {
  return [time](double at_s) { return at_s >= time.begin_s && at_s <= time.end_s; };
}

class Accounting {
 public:
  Accounting(const Tellings& told, const Stretch& command, double origin_s)
      : told_(told), command_(command), origin_s_(origin_s) {}

  Account account() {
    choose_steps();
    choose_epochs();
    if (account_.steps_by) choose_steps_of_epochs();
    find_verifying();
    saves_ = stretches(SpanKind::save);
    loads_ = stretches(SpanKind::data_load);
    gather_holes();
    if (!ends_.empty() || !epochs_.empty()) {
      add_learning();
      add_steps();
    }
    add_others();
    add_values();
    std::stable_sort(account_.phases.begin(), account_.phases.end(),
                     [](const auto& a, const auto& b) { return a.time.begin_s < b.time.begin_s; });
    return std::move(account_);
  }

 private:
  /// The process, and in it the optimizer, that steps most stands for all.
  void choose_steps() {
    for (const auto teller : by_trust) {
      const auto* story = story_of(told_, teller);
      if (!story || story->steps_s.empty()) continue;
      const auto most = std::max_element(story->steps_s.begin(), story->steps_s.end(),
                                         [](auto& a, auto& b) { return a.second.size() < b.second.size(); });
      pid_ = most->first.first;
      ends_ = steps_within(*story, {.end_s = std::numeric_limits<double>::infinity()});
      account_.steps_by = teller;
      return;
    }
  }

  /// Of the optimizer that steps most in that time; of several the one that ends the iteration.
  std::vector<double> steps_within(const Story& story, const Stretch& time) const {
    std::vector<double> most;
    for (const auto& [who, ends_s] : story.steps_s) {
      std::vector<double> here;
      if (who.first == pid_) std::ranges::copy_if(ends_s, std::back_inserter(here), is_in(time));
      std::ranges::sort(here);
      if (std::pair(here.size(), here) > std::pair(most.size(), most)) most = std::move(here);
    }
    return most;
  }

  /// Each epoch may have an optimizer of its own.
  void choose_steps_of_epochs() {
    for (const auto& epoch : epochs_) {
      const Stretch time{epoch.begin_s, epoch.end_s};
      std::erase_if(ends_, is_in(time));
      const auto here = steps_within(*story_of(told_, *account_.steps_by), time);
      ends_.insert(ends_.end(), here.begin(), here.end());
    }
    std::ranges::sort(ends_);
    account_.steps_seen = std::ssize(ends_);
  }

  /// Of the process that steps; what tells no process is of it.
  bool is_of_it(const Span& span) const { return span.pid == 0 || pid_ == 0 || span.pid == pid_; }

  std::vector<Span> spans(Teller teller, SpanKind kind) const {
    std::vector<Span> all;
    if (const auto* story = story_of(told_, teller))
      for (const auto& span : story->spans)
        if (span.kind == kind && is_of_it(span)) all.push_back(span);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
    return all;
  }

  /// Of the teller who is believed first among those that tell any.
  std::vector<Stretch> stretches(SpanKind kind) const {
    std::vector<Stretch> all;
    for (const auto teller : by_trust) {
      for (const auto& span : spans(teller, kind)) all.push_back({span.begin_s, span.end_s});
      if (!all.empty()) break;
    }
    return side_by_side(std::move(all));
  }

  /// Keras on PyTorch loops as PyTorch does, and tells it better.
  void choose_epochs() {
    for (const auto teller : by_trust) {
      if (teller == Teller::torch && account_.steps_by == Teller::keras) continue;
      epochs_ = spans(teller, SpanKind::epoch);
      if (epochs_.empty()) continue;
      account_.epochs_by = teller;
      break;
    }
    std::vector<Span> kept;  // a loop within a loop is no epoch of its own
    for (const auto& epoch : epochs_)
      if (kept.empty() || epoch.begin_s >= kept.back().end_s) kept.push_back(epoch);
    epochs_ = std::move(kept);
  }

  /// Told as such; else loops over data without a step, once there has been one.
  void find_verifying() {
    verifying_ = stretches(SpanKind::verify);
    if (!verifying_.empty() || ends_.empty() || account_.steps_by != Teller::torch) return;
    std::vector<Stretch> all;
    for (const auto& loop : spans(Teller::torch, SpanKind::loop))
      if (loop.is_whole && loop.begin_s >= ends_.front()) all.push_back({loop.begin_s, end_of(loop)});
    verifying_ = side_by_side(std::move(all));
  }

  /// Some keep an iterator when the loop is over: then what begins next ends it.
  double end_of(const Span& loop) const {
    double end_s = loop.end_s;
    for (const auto& [teller, story] : told_.by)
      for (const auto& span : story.spans)
        if (span.begin_s > loop.begin_s) end_s = std::min(end_s, span.begin_s);
    const auto step = std::upper_bound(ends_.begin(), ends_.end(), loop.begin_s);
    return step == ends_.end() ? end_s : std::min(end_s, *step);
  }

  void gather_holes() {
    for (const auto* list : {&verifying_, &saves_, &loads_})
      holes_.insert(holes_.end(), list->begin(), list->end());
    holes_ = side_by_side(std::move(holes_));
  }

  /// The first step stands apart: it compiles, and fills caches.
  void add_learning() {
    const double first_begin_s = epochs_.empty() ? command_.end_s : epochs_.front().begin_s;
    const double first_end_s = ends_.empty() ? first_begin_s : ends_.front();
    const bool is_begin_known = !ends_.empty() && first_begin_s < first_end_s;
    add_before({command_.begin_s, std::min(first_begin_s, first_end_s)});
    if (is_begin_known) add(phase::first_step, {first_begin_s, first_end_s});
    if (epochs_.empty()) {
      learn({first_end_s, ends_.back()});
      return;
    }
    for (const auto& span : epochs_) add_epoch(span, is_begin_known ? first_end_s : first_begin_s);
  }

  void add_before(const Stretch& start) {
    for (const auto& part : without(start, holes_)) add(phase::prepare, part);
  }

  void add_epoch(const Span& span, double learning_begins_s) {
    Epoch epoch{.time = {span.begin_s, last_step_in(span)}, .steps = span.steps, .samples = span.samples};
    if (epoch.steps == 0) epoch.steps = steps_in(span);
    if (ends_.empty()) account_.steps_seen += epoch.steps;
    const double before_s = account_.learnt_s;
    learn({std::max(span.begin_s, learning_begins_s), epoch.time.end_s});
    epoch.learnt_s = account_.learnt_s - before_s;
    if (epoch.time.begin_s < learning_begins_s) epoch.learnt_s += learning_begins_s - epoch.time.begin_s;
    account_.epochs.push_back(of_run(epoch));
  }

  std::int64_t steps_in(const Span& span) const {
    return std::upper_bound(ends_.begin(), ends_.end(), span.end_s) -
           std::lower_bound(ends_.begin(), ends_.end(), span.begin_s);
  }

  /// An epoch's learning ends with its last step; without steps, and PyTorch's (of any optimizer), as told.
  double last_step_in(const Span& span) const {
    if (steps_in(span) == 0 || account_.epochs_by == Teller::torch) return span.end_s;
    return *std::prev(std::upper_bound(ends_.begin(), ends_.end(), span.end_s));
  }

  void learn(const Stretch& whole) {
    for (const auto& part : without(whole, holes_)) {
      add(phase::learn, part);
      account_.learnt_s += part.length_s();
      const auto here = of_run(part);
      if (!account_.learning) account_.learning = here;
      account_.learning->end_s = std::max(account_.learning->end_s, here.end_s);
    }
  }

  std::int64_t epoch_at(double moment_s) const {
    const auto next = std::upper_bound(epochs_.begin(), epochs_.end(), moment_s,
                                       [](double at_s, const Span& epoch) { return at_s < epoch.begin_s; });
    return std::max<std::int64_t>(1, next - epochs_.begin());
  }

  void add_steps() {
    for (std::size_t i = 1; i < ends_.size(); ++i) {
      const Stretch time{ends_[i - 1], ends_[i]};
      const auto epoch = epoch_at(time.end_s);
      const bool is_whole = epoch == epoch_at(time.begin_s) && without(time, holes_).size() == 1 &&
                            without(time, holes_)[0].length_s() == time.length_s();
      if (is_whole) account_.steps.push_back({of_run(time), epoch, static_cast<std::int64_t>(i) + 1});
    }
  }

  void add_others() {
    for (const auto& each : verifying_) add(phase::verify, each);
    for (const auto& each : without_overlap(saves_, verifying_)) add(phase::save, each);
    for (const auto& each : without_overlap(loads_, verifying_)) add(phase::data_load, each);
  }

  static std::vector<Stretch> without_overlap(const std::vector<Stretch>& all,
                                              const std::vector<Stretch>& holes) {
    std::vector<Stretch> parts;
    for (const auto& each : all)
      for (const auto& part : without(each, holes)) parts.push_back(part);
    return parts;
  }

  void add_values() {
    for (auto teller = by_trust.rbegin(); teller != by_trust.rend(); ++teller)
      if (const auto* story = story_of(told_, *teller))
        for (const auto& [value, number] : story->values) account_.values[value] = number;
    for (const auto value : {Value::train_loss, Value::test_loss, Value::test_accuracy}) add_course(value);
    add_checkpoint();
    if (account_.epochs_by) add_samples();
    const auto batch = account_.values.find(Value::samples_per_step);
    if (account_.samples == 0 && batch != account_.values.end()) {
      double each = batch->second;
      const auto all = account_.values.find(Value::train_samples);
      if (all != account_.values.end() && !account_.epochs.empty() && account_.epochs[0].steps > 0)
        each =
            std::min(each, all->second / static_cast<double>(account_.epochs[0].steps));  // the last is short
      account_.samples = each * static_cast<double>(std::max<std::int64_t>(0, std::ssize(ends_) - 1));
    }
  }

  void add_course(Value value) {
    for (const auto teller : by_trust) {
      const auto* story = story_of(told_, teller);
      if (!story || !story->course.contains(value)) continue;
      for (const auto& [at_s, number] : story->course.at(value))
        account_.course[value].emplace_back(at_s - origin_s_, number);
      return;
    }
  }

  /// All files that were written after one step and before the next, the last time that any were.
  void add_checkpoint() {
    std::vector<Span> saves;
    for (const auto teller : by_trust)
      for (const auto& span : spans(teller, SpanKind::save))
        if (span.bytes > 0) saves.push_back(span);
    std::sort(saves.begin(), saves.end(), [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
    double before_s = 0;
    for (const auto& span : saves) {
      const auto step = std::lower_bound(ends_.begin(), ends_.end(), before_s);
      if (step != ends_.end() && *step <= span.begin_s) account_.saved_bytes = 0;
      account_.saved_bytes += static_cast<double>(span.bytes);
      before_s = span.end_s;
    }
  }

  /// Of all processes: each learns from its own share. The first step is no part of the time.
  void add_samples() {
    double steps = 0;
    double samples = 0;
    for (const auto& span : story_of(told_, *account_.epochs_by)->spans) {
      if (span.kind != SpanKind::epoch || span.samples == 0) continue;
      samples += static_cast<double>(span.samples);
      if (is_of_it(span)) steps += static_cast<double>(span.steps > 0 ? span.steps : steps_in(span));
    }
    if (steps > 0) account_.samples = samples * (steps - (ends_.empty() ? 0 : 1)) / steps;
  }

  void add(const PhaseKind& kind, const Stretch& time) { account_.phases.push_back({kind, of_run(time)}); }
  Stretch of_run(const Stretch& time) const { return {time.begin_s - origin_s_, time.end_s - origin_s_}; }
  Epoch of_run(Epoch epoch) const {
    epoch.time = of_run(epoch.time);
    return epoch;
  }

  const Tellings& told_;
  const Stretch command_;
  const double origin_s_;
  std::int64_t pid_ = 0;
  std::vector<double> ends_;  ///< of steps, sorted
  std::vector<Span> epochs_;
  std::vector<Stretch> verifying_, saves_, loads_, holes_;
  Account account_;
};

}  // namespace

Account account_for(const Tellings& told, const Stretch& command, double origin_s) {
  return Accounting(told, command, origin_s).account();
}

}  // namespace neph::workload::command
