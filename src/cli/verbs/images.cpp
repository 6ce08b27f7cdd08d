#include <map>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "image/image.hpp"
#include "os/cores.hpp"

namespace neph::cli {
namespace {

struct CheckOptions {
  std::string folder;
  image::ScanOptions scan;
  bool json = false;
};

struct PrepareOptions {
  std::string folder;
  std::string out;
  std::int64_t side = 224;
  std::int64_t resize_side = 256;
  image::ScanOptions scan;
  image::PrepareOptions prepare;
};

template <class Visit, Describes<PrepareOptions> Self>
void describe(Visit&& v, Self& s) {
  v("side", s.side, "side of the images that are written", between(1, 8192));
  v("resize_side", s.resize_side, "shorter side before the crop", between(1, 8192));
}

void print_check(const image::PictureSet& set) {
  std::map<std::string, std::int64_t> formats;
  for (const auto& picture : set.usable) ++formats[std::string(enum_name(picture.format))];
  std::string kinds;
  for (const auto& [format, count] : formats)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, format);
  if (!set.usable.empty())
    kinds = fmt::format(" ({}; {} in all)", kinds, format_bytes(static_cast<double>(set.bytes())));
  print_lines("{}: {}{}, {} rejected\n", set.folder, counted(std::ssize(set.usable), "usable image"), kinds,
              set.rejected.size());
  for (const auto& rejected : set.rejected)
    fmt::print("  {}: {}\n", printable(rejected.path), printable(rejected.reason));
}

Status check_pictures(const CheckOptions& options) {
  image::PictureSet set;
  {
    ProgressLine line;
    NEPH_TRY(set, image::check(options.folder, options.scan, usable_cores(), progress_on(line, "decoding")));
  }
  if (options.json)
    fmt::print("{}\n", dump_json(to_json(set), true));
  else
    print_check(set);
  if (set.usable.empty()) return fail(ErrorCode::invalid_argument, "{} has no usable image", options.folder);
  return {};
}

Status prepare_pictures(const PrepareOptions& options) {
  if (options.resize_side < options.side)
    return fail(ErrorCode::invalid_argument, "--resize-side {} is below --side {}", options.resize_side,
                options.side);
  NEPH_TRY(const auto set, image::scan(options.folder, options.scan));
  image::PrepareResult result;
  {
    ProgressLine line;
    const image::Transform transform{.resize_side = options.resize_side, .crop_side = options.side};
    auto prepare = options.prepare;
    prepare.threads = usable_cores();
    NEPH_TRY(result, image::prepare(set, transform, options.out, prepare, progress_on(line, "preparing")));
  }
  print_lines("{}: {} images of {}x{}, {}\n", options.out, result.prepared.pictures, options.side,
              options.side, format_bytes(static_cast<double>(result.bytes)));
  for (const auto& rejected : set.rejected)
    fmt::print("  left out {}: {}\n", printable(rejected.path), printable(rejected.reason));
  for (const auto& rejected : result.rejected)
    fmt::print("  left out {}: {}\n", printable(rejected.path), printable(rejected.reason));
  return {};
}

Status make_pictures(const std::string& folder, image::SynthOptions options) {
  image::SynthResult result;
  {
    ProgressLine line;
    NEPH_TRY(result, image::synth(folder, options, progress_on(line, "drawing")));
  }
  print_lines("{}: {} images, {} (seed {})\n", folder, result.pictures,
              format_bytes(static_cast<double>(result.bytes)), options.seed);
  return {};
}

void declare_check(Command& command) {
  auto options = std::make_shared<CheckOptions>();
  command.positional("folder", options->folder, "folder of images, read recursively", true);
  command.fields(options->scan);
  command.flag("json", options->json, "as JSON on stdout");
  command.action([options] { return check_pictures(*options); });
}

void declare_prepare(Command& command) {
  auto options = std::make_shared<PrepareOptions>();
  command.positional("folder", options->folder, "folder of images, read recursively", true);
  command.positional("out", options->out, "folder to write to", true);
  command.fields(*options);
  command.fields(options->scan);
  command.action([options] { return prepare_pictures(*options); });
}

void declare_synth(Command& command) {
  auto folder = std::make_shared<std::string>();
  auto options = std::make_shared<image::SynthOptions>();
  options->threads = usable_cores();
  command.positional("folder", *folder, "folder to write to", true);
  command.fields(*options);
  command.action([folder, options] { return make_pictures(*folder, *options); });
}

}  // namespace

void declare_images(Command& command) {
  command.verb("check", "what can be used, what not and why", declare_check);
  command.verb("prepare", "the same images brought to the network's size once, as files", declare_prepare);
  command.verb("synth", "images with natural statistics, for machines without any", declare_synth);
}

}  // namespace neph::cli
