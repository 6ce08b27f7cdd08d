// What a server starts to see whether a model ends its engine: serve::try_model() in a process of its own.
#include <array>

#include <sys/resource.h>

#include "cli/command.hpp"
#include "cli/verbs.hpp"
#include "serve/serve.hpp"

namespace neph::cli {
namespace {

/// Words: the path that is served, the model's name, the server's options for it.
Status try_model(const std::vector<std::string>& words) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  NEPH_TRY(const auto json, parse_json(words[2], "the options"));
  NEPH_TRY(const auto options, from_json<serve::ModelOptions>(json, "the options"));
  auto tried = serve::try_model(words[0], words[1], options);
  if (tried) return tried;
  fmt::print("{}\n", dump_json(Json(tried.error().text())));
  return tl::unexpected(Error{tried.error().code, std::string(already_reported)});
}

}  // namespace

void declare_try_model(Command& command) {
  auto words = std::make_shared<std::vector<std::string>>(3);
  constexpr std::array names{"path", "name", "options"};
  for (std::size_t i = 0; i < names.size(); ++i) command.positional(names[i], (*words)[i], "", false);
  command.action([words] { return try_model(*words); });
}

}  // namespace neph::cli
