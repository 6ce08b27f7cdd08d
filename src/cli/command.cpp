#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.hpp"
#include "cli/times.hpp"
#include "core/seconds.hpp"

namespace neph::cli {
namespace {

struct Foreign {
  std::string_view verb;
  std::string_view word;  ///< with - for _
  std::string_view ours;
};

constexpr std::array foreign_options{
    // perf_analyzer, genai-perf
    Foreign{"load", "-m", "the model is --model NAME"},
    Foreign{"load", "-b", "samples in a request are --batch N"},
    Foreign{"load", "-u", "the server's address comes first: neph load grpc://HOST:PORT"},
    Foreign{"load", "--url", "the server's address comes first: neph load grpc://HOST:PORT"},
    Foreign{"load", "-i", "the protocol is part of the address: grpc://HOST:PORT or http://HOST:PORT"},
    Foreign{"load", "-f", "perf_analyzer's table is --perf-analyzer-csv FILE"},
    Foreign{"load", "-p", "the length of a measurement is --duration 5s"},
    Foreign{"load", "--measurement-interval", "the length of a measurement is --duration 5s"},
    Foreign{"load", "--concurrency", "requests in flight are --clients 1,8,32"},
    Foreign{"load", "--concurrency-range", "requests in flight are --clients 1..8, with a step 2..16+2"},
    Foreign{"load", "--request-rate", "requests per second are --rate 10"},
    Foreign{"load", "--request-rate-range", "requests per second are --rate 10..200+10"},
    Foreign{"load", "--request-distribution", "it is --arrival poisson or constant"},
    Foreign{"load", "--request-intervals", "arrival times from a file are --trace FILE"},
    Foreign{"load", "--request-count", "the number of requests is --count N"},
    Foreign{"load", "--max-threads", "workers are --threads N"},
    Foreign{"load", "--input-data", "what is sent is --input FILE"},
    Foreign{"load", "-l", "the latency objective is --p99 50ms, of another percentile --limit"},
    Foreign{"load", "--latency-threshold",
            "the latency objective is --p99 50ms, of another percentile --limit"},
    // wrk, wrk2, hey, ab
    Foreign{"load", "-c", "clients, each with one request in flight, are --clients N"},
    Foreign{"load", "--connections", "clients, each with one request in flight, are --clients N"},
    Foreign{"load", "-n", "the number of requests is --count N"},
    Foreign{"load", "-q", "requests per second are --rate N, of all workers together"},
    Foreign{"load", "-R", "requests per second are --rate N"},
    Foreign{"load", "-z", "the length of a measurement is --duration 30s"},
    // MLPerf LoadGen
    Foreign{"load", "--qps", "requests per second are --rate N"},
    Foreign{"load", "--target-qps", "requests per second are --rate N"},
    Foreign{"load", "--target-latency", "the latency objective is --p99 50ms, of another percentile --limit"},
    Foreign{"load", "--min-duration", "it is --duration 60s"},
    Foreign{"load", "--min-query-count", "the number of requests is --count N"},
    Foreign{"load", "--samples-per-query", "samples in a request are --batch N"},
    // benchmark_app
    Foreign{"infer", "-m", "the model comes first: neph infer MODEL"},
    Foreign{"infer", "-i", "the images are --images FOLDER"},
    Foreign{"infer", "-d", "the device is --device CPU"},
    Foreign{"infer", "-b", "images per inference are --batch N"},
    Foreign{"infer", "-api", "it is --mode sync or async"},
    Foreign{
        "infer", "-hint",
        "nothing is left to a hint: --mode async with --streams N for throughput, --mode sync for latency"},
    Foreign{"infer", "-niter", "the length of a run is --count IMAGES"},
    Foreign{"infer", "-nireq", "batches in flight are --depth N with --mode async"},
    Foreign{"infer", "-nstreams", "it is --streams N"},
    Foreign{"infer", "-nthreads", "engine threads are --threads N"},
    Foreign{"infer", "-infer-precision", "it is --precision f32,bf16"},
    Foreign{"infer", "--nireq", "batches in flight are --depth N with --mode async"},
    Foreign{"infer", "--niter", "the length of a run is --count IMAGES"},
    // trtexec
    Foreign{"infer", "--onnx", "the model comes first: neph infer MODEL"},
    Foreign{"infer", "--fp16", "it is --precision f16"},
    Foreign{"infer", "--bf16", "it is --precision bf16"},
    Foreign{"infer", "--int8", "it is --precision i8"},
    Foreign{"infer", "--iterations", "the length of a run is --count IMAGES"},
    Foreign{"infer", "--infStreams", "it is --streams N"},
    // perf_analyzer, of one program
    Foreign{"infer", "--concurrency-range", "batches in flight are --depth 1..8 with --mode async"},
    // Triton, OpenVINO Model Server
    Foreign{"serve", "--model-repository", "the repository's folder comes first: neph serve FOLDER"},
    Foreign{"serve", "--model-store", "the repository's folder comes first: neph serve FOLDER"},
    Foreign{"serve", "--model-path", "the model comes first: neph serve MODEL"},
    Foreign{"serve", "--model-name", "it is --name NAME"},
    Foreign{"serve", "--http-address", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--grpc-address", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--host", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--rest-port", "it is --http-port N"},
    Foreign{"serve", "--port", "ports are --http-port N and --grpc-port N"},
    Foreign{"serve", "--exit-timeout-secs", "it is --stop-limit 30s"},
};

/// "load has no -m: the model is --model NAME"; empty where the word means nothing certain. `verb`: load,
/// infer, serve; `word`: an option as it was typed, with its value behind "=" or without.
std::string foreign_word(std::string_view verb, std::string_view word) {
  word = word.substr(0, word.find('='));
  std::string plain(word);
  std::replace(plain.begin(), plain.end(), '_', '-');
  for (const auto& foreign : foreign_options)
    if (foreign.verb == verb && foreign.word == plain)
      return fmt::format("{} has no {}: {}", verb, word, foreign.ours);
  return {};
}

}  // namespace

/// One CLI11 command with what its parse found out.
struct Command::Parser {
  CLI::App* app = nullptr;
  std::shared_ptr<Action> chosen;               ///< shared by all verbs: the action of the one that was named
  std::shared_ptr<std::optional<Error>> fault;  ///< the first option whose value made no sense
  /// Where the words behind "--" go; null: no verb takes them. CLI11 does not see them: it ends a list of
  /// values at "--", and forgets it.
  std::shared_ptr<std::vector<std::string>*> behind_dashes;
};

namespace {

constexpr auto wrong = ErrorCode::invalid_argument;

/// What was left over on the command line, with the nearest known name; nothing left: empty.
std::string unknown_argument(const CLI::App& root) {
  const CLI::App* app = &root;
  for (auto below = app->get_subcommands(); !below.empty(); below = app->get_subcommands())
    app = below.front();
  auto left = root.remaining(true);
  if (left.empty()) return {};
  std::vector<std::string> known;
  for (const auto* option : app->get_options([](const CLI::Option* o) { return !o->get_group().empty(); }))
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  if (left.front().rfind("--", 0) == 0)
    return unknown_name(wrong, "option", left.front().substr(0, left.front().find('=')), known)
        .value()
        .text();
  std::vector<std::string> verbs;
  for (const auto* verb : app->get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
    verbs.push_back(verb->get_name());
  if (!verbs.empty()) return unknown_name(wrong, "verb", left.front(), verbs).value().text();
  return fmt::format("too many arguments: '{}'", left.front());
}

bool takes_times(const CLI::App& app) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const auto* option) { return option->get_option_text().rfind("TIME", 0) == 0; });
}

/// Of all that was typed, before CLI11 takes "-hint" for "-h" and more; empty: none is another tool's word.
std::string foreign_words(std::span<char* const> arguments) {
  for (std::size_t i = 2; i < arguments.size() && std::string_view(arguments[i]) != "--"; ++i)
    if (auto ours = foreign_word(arguments[1], arguments[i]); !ours.empty()) return ours;
  return {};
}

/// The help of the verb that was named: "neph images check --help".
std::string help_of(const CLI::App& root) {
  std::string words = root.get_name();
  for (auto below = root.get_subcommands(); !below.empty(); below = below.front()->get_subcommands())
    words += " " + below.front()->get_name();
  return words + " --help";
}

/// CLI11 knows errors as exceptions, and says some of them in words of its own trade.
std::string describe_fault(const CLI::App& root, const CLI::ParseError& error) {
  const std::string_view said = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unknown_argument(root);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && said.ends_with("missing"))
    return fmt::format("{} needs a value", said.substr(0, said.find(':')));
  return std::string(said);
}

