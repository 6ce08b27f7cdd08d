// Runs that the store could not take when they ended, in files beside it until it can.
#include <algorithm>

#include <fmt/format.h>

#include "core/json.hpp"
#include "os/file.hpp"
#include "store/store.hpp"

namespace neph::store {
namespace {

std::string prefix_of(const std::filesystem::path& store) { return store.filename().string() + ".run-"; }

}  // namespace

Result<std::filesystem::path> Store::keep_beside(const Experiment& experiment, const Run& run,
                                                 const Json& machine) const {
  auto file = path().parent_path() /
              fmt::format("{}{}-{}-{}.json", prefix_of(path()), experiment.id, run.cell, run.repeat + 1);
  NEPH_CHECK(write_file(
      file, dump_json({{"experiment", to_json(experiment)}, {"run", to_json(run)}, {"machine", machine}})));
  return file;
}

Status Store::take_in(const std::filesystem::path& file) {
  NEPH_TRY(const auto text, read_file(file));
  NEPH_TRY(const Json json, parse_json(text, file.string()));
  const auto part = [&](const char* name) { return json.is_object() ? json.value(name, Json()) : Json(); };
  NEPH_TRY(const auto its, from_json<Experiment>(part("experiment"), file.string()));
  NEPH_TRY(const auto run, from_json<Run>(part("run"), file.string()));
  const auto known = experiment(its.id);
  if (!known && known.error().code != ErrorCode::not_found) return tl::unexpected(known.error());
  if (!known || known->created != its.created || known->seed != its.seed)
    return fail(ErrorCode::not_found, "{}: a run of an experiment that is not in this store; remove the file",
                file.string());
  NEPH_TRY(const auto stored, runs(its.id, Detail::summary));
  const bool is_stored = std::ranges::any_of(stored, [&](const Run& other) {  // and the file was not removed
    return other.cell == run.cell && other.repeat == run.repeat && other.started == run.started;
  });
  if (!is_stored) NEPH_CHECK(add_run(run, part("machine")));
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return {};
}

Result<std::int64_t> Store::take_in() {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator each(path().parent_path(), error), end; !error && each != end;
       each.increment(error))
    if (each->path().filename().string().starts_with(prefix_of(path())) &&
        each->path().extension() == ".json")
      files.push_back(each->path());
  std::ranges::sort(files);
  Status status;
  for (const auto& file : files)
    if (auto one = take_in(file); !one) status = std::move(one);
  if (!status) return tl::unexpected(status.error());
  return std::ssize(files);
}

}  // namespace neph::store
