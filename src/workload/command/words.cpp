#include "workload/command/words.hpp"

#include <algorithm>
#include <cctype>

namespace neph::workload::command {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_name(std::string_view name) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}

}  // namespace

Result<std::vector<std::string>> words_of(std::string_view command) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && is_blank(c)) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      const char next = command[++i];
      if (quote == '"' && std::string_view("\\\"$`").find(next) == std::string_view::npos) words.back() += c;
      words.back() += next;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return fail(ErrorCode::invalid_argument, "the command has a {} that is not closed", quote);
  if (words.empty() || words.front().empty())
    return fail(ErrorCode::invalid_argument, "no command given; neph train -- python train.py");
  return words;
}

bool is_script(const std::vector<std::string>& words) { return words.front().ends_with(".py"); }

Result<std::vector<std::string>> words_of_processes(std::vector<std::string> words, std::int64_t processes,
                                                    const std::string& python) {
  if (is_script(words)) words.insert(words.begin(), python);
  if (processes == 1) return words;
  const auto name = words.front().substr(words.front().rfind('/') + 1);
  auto script = words.begin() + 1;
  for (; script != words.end() && script->starts_with('-') && *script != "-m" && *script != "-c"; ++script)
    if ((*script == "-W" || *script == "-X") && script + 1 != words.end()) ++script;  // with a value
  if (!name.starts_with("python") || script == words.end() || *script == "-c")
    return fail(ErrorCode::invalid_argument,
                "--processes {} starts a script of Python, and '{}' is not one; neph train --processes {} -- "
                "train.py",
                processes, words.front(), processes);
  const std::vector<std::string> torchrun{"-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                                          std::to_string(processes)};
  words.insert(script, torchrun.begin(), torchrun.end());
  return words;
}

Result<std::vector<std::pair<std::string, std::string>>> variables_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(';', begin), text.size());
    const auto one = text.substr(begin, end - begin);
    begin = end + 1;
    const auto sign = one.find('=');
    if (sign == one.npos || !is_name(one.substr(0, sign)))
      return fail(ErrorCode::invalid_argument, "--env: '{}' is not NAME=VALUE (several with ';')", one);
    all.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  return all;
}

}  // namespace neph::workload::command
