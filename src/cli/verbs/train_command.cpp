// `neph train -- COMMAND`: the verb's other half, for any command that trains something.
#include <algorithm>
#include <span>

#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/verbs.hpp"
#include "core/values.hpp"
#include "engine/engine.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

struct TrainCommandOptions {
  Json fields = Json::object();
  std::vector<std::string> words;
  PlanOptions plan{.repeat = 1, .timeout_s = 0};
  ConductOptions conduct;
  std::string engine_path;
};

/// Quoted so that words_of() gives the same words.
std::string as_one_text(std::span<const std::string> words) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : " ") + (word.empty() ? std::string("''") : shell_quoted(word));
  return text;
}

}  // namespace

bool is_train_command(int count, char** arguments) {
  const std::span<char*> all(arguments, static_cast<std::size_t>(count));
  return count > 2 && std::string_view(all[1]) == "train" &&
         std::any_of(all.begin() + 2, all.end(), [](const char* word) {
           const std::string_view text(word);
           return text == "--" || text == "--command" || text.starts_with("--command=");
         });
}

void declare_train_command(Command& command) {
  auto options = std::make_shared<TrainCommandOptions>();
  command.factors<workload::CommandSpec>(options->fields);
  command.words_behind_dashes(options->words);
  command.fields(options->plan);
  command.option("engine-path", options->engine_path,
                 "Python environment that runs a script without one before it");
  declare_flags(command, options->conduct);
  command.footer(
      "The command is measured from its start to its end, as it is. Steps and phases are known where PyTorch "
      "or Keras\n"
      "run in it, or where it tells of them itself: docs/EVENTS.md.\n"
      "  neph train -- python train.py --epochs 3\n"
      "  neph train --threads 1,2 --repeat 5 -- python train.py --epochs 3\n"
      "  neph train --processes 1,2 -- train.py      # by torchrun, in the Python that has PyTorch\n"
      "  neph train --env OMP_WAIT_POLICY=active,OMP_WAIT_POLICY=passive -- python train.py");
  command.action([options, is_repeat_asked = command.asked("repeat")]() -> Result<int> {
    engine::look_also_in(options->engine_path);
    if (!options->words.empty() && options->fields.contains("command"))
      return fail(ErrorCode::invalid_argument, "--command and a command behind -- say the same; give one");
    if (!options->words.empty()) options->fields["command"] = as_one_text(options->words);
    NEPH_TRY(auto plan, make_plan("command", options->fields, options->plan));
    plan.is_repeat_asked = is_repeat_asked();
    return conduct_plan(std::move(plan), options->conduct);
  });
}

}  // namespace neph::cli
