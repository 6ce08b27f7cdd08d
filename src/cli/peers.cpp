#include "cli/peers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/ranges.h>

#include "core/json.hpp"
#include "launch/launch.hpp"
#include "os/process.hpp"

extern "C" const char neph_peers[], neph_peers_end[];

namespace neph::cli {
namespace {

constexpr std::array known{"ridge", "gp", "forest", "xgboost", "autogluon"};
constexpr std::size_t most_bytes_of_a_line = std::size_t{1} << 30;

std::string python() {
  const char* const active = std::getenv("VIRTUAL_ENV");
  return active != nullptr && *active != 0 ? std::string(active) + "/bin/python3" : "python3";
}

std::string task_of(const std::vector<std::string>& peers, const predict::Profile& profile,
                    const std::vector<predict::Split>& splits) {
  Json task{{"columns", Json::array()},
            {"target", profile.points.target},
            {"splits", Json::array()},
            {"methods", peers}};
  for (const auto& column : profile.points.features.columns)
    task["columns"].push_back({{"name", column.name}, {"values", cells_of(column)}});
  for (const auto& split : splits) task["splits"].push_back({{"train", split.train}, {"test", split.test}});
  return dump_json(task);
}

/// A line of the script.
struct Answer {
  std::string method, missing, why;
  std::size_t split = 0;
  std::vector<double> values;
};
template <class Visit, Describes<Answer> Self>
void describe(Visit&& v, Self& s) {
  v("method", s.method, "its name");
  v("missing", s.missing, "package that is not installed; empty: it is");
  v("why", s.why, "what Python says of that");
  v("split", s.split, "place among the splits");
  v("values", s.values, "of the rows left out");
}

Status add(const Answer& answer, const predict::Profile& profile, const std::vector<predict::Split>& splits,
           std::vector<ValidatedMethod>& methods) {
  if (!answer.missing.empty())
    return fail(ErrorCode::unavailable, "--against {}: {} is not installed ({}): {} -m pip install {}",
                answer.method, answer.missing, answer.why, python(), answer.missing);
  const auto method = std::ranges::find(methods, answer.method, &ValidatedMethod::method);
  if (method == methods.end() || answer.split >= splits.size() ||
      answer.values.size() != splits[answer.split].test.size())
    return fail(ErrorCode::internal, "--against {}: an answer that does not fit the splits", answer.method);
  const auto& [name, train, test] = splits[answer.split];
  for (std::size_t i = 0; i < test.size(); ++i) {
    predict::Prediction prediction{.value = answer.values[i]};
    prediction.low = prediction.high = Score::unknown;
    method->rows.push_back(
        predict::point_of(answer.split, test[i], profile.points.target[test[i]], prediction));
  }
  if (!test.empty())
    method->splits.push_back({name, predict::score_of(predict::of_split(method->rows, answer.split))});
  return {};
}

}  // namespace

Result<std::vector<std::string>> peers_in(const std::string& list) {
  auto peers = predict::names_in(list);
  for (const auto& peer : peers)
    if (std::ranges::find(known, peer) == known.end())
      return fail(ErrorCode::invalid_argument, "--against: '{}' is none of {}", peer, fmt::join(known, ", "));
  return peers;
}

Result<std::vector<ValidatedMethod>> peers_on(const std::vector<std::string>& peers,
                                              const predict::Profile& profile,
                                              const std::vector<predict::Split>& splits,
                                              const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<ValidatedMethod> methods;
  for (const auto& peer : peers) methods.push_back({.method = peer});
  auto process = Process::start({python(), "-c", std::string(neph_peers, neph_peers_end)});
  if (!process) {
    process.error().add_hint("--against needs python3, with the packages of what it names");
    return tl::unexpected(process.error());
  }
  launch::Child child(*std::move(process), most_bytes_of_a_line);
  Status status;
  std::size_t done = 0;
  child.on_line = [&](std::string_view line) {
    const auto json = parse_json(line, "--against");
    const auto answer = json ? from_json<Answer>(*json, "") : tl::unexpected(json.error());
    if (status) status = answer ? add(*answer, profile, splits, methods) : tl::unexpected(answer.error());
    if (progress) progress(++done, peers.size() * splits.size());
  };
  child.say(task_of(peers, profile, splits));
  while (!child.exit()) {
    launch::Child* const one = &child;
    launch::Child::wait({&one, 1});
  }
  NEPH_CHECK(status);
  if (child.exit()->code != 0 || child.exit()->signal != 0)
    return fail(ErrorCode::unavailable, "--against {}: {} {}: {}", fmt::join(peers, ","), python(),
                child.how_it_ended(), child.stderr_tail());
  for (auto& method : methods) {
    method.score = predict::score_of(method.rows);
    method.slices = predict::slices_of(profile, method.rows);
  }
  return methods;
}

}  // namespace neph::cli
