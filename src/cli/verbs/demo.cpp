#include <filesystem>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/units.hpp"
#include "host/host.hpp"
#include "image/image.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

/// Batches in flight: the same everywhere, else more of them behind a server would look like its cost.
constexpr int demo_depth = 4;

struct DemoOptions {
  std::string folder = "demo";
  std::string images;
  std::int64_t count = 96;
  std::int64_t repeat = 3;
};

template <class Visit, Describes<DemoOptions> Self>
void describe(Visit&& v, Self& s) {
  v("folder", s.folder, "where its images, results and report go");
  v("images", s.images, "folder of your own images; empty: made for the occasion");
  v("count", s.count, "images per run", between(1, 1e6));
  v("repeat", s.repeat, "runs per combination", between(1, 1000));
}

void headline(const std::string& text) { talk("\n== {}\n", text); }

/// The machine in one line.
void introduce_machine() {
  const auto machine = host::take_fingerprint();
  talk("{}, {} cores to use, {} of memory\n", machine.processor.model.value_or("unknown processor"),
       machine.effective_cores ? format_number(*machine.effective_cores) : "unknown",
       machine.memory.total_bytes ? format_bytes(static_cast<double>(*machine.memory.total_bytes))
                                  : "unknown");
}

Result<std::string> demo_pictures(const DemoOptions& options, const std::filesystem::path& folder) {
  if (!options.images.empty()) return options.images;
  const auto pictures = folder / "photos";
  NEPH_TRY(const auto made, image::synth(pictures, {.count = options.count}));
  talk("{} images of dead leaves in {} ({})\n", made.pictures, pictures.string(),
       format_bytes(static_cast<double>(made.bytes)));
  return pictures.string();
}

Result<int> tour(const DemoOptions& options) {
  const std::filesystem::path folder(options.folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return tl::unexpected(system_error("cannot make " + folder.string(), error.value()));

  headline("This machine");
  introduce_machine();
  headline("Images");
  NEPH_TRY(const auto pictures, demo_pictures(options, folder));
  headline("ResNet-50 in this program's address space, and behind a server over HTTP and gRPC");
  const Json fields = {{"model", "resnet50"},
                       {"images", pictures},
                       {"count", options.count},
                       {"architecture", {"in-process", "local"}},
                       {"protocol", {"http", "grpc"}},
                       {"batch", {1, 8}},
                       {"mode", "async"},
                       {"depth", demo_depth}};
  PlanOptions plan_options{.repeat = options.repeat, .store = (folder / default_store).string()};
  NEPH_TRY(auto plan, make_plan("infer", fields, plan_options));
  NEPH_TRY(const int code, conduct_plan(std::move(plan), {}));
  headline("Report");
  NEPH_TRY(const auto store, store::Store::open(plan_options.store, store::Access::read));
  NEPH_TRY(const auto document, load_document(store, 0, store::Detail::full));
  const auto page = folder / "report.html";
  NEPH_CHECK(write_file(page, report::html(document)));
  print_lines("{}\n", std::filesystem::absolute(page).string());
  return code;
}

}  // namespace

void declare_demo(Command& command) {
  auto options = std::make_shared<DemoOptions>();
  command.fields(*options);
  command.action(Command::Action([options] { return tour(*options); }));
}

}  // namespace neph::cli
