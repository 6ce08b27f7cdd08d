#include "store/schema.hpp"

#include <string>

namespace neph::store {
namespace {

// `place` keeps the order of a list. Samples, series and answers are blobs in tables of their own, so that
// lists of runs do not read past them. Times are in seconds, the unit is the end of a column's name.
constexpr const char* tables = R"sql(
CREATE TABLE experiment (
  id INTEGER PRIMARY KEY, created TEXT NOT NULL, workload TEXT NOT NULL, spec TEXT NOT NULL,
  factors TEXT NOT NULL, idle TEXT NOT NULL, repeat INTEGER NOT NULL, seed TEXT NOT NULL, machine TEXT NOT NULL,
  version TEXT NOT NULL, command TEXT NOT NULL, latency_limit_s REAL NOT NULL DEFAULT 0);

CREATE TABLE cell (
  experiment_id INTEGER NOT NULL REFERENCES experiment, cell INTEGER NOT NULL, label TEXT NOT NULL,
  factors TEXT NOT NULL, PRIMARY KEY (experiment_id, cell)) WITHOUT ROWID;

CREATE TABLE run (
  id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL REFERENCES experiment, cell INTEGER NOT NULL,
  repeat INTEGER NOT NULL, position INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  started TEXT NOT NULL, wall_s REAL, repro TEXT NOT NULL, answers_checksum TEXT NOT NULL);
CREATE INDEX run_of_experiment ON run (experiment_id);
CREATE UNIQUE INDEX run_ends_once ON run (experiment_id, cell, repeat) WHERE status <> 'interrupted';

CREATE TABLE phase (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, name TEXT NOT NULL, begin_s REAL,
  end_s REAL, PRIMARY KEY (run_id, place)) WITHOUT ROWID;

CREATE TABLE figure (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL,
  value REAL, low REAL, high REAL, n INTEGER NOT NULL, PRIMARY KEY (run_id, place)) WITHOUT ROWID;

CREATE TABLE stage (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, name TEXT NOT NULL, busy_s REAL,
  items INTEGER NOT NULL, PRIMARY KEY (run_id, place)) WITHOUT ROWID;

CREATE TABLE telemetry (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, target TEXT NOT NULL, name TEXT NOT NULL,
  unit TEXT NOT NULL, mean REAL, max REAL, min REAL, unavailable TEXT NOT NULL,
  PRIMARY KEY (run_id, place)) WITHOUT ROWID;

CREATE TABLE warning (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL,
  advice TEXT NOT NULL, weight TEXT NOT NULL, PRIMARY KEY (run_id, place)) WITHOUT ROWID;

CREATE TABLE fact (
  run_id INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (run_id, name)) WITHOUT ROWID;

CREATE TABLE answers (run_id INTEGER PRIMARY KEY REFERENCES run, classes BLOB NOT NULL);

CREATE TABLE sample (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (run_id, place));

CREATE TABLE moments (
  run_id INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, at_s BLOB NOT NULL,
  PRIMARY KEY (run_id, number));

CREATE TABLE series (
  run_id INTEGER NOT NULL REFERENCES run, place INTEGER NOT NULL, target TEXT NOT NULL, name TEXT NOT NULL,
  unit TEXT NOT NULL, unavailable TEXT NOT NULL, moments INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (run_id, place));

CREATE VIEW measured AS
  SELECT run.experiment_id AS experiment, cell.label AS cell, run.repeat, run.status, figure.name,
         figure.value, figure.low, figure.high, figure.n, figure.unit
  FROM run JOIN figure ON figure.run_id = run.id LEFT JOIN cell USING (experiment_id, cell)
  ORDER BY run.experiment_id, run.cell, run.repeat, figure.place;
)sql";

/// Of the searches for a rate. `which`: TABLE, or TEMP TABLE.
std::string probe_table(std::string_view which) {
  return fmt::format(R"sql(CREATE {} probe (
  run_id INTEGER NOT NULL, place INTEGER NOT NULL, rate_per_s REAL, outcome TEXT NOT NULL,
  is_fresh INTEGER NOT NULL, measurements INTEGER NOT NULL, late INTEGER NOT NULL, requests INTEGER NOT NULL,
  percentile REAL, value REAL, low REAL, high REAL, n INTEGER NOT NULL, requests_to_tell INTEGER NOT NULL,
  undecided TEXT NOT NULL, PRIMARY KEY (run_id, place)) WITHOUT ROWID;)sql",
                     which);
}

