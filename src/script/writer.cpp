#include "script/writer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>

#include "core/fnv1a.hpp"
#include "core/json.hpp"
#include "script/embedded.hpp"
#include "script/quoting.hpp"

namespace neph::script {
namespace {

struct Step {
  std::string_view name, stage;  ///< empty: none pays it
};

bool has_bundle(const Task& task) { return task.wishes.install != Install::image; }
bool has_image(const Task& task) { return task.wishes.install != Install::bundle; }

/// The image has OpenVINO in it.
bool needs_packages(const Task& task, const std::string& engine) {
  return !packages_of_engine(engine).empty() && (has_bundle(task) || engine != "openvino");
}

bool needs_packages(const Task& task) {
  return std::ranges::any_of(task.job.engines,
                             [&](const auto& engine) { return needs_packages(task, engine); });
}

bool reads_data(const Task& task) {
  const auto& job = task.job;
  return !task.data.empty() || !job.files.empty() || !job.mentioned.empty() || !job.datasets.empty();
}

std::vector<Step> steps_of(const Task& task) {
  std::vector<Step> steps;
  if (task.offer.gpus > 0) steps.push_back({"driver", "install"});
  if (has_bundle(task)) steps.push_back({"bundle", "install"});
  if (has_image(task)) steps.push_back({"image", "install"});
  if (needs_packages(task)) steps.push_back({"runtime", "install"});
  if (reads_data(task)) steps.push_back({"data", "data_load"});
  steps.insert(steps.end(), {{"learn", "learn"}, {"save", "save"}, {"marks", ""}});
  return steps;
}

/// A path as a word of sh: as it is, or beside the script.
std::string path_word(const std::string& path) {
  return path.starts_with('/') ? sh_word(path) : fmt::format("\"$(beside {})\"", sh_word(path));
}

std::string at_word(const Place& place) {
  return place.kind == Kind::path ? path_word(place.at) : sh_word(place.at);
}

std::string port_word(const Place& place) { return place.kind == Kind::scp ? " " + place.port : ""; }

std::string ready_line(const Place& place) { return fmt::format("  ready_{}\n", enum_name(place.kind)); }

/// `to` is a word of sh.
std::string get_line(const Place& place, const std::string& to) {
  return fmt::format("  again get_{} {} {}{}\n", enum_name(place.kind), at_word(place), to, port_word(place));
}

std::string function(std::string_view name, std::string_view body) {
  return fmt::format("{}() {{\n{}}}\n\n", name, body);
}

std::string results_functions(const Task& task) {
  const auto& to = task.results;
  return function("ready_for_results", ready_line(to)) +
         function("put_result",
                  fmt::format("  put_{} \"$1\" {}{}\n", enum_name(to.kind), at_word(to), port_word(to)));
}

std::string get_bundle(const Task& task) {
  if (task.bundle) return function("get_bundle", ready_line(*task.bundle) + get_line(*task.bundle, "\"$1\""));
  const auto archive = sh_word(archive_name(task.job));
  return fmt::format("archive={}\n\n", archive) +
         function("get_bundle",
                  "  [ ! -e \"$(beside \"$archive\")\" ] || act cp \"$(beside \"$archive\")\" \"$1\"\n");
}

std::string get_image(const Task& task) {
  if (!task.image_archive) return function("get_image", "  again act as_root \"$docker\" pull \"$image\"\n");
  return function("get_image", ready_line(*task.image_archive) +
                                   get_line(*task.image_archive, "\"$home/image.tar\"") +
                                   "  act as_root \"$docker\" load --input \"$home/image.tar\"\n");
}

/// Where what the experiment calls `path` lies: a word of sh.
std::string place_of_data(const std::string& path) {
  return path.starts_with('/') ? sh_word(path) : fmt::format("\"$home\"/work/{}", sh_word(path));
}

std::string step_data(const Task& task) {
  std::string body;
  for (const auto& name : task.job.datasets) body += fmt::format("  bring_dataset {}\n", sh_word(name));
  for (const auto& [path, place, is_archive] : task.data)
    body += fmt::format("  again bring {} {} {} '{}'{}\n", place_of_data(path), enum_name(place.kind),
                        at_word(place), place.port, is_archive ? " unpacked" : "");
  for (const auto& file : task.job.files) body += fmt::format("  find_or_bring {}\n", sh_word(file));
  for (const auto& file : task.job.mentioned) body += fmt::format("  bring_if_beside {}\n", sh_word(file));
  return function("step_data", body);
}

std::string saved_lines(const Task& task) {
  std::string lines;
  for (const auto& file : task.job.saved) lines += fmt::format("  save_file {}\n", place_of_data(file));
  return lines;
}

std::string pip_lines(const Task& task) {
  std::string lines;
  for (const auto& engine : task.job.engines) {
    if (!needs_packages(task, engine)) continue;
    std::string words;
    for (const auto& package : packages_of_engine(engine)) words += " " + sh_word(package);
    const bool is_library = engine == "openvino";  // which needs no Python; frameworks need theirs
    lines += fmt::format(
        "  again act python3 -m pip install --quiet {}--target \"$home/python\"{}\n",
        is_library ? "--no-deps --ignore-requires-python --only-binary :all: --python-version 3.12 " : "",
        words);
  }
  return lines;
}

/// Seconds that may be paid, from when on, and why: also where nobody gave a limit, a rented machine has one.
std::string most_lines(const Task& task) {
  const auto [most_s, is_default] = most_of(task);
  return fmt::format("most_s={} # {}\npaid_from={}\n", most_s,
                     is_default    ? "no limit was given: a day of this script"
                     : most_s == 0 ? "--max-time was not given"
                                   : "--max-time",
                     is_default ? "script" : "boot");
}

std::string values(const Task& task) {
  std::string text = fmt::format("name={}\n", sh_word(task_name(task)));
  text += fmt::format(
      "limit_s={} {}", task.limit.seconds,
      comment(task.limit.seconds == 0 ? "no budget was given" : "so long lasts the budget: " + task.budget));
  text +=
      fmt::format("clock_s={} # where whole steps of the clock are paid: their length\n", task.limit.clock_s);
  text += most_lines(task);
  if (has_image(task)) text += fmt::format("image={}\n", sh_word(task.image));
  if (has_image(task)) text += fmt::format("gpu_option={}\n", task.offer.gpus > 0 ? "--gpus=all" : "");
  return text;
}

std::string release_text(const Task& task) {
  const auto& release = task.release;
  const auto head = fmt::format("## The release\n\nrelease_title={}\nrelease_needs={}\n\n",
                                sh_word(release.title), sh_word(release.needs));
  std::string ready;
  if (!release.program.empty()) ready += fmt::format("  need {} {} &&\n", release.program, release.package);
  ready += release.text.find("request ") != std::string::npos ? "  need curl\n" : "  :\n";
  const bool may_go = task.results.kind == Kind::path && release.ends != "nothing";
  return head + release.text + "\n" + function("ready_for_release", ready) +
         function("warn_of_results",
                  may_go ? "  say 'CAREFUL: the results go to a folder of this machine, and may go with it'\n"
                         : "  :\n");
}

std::set<Kind> kinds_of(const Task& task) {
  std::set<Kind> kinds{task.results.kind};
  if (task.bundle && has_bundle(task)) kinds.insert(task.bundle->kind);
  if (task.image_archive) kinds.insert(task.image_archive->kind);
  for (const auto& source : task.data) kinds.insert(source.place.kind);
  if (reads_data(task)) kinds.insert(Kind::path);  // what lies beside the script
  return kinds;
}

std::string transfers(const Task& task) {
  std::string text;
  for (const auto kind : kinds_of(task))
    text += std::string(part(fmt::format("transfer-{}", enum_name(kind)))) + "\n";
  text += std::string(part("beside")) + "\n" + results_functions(task);
  if (has_bundle(task)) text += get_bundle(task);
  if (has_image(task)) text += get_image(task);
  return text;
}

/// What the experiment reads that is not in the script's own folder, for the image to see.
std::string volumes(const Task& task) {
  std::set<std::string> paths;
  for (const auto& path : task.job.files)
    if (path.starts_with('/')) paths.insert(path);
  for (const auto& name : task.job.datasets) paths.insert("/usr/share/datasets/" + name);
  std::string lines;
  for (const auto& path : paths)
    lines += fmt::format("    --volume {}:{}:ro \\\n", sh_word(path), sh_word(path));
  return lines;
}

/// Each line of the specification as a word of its own.
std::string spec_lines(const Task& task) {
  std::istringstream text(spec_text(task.job.experiment, task.job.options));
  std::string lines;
  for (std::string line; std::getline(text, line);) lines += fmt::format("    {} \\\n", sh_word(line));
  return lines;
}

std::string step_functions(const Task& task) {
  std::string text;
  const auto add = [&](std::string_view more) { text.append(more).append("\n"); };
  if (task.offer.gpus > 0) add(part("driver"));
  if (has_image(task)) add(filled(part("image"), {{"volumes", volumes(task)}}));
  if (has_bundle(task))
    add(part("bundle"));
  else
    add("neph=in_image\n");
  if (needs_packages(task)) add(filled(part("runtime"), {{"packages", pip_lines(task)}}));
  if (reads_data(task)) {
    add(part("data"));
    text += step_data(task);
  }
  add(filled(part("learn"), {{"spec", spec_lines(task)}}));
  return text;
}

std::string about(const Task& task) {
  return comment(fmt::format("{}, on {}; results to {}.", task.job.title, task.wishes.offer,
                             task.wishes.results)) +
         comment(fmt::format("Made by neph {}: {}", task.job.version, task.job.command));
}

/// Most keys need no quotes.
std::string key_text(const std::string& key) {
  constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(bare) == std::string::npos ? key : scalar(key);
}

void add_line(std::string& text, const std::string& key, const Json& value) {
  text += fmt::format("{} = {}\n", key_text(key), scalar(value));
}

}  // namespace

Most most_of(const Task& task) {
  constexpr std::int64_t day_s = 86400;
  const auto most_s = static_cast<std::int64_t>(std::ceil(task.wishes.max_time.value));
  const bool is_default = most_s == 0 && task.limit.seconds == 0 && task.release.ends != "nothing";
  return {.seconds = is_default ? day_s : most_s, .is_default = is_default};
}

std::string task_name(const Task& task) {
  const auto& wishes = task.wishes;
  auto whole = spec_text(task.job.experiment, task.job.options);
  for (const auto& wish :
       {wishes.results, wishes.offer, std::string(enum_name(wishes.install)), wishes.bundle, wishes.image})
    whole += wish + "\n";
  for (const auto& data : wishes.data) whole += data + "\n";
  auto name = task.job.name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return fmt::format("{}-{:08x}", name, fnv1a(whole) & 0xffffffff);
}

std::string archive_name(const Job& job) { return fmt::format("neph-{}-x86_64.tar.gz", job.version); }

std::string sh_text(const Task& task) {
  std::string cases, order;
  for (const auto& step : steps_of(task)) {
    cases += fmt::format("    {0}) step_{0} ;;\n", step.name);
    order += fmt::format("  do_step {} {}\n", step.name, step.stage.empty() ? "''" : step.stage);
  }
  return filled(part("run"), {{"about", about(task)},
                              {"values", values(task)},
                              {"release", release_text(task)},
                              {"transfers", transfers(task)},
                              {"steps", step_functions(task)},
                              {"saved", saved_lines(task)},
                              {"cases", cases},
                              {"end", std::string(part("end")) + "\n"},
                              {"order", order}});
}

std::string spec_text(const Experiment& experiment, const Json& options) {
  std::string text;
  add_line(text, "repeat", experiment.repeat);
  if (experiment.seed != 0) add_line(text, "seed", experiment.seed);
  for (const auto& [key, value] : options.items()) add_line(text, key, value);
  if (experiment.latency_limit_s > 0)
    add_line(text, "latency_limit", seconds_text(Seconds{experiment.latency_limit_s}));
  text += fmt::format("\n[{}]\n", key_text(experiment.workload));
  for (const auto& [key, value] : experiment.spec.items())
    if (!value.is_null()) add_line(text, key, value);
  for (const auto& factor : experiment.factors) add_line(text, factor.name, Json(factor.values));
  return text;
}

}  // namespace neph::script