/// A file opened by us must not get the number of a closed standard stream: what is printed would land in
/// it. Writing to a stdout that was closed stays an error. And a file that grows past `ulimit -f` is an
/// error of the write, not the end of the process. A parent that hears of no child's end (SIGCHLD ignored is
/// inherited) must not keep us from it.
void take_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
}

/// `number`: 0 where an earlier write failed, of which the reason is forgotten.
Error unwritten(int number) {
  if (number == 0)
    return {ErrorCode::io, "cannot write standard output: a part of it was not taken; is the device full?"};
  return system_error("cannot write standard output", number);
}

/// The code, if all that was said got out: a result that nobody got is no success.
Result<int> all_written(int code) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    return tl::unexpected(unwritten(errno));
  return code;
}

/// The action, and its output all the way out.
Result<int> perform(const Command::Action& action) {
  int code = 0;
  try {
    NEPH_TRY(code, action());
  } catch (const std::system_error& error) {  // of fmt::print, mostly
    if (std::ferror(stdout) != 0) return tl::unexpected(unwritten(error.code().value()));
    return fail(ErrorCode::unavailable, "{}", error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::unavailable, "not enough memory");
  } catch (const std::exception& error) {  // the last guard: whoever threw should have caught
    return fail(ErrorCode::internal, "a defect of neph, please report it: {}", error.what());
  }
  return all_written(code);
}

}  // namespace

