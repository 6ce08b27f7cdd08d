#include "script/formats.hpp"

#include <fmt/ranges.h>

#include "script/quoting.hpp"

namespace neph::script {
namespace {

constexpr std::string_view end_of_script = "END_OF_SCRIPT";

std::string indented(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (end > 1) out.append(columns, ' ');
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

std::string resources(const Task& task) {
  const auto& offer = task.offer;
  auto infra = task.release.sky;
  if (!offer.region.empty()) infra += "/" + offer.region;
  std::string text = fmt::format("  infra: {}\n", scalar(infra));
  if (!offer.instance.empty()) text += fmt::format("  instance_type: {}\n", scalar(offer.instance));
  if (offer.gpus > 0) text += fmt::format("  accelerators: {{{}: {}}}\n", scalar(offer.gpu), offer.gpus);
  return text + "  autostop: {idle_minutes: 5, down: true}\n";
}

/// What the launching shell gives: SkyPilot refuses to start without.
std::string variables(const Task& task) {
  std::string text = task.release.variables.empty() ? "" : "envs: # sky launch --env NAME gives them\n";
  for (const auto& name : task.release.variables) text += fmt::format("  {}: null\n", name);
  return text;
}

/// SkyPilot gives these names to shells, here and there, between quotes of another kind or none; and puts
/// values of `envs` in the place of $NAME.
Result<std::string> file_mounts(const Task& task, const std::string& folder) {
  std::vector<std::string> files = task.job.files;
  for (const auto& source : task.data) std::erase(files, source.path);
  if (task.wishes.install != Install::image && !task.bundle)
    files.insert(files.begin(), archive_name(task.job));
  std::string text = files.empty() ? "" : "file_mounts: # what lies beside the script\n";
  for (const auto& file : files) {
    if (sh_word(file) != "'" + file + "'" ||
        file.find_first_of(R"("#$&*()[]{}\;<>?^`|~!)") != std::string::npos)
      return fail(
          ErrorCode::unsupported,
          "SkyPilot would have a shell read the name of the file {}: bring it by --data, or take --format sh",
          scalar(file));
    text +=
        fmt::format("  {}: {}\n", scalar(file.starts_with('/') ? file : folder + "/" + file), scalar(file));
  }
  return text;
}

}  // namespace

Result<std::string> sky_text(const Task& task, const std::string& script) {
  if (task.release.sky.empty())
    return fail(ErrorCode::unsupported,
                "SkyPilot does not rent machines of '{}': take --format sh or cloud-init",
                task.offer.provider);
  const auto folder = "~/neph-script";
  NEPH_TRY(const auto mounts, file_mounts(task, folder));
  return fmt::format(
      "# A task of SkyPilot: sky launch --down FILE. The script releases the machine by itself; --down and "
      "autostop see to it\n"
      "# too, and let SkyPilot know.\n"
      "name: {0}\nresources:\n{1}{2}{3}"
      "setup: |\n  mkdir -p {4} && chmod 700 {4}\n  cat >{4}/run.sh <<'{5}'\n{6}  {5}\n"
      "run: |\n  sh {4}/run.sh\n",
      scalar("neph-" + task_name(task)), resources(task), variables(task), mounts, folder, end_of_script,
      indented(script, 2));
}

Result<std::string> cloud_init_text(const Task& task, const std::string& script) {
  if (task.wishes.install != Install::image && !task.bundle)
    return fail(ErrorCode::invalid_argument,
                "--format cloud-init: nothing lies beside the script there; say from where the bundle comes, "
                "--bundle "
                "https://...");
  if (!task.release.variables.empty())
    return fail(
        ErrorCode::invalid_argument,
        "--format cloud-init: nobody gives the machine {} there, and so it could not be released: take "
        "--format sh, or say how by --release-command",
        fmt::join(task.release.variables, ", "));
  const auto home = fmt::format("/root/neph-{}", task_name(task));
  return fmt::format(
      "#cloud-config\n"
      "# User data of cloud-init. The script runs after the machine's start, and goes on after one that "
      "nobody asked for; a\n"
      "# machine that was released and is started again is left alone.\n"
      "write_files:\n"
      "  - path: {0}/start.sh\n    permissions: '0700'\n    content: |\n{1}"
      "  - path: /var/lib/cloud/scripts/per-boot/neph\n    permissions: '0755'\n    content: |\n"
      "      #!/bin/sh\n      [ -e {0}/released ] || HOME=/root exec sh {0}/start.sh\n",
      home, indented(script, 6));
}

}  // namespace neph::script
