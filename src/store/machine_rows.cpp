#include "store/machine_rows.hpp"

#include <fmt/format.h>

#include "store/rows.hpp"

namespace neph::store {
namespace {

const std::string columns = fmt::format("{}", fmt::join(column_names<Machine>(), ", "));

/// The experiment's number is the one parameter of `order`.
Result<Statement> prepare_select(const Connection& connection, std::string_view order,
                                 std::int64_t experiment_id) {
  NEPH_TRY(auto rows, connection.prepare(fmt::format("SELECT {} FROM machine {}", columns, order)));
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
  return connection.prepare(fmt::format("INSERT INTO machine ({}) VALUES ({})", columns, places));
}

}  // namespace

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