Result<std::vector<std::string>> Command::values_of(const std::string& text, bool may_be_path) {
  std::error_code ignored;
  if (may_be_path && (text.empty() || std::filesystem::exists(text, ignored))) return std::vector{text};
  return expand_values(text);
}

void Command::verb(std::string_view name, std::string_view summary, const Declare& declare) {
  auto* app = parser_.app->add_subcommand(std::string(name), std::string(summary));
  if (summary.empty()) app->group("");  // not for people: left out of help
  Parser below{app, parser_.chosen, parser_.fault, parser_.behind_dashes};
  Command command(below);
  declare(command);
  if (takes_times(*app)) command.footer("A TIME has its unit: 30s, 50ms, 2min.");
}

void Command::footer(std::string_view text) {
  auto whole = parser_.app->get_footer();
  whole += whole.empty() ? "" : "\n";
  parser_.app->footer(whole + std::string(text));
}

void Command::action(Action action) {
  parser_.app->parse_complete_callback(
      [chosen = parser_.chosen, action = std::move(action)] { *chosen = action; });
}

void Command::action(std::function<Status()> action) {
  this->action([action = std::move(action)]() -> Result<int> {
    NEPH_CHECK(action());
    return 0;
  });
}

std::function<bool()> Command::asked(std::string_view field) const {
  return [option = parser_.app->get_option(option_name(field))] { return option->count() > 0; };
}

void Command::positional(std::string_view name, std::string& target, std::string_view help, bool required) {
  parser_.app->add_option(std::string(name), target, std::string(help))->required(required)->option_text(" ");
}

void Command::words_behind_dashes(std::vector<std::string>& target) { *parser_.behind_dashes = &target; }

void Command::flag(std::string_view name, bool& target, std::string_view help) {
  parser_.app->add_flag("--" + std::string(name), target, std::string(help));
}

void Command::option(std::string_view name, std::string& target, std::string_view help) {
  parser_.app->add_option("--" + std::string(name), target, std::string(help))->option_text("TEXT");
}

