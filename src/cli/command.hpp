// The command line, declared by verbs and read by CLI11 behind this header. Options come from described
// structs, so that name, unit, default, range and help are written once.
//
//   void declare_host(Command& command) {
//     auto options = std::make_shared<HostOptions>();
//     command.fields(*options);
//     command.action([options] { return show_host(*options); });
//   }
//
// Ownership: a verb keeps the targets of its options alive in its action (a shared_ptr, as above).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/values.hpp"

namespace neph::cli {

/// The message of an error whose words have reached the user's program already, in the verb's own protocol:
/// only the exit code is left to say.
inline constexpr std::string_view already_reported;

/// Exit code of a command that did what it was asked to, and found what it was told to fail on. As of diff
/// and grep, 1 is an answer; errors begin with 2.
inline constexpr int failed_as_asked = 1;

class Command {
 public:
  /// Its exit code, where there was no error.
  using Action = std::function<Result<int>()>;
  using Declare = std::function<void(Command&)>;

  struct Parser;
  explicit Command(Parser& parser) : parser_(parser) {}

  /// A verb below this one.
  void verb(std::string_view name, std::string_view summary, const Declare& declare);
  /// Shown after the options, below what is there already: examples, words of advice.
  void footer(std::string_view text);
  void action(Action action);
  void action(std::function<Status()> action);
  /// For an action: whether the field's option was given, or has its default.
  std::function<bool()> asked(std::string_view field) const;

  void positional(std::string_view name, std::string& target, std::string_view help, bool required);
  /// All words behind "--", options of another program among them; a verb that has them takes no others.
  void words_behind_dashes(std::vector<std::string>& target);
  void flag(std::string_view name, bool& target, std::string_view help);
  void option(std::string_view name, std::string& target, std::string_view help);

  /// One option per field of T, written into `target`. The field named `positional` needs no option name. A
  /// field of several texts may be given several times.
  template <Described T>
  void fields(T& target, std::string_view positional = {}) {
    describe(
        [&](std::string_view name, auto& member, std::string_view help, const Traits& traits = {}) {
          using Member = std::remove_reference_t<decltype(member)>;
          auto set = [&member, path = option_name(name), range = traits.range](const std::string& text) {
            return read_value(text, member, range, path);
          };
          field(
              {name, help, hint<Member>(member), traits.earlier_names, name == positional, taking<Member>()},
              std::move(set));
        },
        target);
  }

  /// As fields(), but an option takes a list of values too; what was given is put into `values` by the
  /// field's name: one value as itself, several as an array.
  template <Described T>
  void factors(Json& values, std::string_view positional = {}) {
    T defaults{};
    describe(
        [&](std::string_view name, auto& member, std::string_view help, const Traits& traits = {}) {
          using Member = std::remove_reference_t<decltype(member)>;
          auto set = [&values, name, range = traits.range](const std::string& text) -> Status {
            NEPH_TRY(auto parts, values_of(text, std::is_same_v<Member, std::string>));
            Json list = Json::array();
            for (const auto& part : parts) {
              Member checked{};
              list.push_back(value_as_json<Member>(part));
              NEPH_CHECK(detail::read_field(list.back(), checked, range, option_name(name)));
            }
            values[std::string(name)] = list.size() == 1 ? list[0] : list;
            return {};
          };
          field(
              {name, help, hint<Member>(member), traits.earlier_names, name == positional, taking<Member>()},
              std::move(set));
        },
        defaults);
  }

 private:
  using Set = std::function<Status(const std::string&)>;
  using Texts = std::vector<std::string>;
  template <class Member>
  static Status read_value(const std::string& text, Member& member, Range range, const std::string& path) {
    return detail::read_field(value_as_json<Member>(text), member, range, path);
  }
  static Status read_value(const std::string& text, Texts& member, Range, const std::string&) {
    member.push_back(text);
    return {};
  }
  /// How often an option's value is given.
  enum class Taking { once, or_not_at_all, repeatedly };
  template <class Member>
  static constexpr Taking taking() {
    return std::is_same_v<Member, bool>    ? Taking::or_not_at_all
           : std::is_same_v<Member, Texts> ? Taking::repeatedly
                                           : Taking::once;
  }

  /// The list that the text is; the text itself where it may be a path and there is such a file, commas and
  /// all.
  static Result<std::vector<std::string>> values_of(const std::string& text, bool may_be_path);
  /// How a field is given.
  struct Option {
    std::string_view name, help;
    std::string hint;
    std::array<std::string_view, 2> earlier_names;  ///< taken, but not shown
    bool is_positional = false;
    Taking taking = Taking::once;
  };
  void field(const Option& option, Set set);

  /// What help shows behind the option's name: choices and default.
  template <class T>
  static std::string hint(const T& value) {
    if constexpr (std::is_same_v<T, Texts>) return "TEXT ...";
    const auto text = value_as_text(to_json(value));
    if constexpr (NamedEnum<T>) {
      std::string choices;
      for (const auto& name : enum_choices<T>()) choices += (choices.empty() ? "" : "|") + name;
      return fmt::format("{} [{}]", choices, text);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return text.empty() ? "TEXT" : fmt::format("TEXT [{}]", text);
    } else if constexpr (std::is_same_v<T, bool>) {
      return fmt::format("on|off [{}]", text);
    } else if constexpr (std::is_same_v<T, Seconds>) {
      return fmt::format("TIME [{}]", text);
    } else {
      return fmt::format("NUMBER [{}]", text);
    }
  }

  Parser& parser_;
};

/// Reads the command line and runs the verb it names. Returns the exit code; prints help and errors.
int run_command_line(int count, char** arguments, std::string_view summary, std::string_view version,
                     const Command::Declare& declare);

}  // namespace neph::cli
