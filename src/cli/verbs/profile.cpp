#include "profile/profile.hpp"

#include "cli/command.hpp"
#include "cli/interrupts.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "os/file.hpp"
#include "report/profile/profile.hpp"

namespace neph::cli {
namespace {

constexpr unsigned longest_end_s = 10;

struct ProfileCommand {
  profile::Spec spec;
  std::int64_t limit = 15;
  std::string html;
  std::string engine_path;
  bool all = false, json = false;
};

template <class Visit, Describes<ProfileCommand> Self>
void describe(Visit&& v, Self& s) {
  v("limit", s.limit, "layers in the table, those that take longest; 0: all", between(0, 1'000'000));
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

Status show_profile(const ProfileCommand& options) {
  engine::look_also_in(options.engine_path);
  if (!options.html.empty()) NEPH_CHECK(check_output_file("--html", options.html, {options.spec.model}));
  ProgressLine line;
  experiment::Interrupt interrupt;
  const CatchInterrupts catching(interrupt, longest_end_s);  // an engine may have files to remove
  NEPH_TRY(const auto profile,
           profile::take(options.spec, {.progress = progress_on(line, "repeat"),
                                        .wants_end = [&] { return interrupt.level() > 0; }}));
  line.clear();
  const report::ProfileOptions shown{.width = terminal_width(),
                                     .limit = options.all ? 0 : static_cast<std::size_t>(options.limit)};
  fmt::print("{}",
             options.json ? dump_json(to_json(profile), true) + "\n" : report::text_summary(profile, shown));
  if (!options.html.empty()) NEPH_CHECK(write_file(options.html, report::html(profile)));
  return {};
}

}  // namespace

void declare_profile(Command& command) {
  auto options = std::make_shared<ProfileCommand>();
  command.fields(options->spec, "model");
  command.fields(*options);
  command.flag("all", options->all, "all layers in the table, as --limit 0");
  command.flag("json", options->json, "as JSON on stdout, with all layers");
  command.option("engine-path", options->engine_path, engine::engine_path_help);
  command.footer(
      "Examples:\n"
      "  neph profile resnet50\n"
      "  neph profile model.onnx --engine onnxruntime --threads 1 --all\n"
      "  neph profile bert.onnx --shape input_ids:1x128+attention_mask:1x128 --html profile.html\n"
      "Inputs are made up: floats from 0 to 1, integers that are surely good. GFLOP/s and GB/s are what the "
      "model's file says over the engine's own times, beside this machine's peaks, measured with as many "
      "threads (docs/method/profile.md).");
  command.action([options] { return show_profile(*options); });
}

}  // namespace neph::cli
