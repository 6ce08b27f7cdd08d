// A network by its name as a package of AOTInductor (.pt2), compiled by the PyTorch that is installed, and
// kept in the cache folder.

#include <system_error>

#include <unistd.h>

#include "core/clock.hpp"
#include "core/embedded.hpp"
#include "core/fnv1a.hpp"
#include "core/units.hpp"
#include "engine/hardware.hpp"
#include "framework/framework.hpp"
#include "framework/writers.hpp"
#include "os/file.hpp"
#include "os/temporary_folder.hpp"

namespace neph::framework {
namespace {

namespace fs = std::filesystem;

struct ExportSettings {
  std::string device;  ///< "cpu", "cuda"
  std::string precision;
};

/// Part of the names of cached files: another way of exporting gets new files.
constexpr int export_version = 1;

/// Beside the models. Code for one processor does not run on each other, and homes are shared.
fs::path cached_package(const fs::path& onnx, const ExportSettings& settings, const Installed& installed) {
  const auto processor = fnv1a(engine::processor_name() + engine::processor_line("flags"));
  return cache_folder() / "models" /
         fmt::format("{}-torch{}-{}-{}-{:08x}-v{}.pt2", onnx.stem().string(), installed.version,
                     settings.device, settings.precision, processor & 0xffffffff, export_version);
}

std::string script_for(const Model& model, const ExportSettings& settings, const fs::path& weights,
                       const fs::path& package) {
  std::string constants;
  const auto add = [&](std::string_view name, const std::string& text) {
    constants += fmt::format("{} = {}\n", name, quoted(text));
  };
  add("WEIGHTS", weights.string());
  add("PACKAGE", package.string());
  add("DEVICE", settings.device);
  add("PRECISION", settings.precision);
  add("INPUT", model.program.inputs.front().name);
  add("OUTPUT", model.program.outputs.front().name);
  constants += fmt::format("EXAMPLE = {}\n", tuple(model.layers.example));
  return filled(script_part("export"), {{"head", "# Compiles a network with AOTInductor.\n"},
                                        {"settings", constants},
                                        {"network", pytorch_network(model.layers)}});
}

Status compile(const fs::path& onnx, const ExportSettings& settings, const Installed& installed,
               const fs::path& package) {
  NEPH_TRY(const auto model, read_model(onnx));
  NEPH_TRY(const auto folder, TemporaryFolder::make());
  const auto weights = folder.path() / "weights.npz", script = folder.path() / "export.py";
  NEPH_CHECK(write_weights(model, {}, weights));
  NEPH_CHECK(write_file(script, script_for(model, settings, weights, package)));
  const auto compiled = run_python(installed, {script.string()});
  if (compiled) return {};
  return fail(compiled.error().code, "PyTorch {} cannot compile the network for {}: {}", installed.version,
              settings.device, compiled.error().message);
}

}  // namespace

Result<fs::path> file_for_engine(fs::path onnx, const engine::Runtime& runtime,
                                 const std::function<void(std::string)>& notify) {
  if (runtime.engine != "torch") return onnx;
  const bool is_f32 = runtime.precision == engine::Precision::automatic;
  const ExportSettings settings{engine::is_cuda(runtime.device) ? "cuda" : "cpu",
                                std::string(enum_name(is_f32 ? engine::Precision::f32 : runtime.precision))};
  if (runtime.precision == engine::Precision::i8)
    return fail(ErrorCode::unsupported, "precision i8: networks are compiled for torch in f32, bf16 or f16");
  NEPH_TRY(const auto installed, find(Framework::pytorch));
  const auto path = cached_package(onnx, settings, installed);
  std::error_code error;
  if (fs::exists(path, error)) return path;
  NEPH_CHECK(make_cache_folder(path.parent_path()));
  notify(fmt::format("compiling {} with PyTorch {} for {}: about a minute, once", onnx.stem().string(),
                     installed.version, settings.device));
  const SteadyClock clock;
  const auto begin = clock.now();
  const auto part = path.parent_path() / fmt::format("part-{}-{}", ::getpid(), path.filename().string());
  const auto compiled = compile(onnx, settings, installed, part);
  if (compiled) fs::rename(part, path, error);
  std::error_code ignored;
  fs::remove(part, ignored);
  NEPH_CHECK(compiled);
  if (error) return tl::unexpected(system_error(path.string(), error.value()));
  notify(
      fmt::format("compiled in {}; kept as {}", format_seconds(seconds(clock.now() - begin)), path.string()));
  return path;
}

}  // namespace neph::framework
