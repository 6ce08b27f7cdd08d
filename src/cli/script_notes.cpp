#include "cli/script_notes.hpp"

#include <algorithm>

#include "cli/terminal.hpp"
#include "core/units.hpp"
#include "core/values.hpp"

namespace neph::cli {
namespace {

/// What is not brought by --data, and how it gets there.
Status tell_files(const script::Job& job, const script::Wishes& wishes) {
  NEPH_TRY(const auto brought, script::brought(job, wishes));
  const auto tell = [&](const std::vector<std::string>& files, std::string_view says) {
    for (const auto& file : files)
      if (std::ranges::find(brought, file) == brought.end())
        talk("{} {}: put it beside the script, or say --data {}=ADDRESS\n", says, file, shell_quoted(file));
  };
  tell(job.files, "the experiment reads");
  tell(job.mentioned, "not in the script, though the command names it:");
  return {};
}

void tell_release(const price::Offer& offer, const script::Wishes& wishes, const script::Release& release) {
  const bool is_rented = release.ends != "nothing";
  talk("{}; this needs {}\n", release.title, release.needs);
  if (is_rented && wishes.budget.empty() && wishes.max_time.value == 0)
    talk("no limit was given: it is released after a day (--budget and --max-time say otherwise)\n");
  const auto results = script::parse_place("--results", wishes.results);
  if (is_rented && results && results->kind == script::Kind::path)
    talk("CAREFUL: results go to {}, a folder of this {} machine, and may go with it\n", wishes.results,
         offer.provider);
}

/// How long the work takes, with what is assumed around it, beside what is paid at the most.
void tell_time(const script::Job& job, const script::Longest& longest) {
  if (job.takes_s <= 0) return;
  double around_s = 0;
  for (const auto& stretch : price::usual_assumptions())
    if (price::is_marked_from_inside(stretch.stage))
      around_s += std::chrono::duration<double>(stretch.length).count();
  const double takes_s = job.takes_s + around_s;
  const auto takes =
      fmt::format("it takes about {} where it is as fast as here, with boot and installation (assumed {})",
                  format_seconds(takes_s), format_seconds(around_s));
  if (longest.seconds == 0) return talk("{}\n", takes);
  const auto limit = format_seconds(static_cast<double>(longest.seconds));
  talk("{}; the machine is released after {} at the latest\n", takes, limit);
  const auto work_s = [](std::int64_t whole_s) {
    return static_cast<double>(whole_s - script::kept_for_the_end_s(whole_s));
  };
  if (takes_s <= work_s(longest.sure_s)) return;
  talk(
      "CAREFUL: that {} be enough: work ends {} before the limit{}. Give a larger --budget or --max-time, or "
      "do less\n",
      takes_s > work_s(longest.seconds) ? "cannot" : "may not",
      format_seconds(static_cast<double>(script::kept_for_the_end_s(longest.seconds))),
      longest.sure_s < longest.seconds ? ", and the first step of the clock may be nearly over" : "");
}

}  // namespace

Status tell_needs(const script::Job& job, const price::Offer& offer, const script::Wishes& wishes,
                  const std::vector<price::Rule>& rules) {
  if (wishes.install != script::Install::image && wishes.bundle.empty())
    talk("put neph-{}-x86_64.tar.gz beside the script (./dev bundle makes it), or say --bundle ADDRESS\n",
         job.version);
  NEPH_CHECK(tell_files(job, wishes));
  NEPH_TRY(const auto release, script::release_of(offer, wishes));
  tell_release(offer, wishes, release);
  NEPH_TRY(const auto longest, script::longest(job, offer, wishes, rules));
  tell_time(job, longest);
  return {};
}

}  // namespace neph::cli
