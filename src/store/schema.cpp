#include "store/schema.hpp"

#include <string>

#include "store/run_rows.hpp"

namespace neph::store {
namespace {

// `place` keeps the order of a list. Samples, series and answers are blobs in tables of their own, so that
// lists of runs do not read past them. Times are in seconds, the unit is the end of a column's name.
constexpr const char* tables = R"sql(
CREATE TABLE experiment (
  id INTEGER PRIMARY KEY, created TEXT NOT NULL, workload TEXT NOT NULL, spec TEXT NOT NULL,
  factors TEXT NOT NULL, idle TEXT NOT NULL, repeat INTEGER NOT NULL, seed TEXT NOT NULL,
  version TEXT NOT NULL, command TEXT NOT NULL, latency_limit_s REAL NOT NULL DEFAULT 0,
  price TEXT NOT NULL DEFAULT '', price_rule TEXT NOT NULL DEFAULT '');

CREATE TABLE cell (
  experiment_id INTEGER NOT NULL REFERENCES experiment, cell INTEGER NOT NULL, label TEXT NOT NULL,
  factors TEXT NOT NULL, PRIMARY KEY (experiment_id, cell)) WITHOUT ROWID;

CREATE TABLE run (
  id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL REFERENCES experiment, cell INTEGER NOT NULL,
  repeat INTEGER NOT NULL, position INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  machine_id INTEGER REFERENCES machine, started TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '', wall_s REAL,
  host_begin_s REAL, host_end_s REAL, repro TEXT NOT NULL, answers_checksum TEXT NOT NULL);
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

/// `which`: as above.
std::string machine_table(std::string_view which) {
  return fmt::format(R"sql(CREATE {} machine (
  id INTEGER PRIMARY KEY, provider TEXT NOT NULL, instance_type TEXT NOT NULL, processor TEXT NOT NULL,
  cores REAL, memory_bytes INTEGER, gpu TEXT NOT NULL, gpus INTEGER NOT NULL, fingerprint TEXT NOT NULL);)sql",
                     which);
}

// ---- Older schemas
// 3 lacks the probes and the latency limit. 3 and 4 know one machine an experiment, and neither a run's end
// nor the clock of its host. 3 to 5 know no prices. A store that may be written is changed; one that is only
// read has the tables and columns beside it for as long as it is open.

Status add_probes(const Connection& connection) {
  NEPH_CHECK(connection.execute(probe_table("TABLE").c_str()));
  return connection.execute("ALTER TABLE experiment ADD COLUMN latency_limit_s REAL NOT NULL DEFAULT 0;");
}

Status add_machines(const Connection& connection) {
  NEPH_CHECK(connection.execute(machine_table("TABLE").c_str()));
  NEPH_CHECK(connection.execute(R"sql(
    ALTER TABLE run ADD COLUMN machine_id INTEGER REFERENCES machine;
    ALTER TABLE run ADD COLUMN ended TEXT NOT NULL DEFAULT '';
    ALTER TABLE run ADD COLUMN host_begin_s REAL;
    ALTER TABLE run ADD COLUMN host_end_s REAL;)sql"));
  NEPH_CHECK(write_machines_of_experiments(connection));
  return connection.execute(R"sql(
    UPDATE run SET machine_id = (SELECT machine.id FROM experiment JOIN machine
      ON machine.fingerprint = experiment.machine WHERE experiment.id = run.experiment_id);
    ALTER TABLE experiment DROP COLUMN machine;)sql");
}

Status add_price(const Connection& connection) {
  return connection.execute(R"sql(
    ALTER TABLE experiment ADD COLUMN price TEXT NOT NULL DEFAULT '';
    ALTER TABLE experiment ADD COLUMN price_rule TEXT NOT NULL DEFAULT '';)sql");
}

Status bring_up_to_date(const Connection& connection, std::int64_t schema) {
  if (schema < 4) NEPH_CHECK(add_probes(connection));
  if (schema < 5) NEPH_CHECK(add_machines(connection));
  return add_price(connection);
}

Status lend_what_is_lacking(const Connection& connection, std::int64_t schema) {
  if (schema < 4) NEPH_CHECK(connection.execute(probe_table("TEMP TABLE").c_str()));
  NEPH_CHECK(connection.execute(
      fmt::format(
          "CREATE TEMP VIEW experiment AS SELECT *, {} '' AS price, '' AS price_rule FROM main.experiment;",
          schema < 4 ? "0.0 AS latency_limit_s," : "")
          .c_str()));
  if (schema >= 5) return {};
  NEPH_CHECK(connection.execute(machine_table("TEMP TABLE").c_str()));
  NEPH_CHECK(write_machines_of_experiments(connection));
  return connection.execute(R"sql(
    CREATE TEMP VIEW run AS SELECT *, (SELECT machine.id FROM main.experiment JOIN temp.machine
        ON machine.fingerprint = experiment.machine WHERE experiment.id = main.run.experiment_id) AS machine_id,
      '' AS ended, NULL AS host_begin_s, NULL AS host_end_s FROM main.run;)sql");
}

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
  if (marks.is_new()) {
    NEPH_CHECK(connection.execute(tables));
    NEPH_CHECK(connection.execute(probe_table("TABLE").c_str()));
    NEPH_CHECK(connection.execute(machine_table("TABLE").c_str()));
  } else {
    NEPH_CHECK(bring_up_to_date(connection, marks.schema));
  }
  return transaction.commit();
}

Status prepare_for_reading(const Connection& connection) {
  NEPH_TRY(const Marks marks, read_marks(connection));
  if (marks.is_new())
    return fail(ErrorCode::not_found, "{}: no experiments yet; `neph infer` makes the first",
                connection.path().string());
  NEPH_CHECK(refuse_foreign(connection, marks));
  if (marks.schema < schema_version) NEPH_CHECK(lend_what_is_lacking(connection, marks.schema));
  return connection.execute("PRAGMA query_only = ON");
}

}  // namespace neph::store
