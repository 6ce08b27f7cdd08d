#include "store/run_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "store/rows.hpp"

namespace neph::store {

template <>
inline constexpr bool kept_apart<RunResult> = true;

namespace {

const std::string machine_columns = fmt::format("{}", fmt::join(column_names<Machine>(), ", "));

/// The experiment's number is the one parameter of `order`.
Result<Statement> prepare_select(const Connection& connection, std::string_view order,
                                 std::int64_t experiment_id) {
  NEPH_TRY(auto rows, connection.prepare(fmt::format("SELECT {} FROM machine {}", machine_columns, order)));
  rows.bind(1, experiment_id);
  return rows;
}

/// The first known one that is the same.
Result<std::optional<std::int64_t>> find_same(const Connection& connection, const Machine& machine,
                                              std::int64_t experiment_id) {
  NEPH_TRY(auto rows,
           prepare_select(connection,
                          "ORDER BY id NOT IN (SELECT machine_id FROM run WHERE experiment_id = ? AND "
                          "machine_id IS NOT NULL), id",
                          experiment_id));
  for (;;) {
    NEPH_TRY(const bool row, rows.next());
    if (!row) return std::nullopt;
    Machine known;
    NEPH_CHECK(read_row(rows, 0, known));
    if (is_same(machine, known)) return known.id;
  }
}

Result<Statement> prepare_insert(const Connection& connection) {
  std::string places = "NULL";  // the number is the store's to give
  for (std::size_t i = 1; i < column_names<Machine>().size(); ++i) places += fmt::format(", ?{}", i + 1);
  return connection.prepare(fmt::format("INSERT INTO machine ({}) VALUES ({})", machine_columns, places));
}

static_assert(std::endian::native == std::endian::little, "blobs are little-endian; swap them here");

template <class T>
constexpr const char* table = nullptr;
template <>
constexpr const char* table<Phase> = "phase";
template <>
constexpr const char* table<Figure> = "figure";
template <>
constexpr const char* table<Stage> = "stage";
template <>
constexpr const char* table<SeriesSummary> = "telemetry";
template <>
constexpr const char* table<Warning> = "warning";
template <>
constexpr const char* table<Probe> = "probe";

// ---- Writing

Result<Statement> prepare_insert(const Connection& connection, std::string_view into,
                                 const std::vector<std::string>& columns) {
  std::string places;
  for (std::size_t i = 0; i < columns.size(); ++i) places += i == 0 ? "?" : ", ?";
  return connection.prepare(
      fmt::format("INSERT INTO {} ({}) VALUES ({})", into, fmt::join(columns, ", "), places));
}

Result<std::int64_t> insert_run(const Connection& connection, const Run& run,
                                std::optional<std::int64_t> machine_id) {
  auto columns = column_names<Run>();
  columns.emplace_back("answers_checksum");
  NEPH_TRY(auto insert, prepare_insert(connection, "run", columns));
  const int next = bind_row(insert, 1, run);
  insert.bind_null(1);  // the numbers are the store's to give
  const auto place = std::find(columns.begin(), columns.end(), "machine_id") - columns.begin() + 1;
  bind_value(insert, static_cast<int>(place), machine_id);
  insert.bind(next, std::string_view(run.result.outputs_checksum));
  NEPH_CHECK(insert.run());
  return connection.last_row_id();
}

template <class T>
Status insert_list(const Connection& connection, std::int64_t run_id, const std::vector<T>& list) {
  auto columns = column_names<T>();
  columns.insert(columns.begin(), {"run_id", "place"});
  NEPH_TRY(auto insert, prepare_insert(connection, table<T>, columns));
  std::int64_t place = 0;
  for (const auto& item : list) {
    insert.bind(1, run_id);
    insert.bind(2, place++);
    bind_row(insert, 3, item);
    NEPH_CHECK(insert.run());
  }
  return {};
}

template <class T>
void bind_numbers(Statement& statement, int place, const std::vector<T>& numbers) {
  statement.bind_blob(place, numbers.data(), numbers.size() * sizeof(T));
}

Status insert_facts(const Connection& connection, std::int64_t run_id, const RunResult& result) {
  NEPH_TRY(auto insert, prepare_insert(connection, "fact", {"run_id", "name", "value"}));
  for (const auto& [name, value] : result.facts) {
    insert.bind(1, run_id);
    insert.bind(2, std::string_view(name));
    insert.bind(3, std::string_view(value));
    NEPH_CHECK(insert.run());
  }
  return {};
}

Status insert_answers(const Connection& connection, std::int64_t run_id, const RunResult& result) {
  if (result.outputs.empty()) return {};
  NEPH_TRY(auto insert, prepare_insert(connection, "answers", {"run_id", "classes"}));
  insert.bind(1, run_id);
  bind_numbers(insert, 2, result.outputs);
  return insert.run();
}

Status insert_samples(const Connection& connection, std::int64_t run_id, const RunResult& result) {
  NEPH_TRY(auto insert, prepare_insert(connection, "sample", {"run_id", "place", "name", "data"}));
  std::int64_t place = 0;
  for (const auto& column : result.samples) {
    insert.bind(1, run_id);
    insert.bind(2, place++);
    insert.bind(3, std::string_view(column.name));
    bind_numbers(insert, 4, column.values);
    NEPH_CHECK(insert.run());
  }
  return {};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// All series of one sampler share its moments: they are stored once, which halves the telemetry.
Status insert_series(const Connection& connection, std::int64_t run_id, const RunResult& result) {
  NEPH_TRY(auto insert_moments, prepare_insert(connection, "moments", {"run_id", "number", "at_s"}));
  NEPH_TRY(auto insert,
           prepare_insert(connection, "series",
                          {"run_id", "place", "target", "name", "unit", "unavailable", "moments", "data"}));
  std::vector<const std::vector<double>*> moments;
  std::int64_t place = 0;
  for (const auto& series : result.series) {
    const auto known = std::find_if(moments.begin(), moments.end(),
                                    [&](const auto* at_s) { return same_bits(*at_s, series.at_s); });
    const std::int64_t number = known - moments.begin();
    if (known == moments.end()) {
      moments.push_back(&series.at_s);
      insert_moments.bind(1, run_id);
      insert_moments.bind(2, number);
      bind_numbers(insert_moments, 3, series.at_s);
      NEPH_CHECK(insert_moments.run());
    }
    insert.bind(1, run_id);
    insert.bind(2, place++);
    insert.bind(3, std::string_view(series.target));
    insert.bind(4, std::string_view(series.name));
    insert.bind(5, std::string_view(series.unit));
    insert.bind(6, std::string_view(series.unavailable));
    insert.bind(7, number);
    bind_numbers(insert, 8, series.values);
    NEPH_CHECK(insert.run());
  }
  return {};
}

// ---- Reading

/// Runs in the order of their numbers, while their parts are added.
class Assembly {
 public:
  Assembly(const Connection& connection, Selection selection)
      : connection_(connection), selection_(selection) {}

  /// All rows of a table that belong to the runs: see(row, run), the run's number being column 0.
  template <class See>
  Status each(std::string_view columns, std::string_view from, std::string_view order, See&& see) {
    const auto runs = selection_.by == Selection::By::run
                          ? "run_id = ?1"
                          : "run_id IN (SELECT id FROM run WHERE experiment_id = ?1)";
    NEPH_TRY(auto rows, connection_.prepare(fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {}", columns,
                                                        from, runs, order)));
    rows.bind(1, selection_.id);
    for (;;) {
      NEPH_TRY(const bool row, rows.next());
      if (!row) return {};
      if (Run* run = find(rows.integer(0))) NEPH_CHECK(see(rows, *run));
    }
  }

  template <class T>
  Status add_list(std::vector<T> RunResult::*list) {
    const auto columns = fmt::format("run_id, {}", fmt::join(column_names<T>(), ", "));
    return each(columns, table<T>, "run_id, place", [&](const Statement& row, Run& run) {
      return read_row(row, 1, (run.result.*list).emplace_back());
    });
  }

  Status read_runs() {
    NEPH_TRY(auto rows,
             connection_.prepare(fmt::format("SELECT answers_checksum, {} FROM run WHERE {} = ? ORDER BY id",
                                             fmt::join(column_names<Run>(), ", "),
                                             selection_.by == Selection::By::run ? "id" : "experiment_id")));
    rows.bind(1, selection_.id);
    for (;;) {
      NEPH_TRY(const bool row, rows.next());
      if (!row) return {};
      auto& run = runs_.emplace_back();
      run.result.outputs_checksum = rows.text(0);
      NEPH_CHECK(read_row(rows, 1, run));
    }
  }

  /// A blob of little-endian numbers.
  template <class T>
  Status read_numbers(const Statement& row, int column, std::vector<T>& numbers) const {
    const auto bytes = row.blob(column);
    if (bytes.size() % sizeof(T) != 0)
      return fail(ErrorCode::corrupt, "{}: run {} holds numbers cut short", connection_.path().string(),
                  row.integer(0));
    numbers.resize(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return {};
  }

  std::vector<Run> take() { return std::move(runs_); }

 private:
  Run* find(std::int64_t id) {
    const auto found = std::lower_bound(runs_.begin(), runs_.end(), id,
                                        [](const Run& run, std::int64_t wanted) { return run.id < wanted; });
    return found != runs_.end() && found->id == id ? &*found : nullptr;
  }

  const Connection& connection_;
  Selection selection_;
  std::vector<Run> runs_;
};

Status read_lists(Assembly& runs) {
  NEPH_CHECK(runs.add_list(&RunResult::phases));
  NEPH_CHECK(runs.add_list(&RunResult::figures));
  NEPH_CHECK(runs.add_list(&RunResult::stages));
  NEPH_CHECK(runs.add_list(&RunResult::telemetry));
  NEPH_CHECK(runs.add_list(&RunResult::warnings));
  NEPH_CHECK(runs.add_list(&RunResult::probes));
  return runs.each("run_id, name, value", "fact", "run_id", [](const Statement& row, Run& run) -> Status {
    run.result.facts.emplace(row.text(1), row.text(2));
    return {};
  });
}

Status read_raw(Assembly& runs) {
  NEPH_CHECK(runs.each("run_id, classes", "answers", "run_id", [&](const Statement& row, Run& run) {
    return runs.read_numbers(row, 1, run.result.outputs);
  }));
  NEPH_CHECK(runs.each("run_id, name, data", "sample", "run_id, place", [&](const Statement& row, Run& run) {
    auto& column = run.result.samples.emplace_back();
    column.name = row.text(1);
    return runs.read_numbers(row, 2, column.values);
  }));
  return runs.each("run_id, target, name, unit, unavailable, data, at_s",
                   "(SELECT * FROM series JOIN moments USING (run_id) WHERE number = moments)",
                   "run_id, place", [&](const Statement& row, Run& run) -> Status {
                     auto& series = run.result.series.emplace_back();
                     series.target = row.text(1);
                     series.name = row.text(2);
                     series.unit = row.text(3);
                     series.unavailable = row.text(4);
                     NEPH_CHECK(runs.read_numbers(row, 5, series.values));
                     return runs.read_numbers(row, 6, series.at_s);
                   });
}

}  // namespace

Result<std::int64_t> write_run(const Connection& connection, const Run& run,
                               std::optional<std::int64_t> machine_id) {
  NEPH_TRY(const std::int64_t id, insert_run(connection, run, machine_id));
  const auto& result = run.result;
  NEPH_CHECK(insert_list(connection, id, result.phases));
  NEPH_CHECK(insert_list(connection, id, result.figures));
  NEPH_CHECK(insert_list(connection, id, result.stages));
  NEPH_CHECK(insert_list(connection, id, result.telemetry));
  NEPH_CHECK(insert_list(connection, id, result.warnings));
  NEPH_CHECK(insert_list(connection, id, result.probes));
  NEPH_CHECK(insert_facts(connection, id, result));
  NEPH_CHECK(insert_answers(connection, id, result));
  NEPH_CHECK(insert_samples(connection, id, result));
  NEPH_CHECK(insert_series(connection, id, result));
  return id;
}

Result<std::vector<Run>> read_runs(const Connection& connection, Selection selection, Detail detail) {
  Assembly runs(connection, selection);
  NEPH_CHECK(runs.read_runs());
  NEPH_CHECK(read_lists(runs));
  if (detail == Detail::full) NEPH_CHECK(read_raw(runs));
  return runs.take();
}

Result<std::optional<std::int64_t>> number_of_machine(const Connection& connection, const Json& fingerprint,
                                                      std::int64_t experiment_id) {
  if (!fingerprint.is_object() || fingerprint.empty()) return std::nullopt;
  const auto machine = machine_of(fingerprint);
  NEPH_TRY(const auto same, find_same(connection, machine, experiment_id));
  if (same) return same;
  NEPH_TRY(auto insert, prepare_insert(connection));
  bind_row(insert, 1, machine);
  NEPH_CHECK(insert.run());
  return connection.last_row_id();
}

Result<std::vector<Machine>> read_machines(const Connection& connection, std::int64_t experiment_id) {
  NEPH_TRY(auto rows, prepare_select(connection,
                                     "JOIN (SELECT machine_id, min(id) AS first FROM run WHERE "
                                     "experiment_id = ? GROUP BY machine_id) ON machine_id = machine.id "
                                     "ORDER BY first",
                                     experiment_id));
  std::vector<Machine> machines;
  for (;;) {
    NEPH_TRY(const bool row, rows.next());
    if (!row) return machines;
    NEPH_CHECK(read_row(rows, 0, machines.emplace_back()));
  }
}

Status write_machines_of_experiments(const Connection& connection) {
  NEPH_TRY(auto rows, connection.prepare("SELECT machine FROM experiment GROUP BY machine ORDER BY min(id)"));
  std::vector<std::string> texts;
  for (;;) {
    NEPH_TRY(const bool row, rows.next());
    if (!row) break;
    texts.emplace_back(rows.text(0));
  }
  NEPH_TRY(auto insert, prepare_insert(connection));
  for (const auto& text : texts) {
    NEPH_TRY(Json fingerprint, parse_json(text, connection.path().string()));
    if (!fingerprint.is_object() || fingerprint.empty()) continue;
    const auto after = bind_row(insert, 1, machine_of(std::move(fingerprint)));
    insert.bind(after - 1, std::string_view(text));  // the very text, by which experiments are found
    NEPH_CHECK(insert.run());
  }
  return {};
}

}  // namespace neph::store