void Command::field(const Option& option, Set set) {
  const auto time = name_of_time(option.name);
  if (!time.empty()) {
    set = [set = std::move(set), path = option_name(time)](const std::string& text) -> Status {
      NEPH_TRY(const auto plain, plain_seconds(text, path));
      return set(plain);
    };
  }
  const auto name = option_name(time.empty() ? option.name : time);
  const auto number = std::string_view("NUMBER [").size();
  const auto hint =
      time.empty() ? option.hint : fmt::format("TIME [{}]", seconds_text({std::atof(&option.hint[number])}));
  const bool may_stand_alone = option.taking == Taking::or_not_at_all;
  const bool is_list = option.is_positional && option.taking == Taking::repeatedly;  // FILE...
  const std::string stands_for = may_stand_alone ? "on" : "";
  auto accept = [set = std::move(set), fault = parser_.fault, name, stands_for,
                 taking = option.taking](const std::vector<std::string>& given) {
    const auto read = [&]() -> Status {
      if (given.size() == 1) return set(given.front().empty() ? stands_for : given.front());
      if (taking == Taking::repeatedly) {
        for (const auto& text : given) NEPH_CHECK(set(text));
        return {};
      }
      return tl::unexpected(
          Error{wrong, name + " is given twice", "a list of values is written 1,2,4", name});
    };
    if (auto status = read(); !status && !*fault) {
      auto error = status.error();
      if (error.subject != name) error.message = fmt::format("{}: {}", name, error.message);
      *fault = std::move(error);
    }
  };
  const auto add = [&](const std::string& names, const auto& take) {
    return parser_.app->add_option_function<std::vector<std::string>>(names, take, std::string(option.help))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_size(1)
        ->expected(may_stand_alone ? 0 : 1, is_list ? CLI::detail::expected_max_vector_size : 1)
        ->allow_extra_args(is_list);
  };
  add(option.is_positional ? name.substr(2) + "," + name : name, accept)
      ->option_text(option.is_positional ? " " : hint);
  if (!time.empty()) add(option_name(option.name), accept)->group("");
  for (const auto earlier : option.earlier_names) {
    if (earlier.empty()) continue;
    const auto old = option_name(earlier);
    const auto noted = [accept, old, name](const std::vector<std::string>& given) {
      talk("note: {} is called {} now\n", old, name);
      accept(given);
    };
    add(old, noted)->group("");
  }
}

int run_command_line(int count, char** arguments, std::string_view summary, std::string_view version,
                     const Command::Declare& declare) {
  take_standard_streams();
  CLI::App app{std::string(summary), "neph"};
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  app.get_formatter()->label("OPTIONS", "options");
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.get_formatter()->label("Subcommands", "Verbs");
  app.get_formatter()->column_width(44);
  Command::Parser parser{&app, std::make_shared<Command::Action>(), std::make_shared<std::optional<Error>>(),
                         std::make_shared<std::vector<std::string>*>()};
  Command root(parser);
  declare(root);
  const auto complain = [](const Error& error) {
    if (error.message != already_reported) talk("neph: {}\n", error.text());
    return exit_code(error.code);
  };
  if (*parser.behind_dashes) {
    char** const dashes = std::find(arguments, arguments + count, std::string_view("--"));
    if (dashes != arguments + count) (*parser.behind_dashes)->assign(dashes + 1, arguments + count);
    count = static_cast<int>(dashes - arguments);
  }
  if (auto ours = foreign_words({arguments, static_cast<std::size_t>(count)}); !ours.empty())
    return complain({ErrorCode::invalid_argument, std::move(ours)});
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& success) {                              // --help, --version
    if (const auto unknown = unknown_argument(app); !unknown.empty())  // help for what there is not
      return complain({ErrorCode::invalid_argument, fmt::format("{} ({})", unknown, help_of(app))});
    const auto code = all_written(app.exit(success));
    return code ? *code : complain(code.error());
  } catch (const CLI::ParseError& error) {
    return complain(
        {ErrorCode::invalid_argument, fmt::format("{} ({})", describe_fault(app, error), help_of(app))});
  }
  if (*parser.fault) return complain(**parser.fault);
  if (!*parser.chosen) {
    const CLI::App* named = &app;
    while (!named->get_subcommands().empty()) named = named->get_subcommands().front();
    *parser.chosen = [help = named->help()]() -> Result<int> {
      fmt::print("{}", help);
      return 0;
    };
  }
  const auto code = perform(*parser.chosen);
  return code ? *code : complain(code.error());
}

}  // namespace neph::cli
