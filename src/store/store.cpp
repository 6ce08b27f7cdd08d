#include "store/store.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/json.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "store/rows.hpp"
#include "store/run_rows.hpp"
#include "store/schema.hpp"

namespace neph::store {
namespace {

std::string prefix_of(const std::filesystem::path& store) { return store.filename().string() + ".run-"; }

}  // namespace

struct Store::File {
  explicit File(std::filesystem::path path) : connection(std::move(path)) {}
  Connection connection;
};

Store::Store(std::unique_ptr<File> file) : file_(std::move(file)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::filesystem::path& Store::path() const { return file_->connection.path(); }

namespace {

Status check_place(const std::filesystem::path& path, Access access) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::invalid_argument, "{}: a folder, where the store's file should be", path.string());
  if (access == Access::read && !std::filesystem::exists(path, ignored))
    return fail(ErrorCode::not_found, "{}: no such store; `neph infer` makes one, --store names another",
                path.string());
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ignored))
    return fail(ErrorCode::not_found, "cannot make {}: {} is not a folder", path.string(), folder.string());
  if (!std::filesystem::exists(path, ignored) && ::access(folder.c_str(), W_OK | X_OK) != 0)
    return tl::unexpected(system_error(fmt::format("cannot make {}", path.string()), errno));
  return {};
}

/// Whether this call made the file, and no other process did meanwhile.
bool make_file(const std::filesystem::path& path) {
  constexpr mode_t as_sqlite_does = 0644;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, as_sqlite_does));
  return file.is_open();
}

/// A file that was made and got no tables, for want of space: nobody shall take it for a store.
void remove_if_empty(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 0 && !ignored) std::filesystem::remove(path, ignored);
}

constexpr std::string_view experiment_table = "experiment";

Result<std::vector<Experiment>> read_experiments(const Connection& connection, std::string_view filter,
                                                 std::int64_t id = 0) {
  NEPH_TRY(auto rows, connection.prepare(fmt::format("SELECT {} FROM {} WHERE {} ORDER BY id",
                                                     fmt::join(column_names<Experiment>(), ", "),
                                                     experiment_table, filter)));
  rows.bind(1, id);
  std::vector<Experiment> experiments;
  for (;;) {
    NEPH_TRY(const bool row, rows.next());
    if (!row) return experiments;
    auto& its = experiments.emplace_back();
    NEPH_CHECK(read_row(rows, 0, its));
    if (its.spec.is_null()) its.spec = Json::object();
    if (!its.spec.is_object())
      return fail(ErrorCode::corrupt, "{}: spec of experiment {}: expected an object",
                  connection.path().string(), its.id);
  }
}

std::string known_numbers(const std::vector<Experiment>& experiments) {
  if (experiments.empty()) return "it holds none";
  return experiments.size() == 1
             ? fmt::format("it holds {}", experiments.front().id)
             : fmt::format("it holds {} to {}", experiments.front().id, experiments.back().id);
}

Result<std::int64_t> insert_experiment(const Connection& connection, const Experiment& experiment) {
  const auto columns = column_names<Experiment>();
  std::string places = "NULL";  // the number is the store's to give
  for (std::size_t i = 1; i < columns.size(); ++i) places += fmt::format(", ?{}", i + 1);
  NEPH_TRY(auto insert, connection.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", experiment_table,
                                                       fmt::join(columns, ", "), places)));
  bind_row(insert, 1, experiment);
  NEPH_CHECK(insert.run());
  return connection.last_row_id();
}

Status insert_cells(const Connection& connection, std::int64_t experiment_id,
                    const std::vector<Cell>& cells) {
  NEPH_TRY(auto insert,
           connection.prepare("INSERT INTO cell (experiment_id, cell, label, factors) VALUES (?, ?, ?, ?)"));
  for (const auto& cell : cells) {
    insert.bind(1, experiment_id);
    insert.bind(2, cell.index);
    insert.bind(3, std::string_view(cell.label));
    insert.bind(4, std::string_view(dump_json(cell.factors)));
    NEPH_CHECK(insert.run());
  }
  return {};
}

Result<bool> has_ended(const Connection& connection, const Run& run) {
  NEPH_TRY(auto rows,
           connection.prepare("SELECT 1 FROM run WHERE experiment_id = ? AND cell = ? AND repeat = ? "
                              "AND status <> 'interrupted'"));
  rows.bind(1, run.experiment_id);
  rows.bind(2, run.cell);
  rows.bind(3, run.repeat);
  return rows.next();
}

}  // namespace

Result<Store> Store::open(const std::filesystem::path& path, Access access, double wait_s) {
  NEPH_CHECK(check_place(path, access));
  std::error_code failed;
  const auto whole =
      std::filesystem::absolute(path, failed);  // SQLite has names of its own, ":memory:" for one
  if (failed)
    return tl::unexpected(system_error(fmt::format("cannot use {}", path.string()), failed.value()));
  const bool is_ours = access == Access::write && make_file(whole);
  auto file = std::make_unique<File>(whole);
  auto status = file->connection.open(access == Access::write, wait_s);
  if (status)
    status = access == Access::write ? prepare_for_writing(file->connection)
                                     : prepare_for_reading(file->connection);
  if (status) return Store(std::move(file));
  file.reset();
  if (is_ours && status.error().code == ErrorCode::io) remove_if_empty(whole);
  return tl::unexpected(std::move(status).error());
}

