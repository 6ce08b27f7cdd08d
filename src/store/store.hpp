// The store: experiments and their runs in one SQLite file, and the only place with SQL.
//
// What it is: a file that outlives everything. A run is written in one transaction the moment it ends, so the
// death of the program at any moment loses nothing that was stored; what is read is exactly what was written.
// docs/STORE.md describes the tables, for people with the sqlite3 shell.
//
// What it does not do: decide what to run, judge or sum up.
//
// Why a rollback journal and not a write-ahead log: there is one short write per run, so nothing is gained by
// the log; the journal leaves a single file at rest, works on network file systems, and the file can be
// copied or read from read-only media at any moment between runs (https://sqlite.org/wal.html, section 1,
// lists these disadvantages of WAL). Readers and the writer wait for each other, milliseconds at a time.
//
// Threads: a Store belongs to one thread at a time; any number of processes may share the file.
// Ownership: owns the connection; closing it leaves no other file beside the store.
// Cost: opening 0.3 ms; storing a run of 500 samples and a minute of telemetry (0.24 MB) 1.4 ms and what the
// disk needs to make it safe; 1000 such runs in summary 0.1 s, in full 1 s.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "record/experiment.hpp"
#include "record/machine.hpp"

namespace neph::store {

enum class Access {
  read,  ///< the file must exist; nothing is ever changed
  write  ///< the file is made when it does not exist
};

enum class Detail {
  summary,  ///< without samples, series and answers: what tables and lists need
  full      ///< everything
};

/// Subject of the error of Store::add_run() where the store has such a run.
inline constexpr std::string_view ended_already = "repeat";

class Store {
 public:
  /// `wait_s`: how long any call waits for another process to let go of the file.
  /// Errors: not_found (no such file or folder), unavailable (no permission, locked by another process),
  /// unsupported (written by a newer neph: names its version), corrupt (damaged, or not a database),
  /// invalid_argument (a folder, or a database of something else).
  static Result<Store> open(const std::filesystem::path& path, Access access, double wait_s = 5);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::filesystem::path& path() const;

  /// Keeps the experiment with the names of its cells and gives it a number; `experiment.id` is not read.
  /// Errors: io (disk full), unavailable (locked), corrupt; so all functions below.
  Result<std::int64_t> create_experiment(const Experiment& experiment, const std::vector<Cell>& cells);

  /// Other repeats for an experiment that is resumed, but no fewer than have ended. not_found: no such id.
  Status set_repeat(std::int64_t experiment_id, std::int64_t repeat);

  /// The latency limit that the experiment is now asked with; 0: none.
  Status set_latency_limit(std::int64_t experiment_id, double limit_s);

  /// What the machine costs, and how it is billed; empty: not known.
  Status set_price(std::int64_t experiment_id, std::string_view price, std::string_view rule);

  /// Oldest first.
  Result<std::vector<Experiment>> experiments() const;
  /// not_found names the numbers that exist.
  Result<Experiment> experiment(std::int64_t id) const;
  /// The newest; not_found when there is none.
  Result<Experiment> latest() const;

  /// One transaction: all of it or nothing. `machine`: fingerprint of where it was made; null: not known.
  /// `run.id` and `run.machine_id` are not read. unavailable: this repeat of this cell has ended already
  /// (another process conducts the same experiment); an interrupted one may be repeated.
  Result<std::int64_t> add_run(const Run& run, const Json& machine = nullptr);

  /// Where add_run() fails: writes the run into a file of JSON beside the store, "neph.db.run-1-0-1.json"
  /// (experiment, cell, repeat from 1), and returns its path. Errors: those of writing it.
  Result<std::filesystem::path> keep_beside(const Experiment& experiment, const Run& run,
                                            const Json& machine) const;
  /// Stores those runs, each once, removes their files, and returns how many there were. Errors: of one of
  /// them, which stays where it is.
  Result<std::int64_t> take_in();

  /// Those that the experiment's runs were made on, in the order of their first runs.
  Result<std::vector<Machine>> machines(std::int64_t experiment_id) const;

  /// In the order in which they ended. An experiment that does not exist has none.
  Result<std::vector<Run>> runs(std::int64_t experiment_id, Detail detail) const;
  /// With everything. Errors: not_found.
  Result<Run> run(std::int64_t id) const;

  /// (cell, repeat) of all runs that ended ok or failed: those that a resumed experiment does not repeat.
  Result<std::set<std::pair<std::int64_t, std::int64_t>>> finished(std::int64_t experiment_id) const;

 private:
  struct File;
  explicit Store(std::unique_ptr<File> file);
  Status take_in(const std::filesystem::path& file);
  std::unique_ptr<File> file_;
};

}  // namespace neph::store