// Schema 3 lacks this table and a column. A store that may be written is given both; one that is only read
// has them beside it for as long as it is open.
constexpr const char* new_column =
    "ALTER TABLE experiment ADD COLUMN latency_limit_s REAL NOT NULL DEFAULT 0;";
constexpr const char* view_with_column =
    "CREATE TEMP VIEW experiment AS SELECT *, 0.0 AS latency_limit_s FROM main.experiment;";

struct Marks {
  std::int64_t application = 0;
  std::int64_t schema = 0;
  std::int64_t objects = 0;  ///< tables, indexes, views
  bool is_new() const { return application == 0 && schema == 0 && objects == 0; }
};

Result<Marks> read_marks(const Connection& connection) {
  Marks marks;
  NEPH_TRY(marks.application, connection.number("PRAGMA application_id"));
  NEPH_TRY(marks.schema, connection.number("PRAGMA user_version"));
  NEPH_TRY(marks.objects, connection.number("SELECT count(*) FROM sqlite_schema"));
  return marks;
}

/// experiment.version is part of every schema, so that an older neph can say what made the file.
std::string maker(const Connection& connection) {
  auto statement = connection.prepare("SELECT version FROM experiment ORDER BY id DESC LIMIT 1");
  if (statement)
    if (const auto row = statement->next(); row && *row) return fmt::format("neph {}", statement->text(0));
  return "a newer neph";
}

Status refuse_foreign(const Connection& connection, const Marks& marks) {
  const auto name = connection.path().string();
  if (marks.application != application_id)
    return fail(ErrorCode::invalid_argument,
                "{}: an SQLite database, but not a store of neph; give another name", name);
  if (marks.schema > schema_version)
    return fail(
        ErrorCode::unsupported,
        "{}: written by {} (schema {}); this neph knows schemas up to {}: update it, or use another store",
        name, maker(connection), marks.schema, schema_version);
  if (marks.schema < oldest_schema)
    return fail(ErrorCode::unsupported,
                "{}: its schema {} is from before the first release and not read any more; use another store",
                name, marks.schema);
  return {};
}

}  // namespace

Status prepare_for_writing(const Connection& connection) {
  if (connection.read_only())
    return fail(ErrorCode::unavailable, "cannot write {}: no permission for the file",
                connection.path().string());
  NEPH_CHECK(connection.execute("PRAGMA foreign_keys = ON"));
  NEPH_TRY(Marks marks, read_marks(connection));
  if (!marks.is_new()) NEPH_CHECK(refuse_foreign(connection, marks));
  // Takes the lock and opens the journal, so that a folder that cannot be written is known before the first
  // run and not after it; what it writes is what stands there, and it is rolled back unless tables are made.
  NEPH_TRY(auto transaction, Transaction::begin(connection, Lock::write));
  NEPH_TRY(marks, read_marks(connection));  // another process may have made the tables since
  const auto seal =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, schema_version);
  NEPH_CHECK(connection.execute(seal.c_str()));
  if (marks.schema == schema_version) return {};
  NEPH_CHECK(connection.execute(marks.is_new() ? tables : new_column));
  NEPH_CHECK(connection.execute(probe_table("TABLE").c_str()));
  return transaction.commit();
}

Status prepare_for_reading(const Connection& connection) {
  NEPH_TRY(const Marks marks, read_marks(connection));
  if (marks.is_new())
    return fail(ErrorCode::not_found, "{}: no experiments yet; `neph infer` makes the first",
                connection.path().string());
  NEPH_CHECK(refuse_foreign(connection, marks));
  if (marks.schema < schema_version) {
    NEPH_CHECK(connection.execute(probe_table("TEMP TABLE").c_str()));
    NEPH_CHECK(connection.execute(view_with_column));
  }
  return connection.execute("PRAGMA query_only = ON");
}

}  // namespace neph::store
