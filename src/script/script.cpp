#include "script/script.hpp"

#include <algorithm>
#include <charconv>

#include "core/text.hpp"
#include "core/values.hpp"
#include "script/formats.hpp"
#include "script/quoting.hpp"
#include "script/writer.hpp"

namespace neph::script {
namespace {

constexpr auto wrong = ErrorCode::invalid_argument;

/// The program that a command begins with, behind variables and sudo; empty: only the shell knows.
std::string program_of(const std::string& command) {
  for (const auto& word : shell_words(command)) {
    if (word.find_first_of("$`(){}[]*?;&|<>!~#\"\t\n") != std::string::npos) return {};
    if (word.starts_with('-') && word.find_first_not_of("nESH", 1) != std::string::npos)
      return {};  // takes a word
    const bool is_variable = word.find('=') != std::string::npos;
    const bool is_before = word.empty() || is_variable || word == "sudo" || word.starts_with('-');
    if (!is_before) return word;
  }
  return {};
}

/// Whether there is its program is all that can be asked of it without doing it.
Release release_by(const std::string& command) {
  Release own{.name = "command", .title = "by the command of --release-command"};
  const auto program = program_of(command);
  own.text = fmt::format("release_machine() {{\n  act sh -c {}\n}}\n\ncan_release() {{ {}; }}\n",
                         sh_word(command), program.empty() ? ":" : "has " + sh_word(program));
  own.needs = program.empty() ? "whatever that command needs"
                              : fmt::format("the program {}, and whatever it needs", program);
  return own;
}

Status check_arch(const price::Offer& offer, const Wishes& wishes) {
  if (offer.arch != "arm64") return {};
  return fail(
      wrong,
      "--offer '{}': its CPU is an ARM ({}), and the bundle and the image that a script installs are those "
      "of x86_64: take a machine of Intel or AMD",
      wishes.offer, offer.arch);
}

tl::unexpected<Error> no_offer(std::string_view name, std::string_view reason) {
  return fail(ErrorCode::invalid_argument,
              "--offer '{}': {}; give it as gcp/n1-standard-8+v100:1@us-central1", name, reason);
}

/// What stands behind the last `sign`, taken off the text; empty: there is none.
std::string_view cut_off(std::string_view& text, char sign) {
  const auto at = text.rfind(sign);
  if (at == std::string_view::npos) return {};
  const auto cut = text.substr(at + 1);
  text = text.substr(0, at);
  return cut;
}

}  // namespace

Result<Release> release_of(const price::Offer& offer, const Wishes& wishes) {
  if (wishes.release_command.empty())
    return find_release(wishes.release.empty() ? offer.provider : wishes.release);
  if (!wishes.release.empty())
    return fail(wrong, "--release and --release-command say the same thing: give one of them");
  if (wishes.release_command.find('\0') != std::string::npos ||
      wishes.release_command.find_first_not_of(" \t\n") == std::string::npos)
    return fail(wrong, "--release-command is no command");
  auto own = release_by(wishes.release_command);
  if (const auto known = find_release(offer.provider)) own.sky = known->sky;
  return own;
}

namespace {

Result<price::Rule> rule_of(const price::Offer& offer, const Wishes& wishes,
                            const std::vector<price::Rule>& rules) {
  return wishes.rule.empty() ? price::rule_of(offer, rules) : price::find_rule(wishes.rule, rules);
}

Result<std::optional<price::Price>> price_of(const price::Offer& offer, const Wishes& wishes) {
  if (!wishes.price.empty()) {
    NEPH_TRY(auto price, price::parse_price(wishes.price));
    return price;
  }
  if (offer.per_hour) return price::Price{*offer.per_hour, offer.currency};
  return std::nullopt;
}

Status set_limit(Task& task, const std::vector<price::Rule>& rules) {
  const auto& wishes = task.wishes;
  NEPH_TRY(const auto price, price_of(task.offer, wishes));
  NEPH_TRY(const auto rule, rule_of(task.offer, wishes, rules));
  if (wishes.budget.empty()) return {};
  NEPH_TRY(const auto budget, parse_budget(wishes.budget));
  if (!price)
    return fail(wrong,
                "--budget {}: what does the machine cost? Say it by --price 2.48USD/h, or name a list "
                "that has it: --offers FILE",
                wishes.budget);
  NEPH_TRY(task.limit, limit_of(rule, *price, budget));
  task.budget =
      fmt::format("{} {} at {} {} an hour, by rule {}", price::decimal_text(budget.per_hour), budget.currency,
                  price::decimal_text(price->per_hour), price->currency, rule.name);
  return {};
}

Status set_install(Task& task) {
  const auto& wishes = task.wishes;
  if (!wishes.bundle.empty()) {
    if (wishes.install == Install::image) return fail(wrong, "--bundle means nothing with --install image");
    NEPH_TRY(task.bundle, parse_place("--bundle", wishes.bundle));
  }
  if (wishes.install == Install::bundle) {
    if (!wishes.image.empty())
      return fail(wrong, "--image means nothing with --install bundle: take image, or both");
    if (task.job.has_containers)
      return fail(wrong, "the experiment starts containers: take --install both with --image NAME");
    return {};
  }
  if (wishes.image.empty())
    return fail(wrong,
                "--install {}: which image? Give --image NAME, or from where its archive comes (./dev image "
                "makes one)",
                enum_name(wishes.install));
  if (wishes.image.starts_with('-')) return fail(wrong, "--image '{}' is no name of an image", wishes.image);
  task.image = wishes.image;
  if (wishes.image.find("://") == std::string::npos && !wishes.image.ends_with(".tar") &&
      !wishes.image.ends_with(".tar.gz"))
    return {};
  NEPH_TRY(task.image_archive, parse_place("--image", wishes.image));
  task.image = "neph:latest";  // as ./dev image calls it
  return {};
}

bool is_archive(std::string_view name) {
  return name.ends_with(".tar.gz") || name.ends_with(".tgz") || name.ends_with(".tar");
}

Status check_gpu(const Job& job, const price::Offer& offer, const Wishes& wishes) {
  if (!job.needs_gpu || offer.gpus > 0) return {};
  return fail(wrong,
              "the experiment runs on cuda, and --offer '{}' names no GPU: say which and how many, as "
              "{}/{}+V100:1",
              wishes.offer, offer.provider, offer.instance);
}

/// [PATH=]ADDRESS; without a path the one file that the experiment reads, else what it is called there.
Result<Task::Source> source_of(const std::string& text, const Job& job) {
  const auto equals = text.find('=');
  const bool has_path =
      equals != std::string::npos && text.substr(0, equals).find_first_of(":?") == std::string::npos;
  Task::Source source;
  NEPH_TRY(source.place, parse_place("--data", has_path ? text.substr(equals + 1) : text));
  const auto name = file_name_of(source.place);
  if (has_path)
    source.path = text.substr(0, equals);
  else
    source.path = job.files.size() == 1 ? job.files.front() : name;
  if (source.path.empty() || has_control_character(source.path))
    return fail(wrong, "--data '{}': as what does the experiment know it? Give it as PATH={}", text, text);
  while (source.path.size() > 1 && source.path.ends_with('/')) source.path.pop_back();
  source.is_archive = is_archive(name) && !is_archive(source.path);
  return source;
}

}  // namespace

Result<Longest> longest(const Job& job, const price::Offer& offer, const Wishes& wishes,
                        const std::vector<price::Rule>& rules) {
  Task task{.job = job, .wishes = wishes, .offer = offer};
  NEPH_TRY(task.release, release_of(offer, wishes));
  NEPH_CHECK(set_limit(task, rules));
  const auto by_time = most_of(task).seconds, by_money = task.limit.seconds;
  Longest longest{.seconds = std::max(by_time, by_money)};
  if (by_time > 0 && by_money > 0) longest.seconds = std::min(by_time, by_money);
  longest.sure_s = longest.seconds;
  if (by_money > 0) longest.sure_s = std::min(longest.seconds, by_money - task.limit.clock_s);
  return longest;
}

Result<std::vector<std::string>> brought(const Job& job, const Wishes& wishes) {
  std::vector<std::string> paths;
  for (const auto& text : wishes.data) {
    NEPH_TRY(auto source, source_of(text, job));
    paths.push_back(std::move(source.path));
  }
  return paths;
}

Result<std::string> script(const Job& job, const price::Offer& offer, const Wishes& wishes,
                           const std::vector<price::Rule>& rules) {
  if (wishes.results.empty())
    return fail(wrong,
                "where do the results go? Give --results s3://BUCKET/PATH, scp://HOST/PATH, https://..., or "
                "a folder");
  Task task{.job = job, .wishes = wishes, .offer = offer};
  NEPH_CHECK(check_gpu(job, offer, wishes));
  NEPH_CHECK(check_arch(offer, wishes));
  NEPH_TRY(task.release, release_of(offer, wishes));
  NEPH_TRY(task.results, parse_place("--results", wishes.results));
  NEPH_CHECK(set_limit(task, rules));
  NEPH_CHECK(set_install(task));
  for (const auto& text : wishes.data) {
    NEPH_TRY(auto source, source_of(text, job));
    task.data.push_back(std::move(source));
  }
  auto text = sh_text(task);
  if (wishes.format == Format::sky) return sky_text(task, text);
  if (wishes.format == Format::cloud_init) return cloud_init_text(task, text);
  return text;
}

Result<price::Offer> offer_of_name(std::string_view name) {
  if (has_control_character(name)) return no_offer(name, "it has a control character in it");
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0) return no_offer(name, "it names no provider");
  price::Offer offer{.provider = price::provider_name(lowered(name.substr(0, slash)))};
  auto rest = name.substr(slash + 1);
  offer.region = cut_off(rest, '@');
  const auto gpu = cut_off(rest, '+');
  offer.instance = rest;
  offer.arch = price::arch_of_machine(offer.provider, offer.instance, gpu.substr(0, gpu.find(':')));
  if (gpu.empty()) return offer;
  const auto colon = gpu.find(':');
  offer.gpu = gpu.substr(0, colon);
  offer.gpus = 1;
  if (colon != std::string_view::npos) {
    const auto count = gpu.substr(colon + 1);
    const auto* end = count.data() + count.size();
    const auto read = std::from_chars(count.data(), end, offer.gpus);
    if (read.ec != std::errc{} || read.ptr != end || offer.gpus < 1 || offer.gpus > 64)
      return no_offer(name, fmt::format("'{}' is no number of GPUs", count));
  }
  if (offer.gpu.empty()) return no_offer(name, "it names no GPU behind the +");
  return offer;
}

}  // namespace neph::script