Result<std::int64_t> Store::create_experiment(const Experiment& experiment, const std::vector<Cell>& cells) {
  NEPH_TRY(auto transaction, Transaction::begin(file_->connection, Lock::write));
  NEPH_TRY(const std::int64_t id, insert_experiment(file_->connection, experiment));
  NEPH_CHECK(insert_cells(file_->connection, id, cells));
  NEPH_CHECK(transaction.commit());
  return id;
}

Status Store::set_repeat(std::int64_t experiment_id, std::int64_t repeat) {
  NEPH_CHECK(experiment(experiment_id));
  NEPH_TRY(const auto ended, finished(experiment_id));
  for (const auto& [cell, ended_repeat] : ended) repeat = std::max(repeat, ended_repeat + 1);
  NEPH_TRY(auto update, file_->connection.prepare("UPDATE experiment SET repeat = ? WHERE id = ?"));
  update.bind(1, repeat);
  update.bind(2, experiment_id);
  return update.run();
}

Status Store::set_latency_limit(std::int64_t experiment_id, double limit_s) {
  NEPH_TRY(auto update, file_->connection.prepare("UPDATE experiment SET latency_limit_s = ? WHERE id = ?"));
  update.bind(1, limit_s);
  update.bind(2, experiment_id);
  return update.run();
}

Status Store::set_price(std::int64_t experiment_id, std::string_view price, std::string_view rule) {
  NEPH_TRY(auto update,
           file_->connection.prepare("UPDATE experiment SET price = ?, price_rule = ? WHERE id = ?"));
  update.bind(1, price);
  update.bind(2, rule);
  update.bind(3, experiment_id);
  return update.run();
}

Result<std::vector<Experiment>> Store::experiments() const {
  return read_experiments(file_->connection, "?1 = 0");
}

Result<Experiment> Store::experiment(std::int64_t id) const {
  NEPH_TRY(auto found, read_experiments(file_->connection, "id = ?1", id));
  if (!found.empty()) return std::move(found.front());
  NEPH_TRY(const auto all, experiments());
  return fail(ErrorCode::not_found, "{}: no experiment {}; {}", path().string(), id, known_numbers(all));
}

Result<Experiment> Store::latest() const {
  NEPH_TRY(auto found,
           read_experiments(file_->connection, "?1 = 0 AND id = (SELECT max(id) FROM experiment)"));
  if (!found.empty()) return std::move(found.front());
  return fail(ErrorCode::not_found, "{}: no experiments yet; `neph infer` makes the first", path().string());
}

Result<std::int64_t> Store::add_run(const Run& run, const Json& machine) {
  NEPH_TRY(auto transaction, Transaction::begin(file_->connection, Lock::write));
  NEPH_TRY(const bool ended, has_ended(file_->connection, run));
  if (ended)
    return tl::unexpected(
        Error{ErrorCode::unavailable,
              fmt::format("{}: repeat {} of configuration {} of experiment {} has ended already",
                          path().string(), run.repeat, run.cell, run.experiment_id),
              "does another neph conduct it?", std::string(ended_already)});
  NEPH_TRY(const auto machine_id, number_of_machine(file_->connection, machine, run.experiment_id));
  NEPH_TRY(const std::int64_t id, write_run(file_->connection, run, machine_id));
  NEPH_CHECK(transaction.commit());
  return id;
}

Result<std::vector<Machine>> Store::machines(std::int64_t experiment_id) const {
  return read_machines(file_->connection, experiment_id);
}

Result<std::vector<Run>> Store::runs(std::int64_t experiment_id, Detail detail) const {
  NEPH_TRY(const auto snapshot, Transaction::begin(file_->connection, Lock::shared));
  return read_runs(file_->connection, {Selection::By::experiment, experiment_id}, detail);
}

Result<Run> Store::run(std::int64_t id) const {
  NEPH_TRY(const auto snapshot, Transaction::begin(file_->connection, Lock::shared));
  NEPH_TRY(auto found, read_runs(file_->connection, {Selection::By::run, id}, Detail::full));
  if (found.empty()) return fail(ErrorCode::not_found, "{}: no run {}", path().string(), id);
  return std::move(found.front());
}

Result<std::set<std::pair<std::int64_t, std::int64_t>>> Store::finished(std::int64_t experiment_id) const {
  NEPH_TRY(auto rows,
           file_->connection.prepare(
               "SELECT cell, repeat FROM run WHERE experiment_id = ? AND status <> 'interrupted'"));
  rows.bind(1, experiment_id);
  std::set<std::pair<std::int64_t, std::int64_t>> ended;
  for (;;) {
    NEPH_TRY(const bool row, rows.next());
    if (!row) return ended;
    ended.emplace(rows.integer(0), rows.integer(1));
  }
}

// ---- Runs that the store could not take when they ended, in files beside it until it can

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
