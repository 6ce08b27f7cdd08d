#include "store/sqlite.hpp"

#include <cerrno>
#include <cmath>

#include <sqlite3.h>

namespace neph::store {

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::bind(int place, std::int64_t value) {
  bound_ &= sqlite3_bind_int64(handle_, place, value) == SQLITE_OK;
}

void Statement::bind(int place, double value) {
  bound_ &= sqlite3_bind_double(handle_, place, value) == SQLITE_OK;
}

void Statement::bind(int place, std::string_view text) {
  const char* start = text.data() ? text.data() : "";  // a null pointer would be bound as NULL
  bound_ &=
      sqlite3_bind_text64(handle_, place, start, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_OK;
}

void Statement::bind_blob(int place, const void* bytes, std::size_t size) {
  bound_ &= (size == 0 ? sqlite3_bind_zeroblob(handle_, place, 0)
                       : sqlite3_bind_blob64(handle_, place, bytes, size, SQLITE_STATIC)) == SQLITE_OK;
}

void Statement::bind_null(int place) { bound_ &= sqlite3_bind_null(handle_, place) == SQLITE_OK; }

Result<bool> Statement::next() {
  if (!bound_) return tl::unexpected(connection_->error());
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(connection_->error());
}

Status Statement::run() {
  const auto row = next();
  if (!row) return tl::unexpected(row.error());
  sqlite3_reset(handle_);
  return {};
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const {
  return is_null(column) ? std::nan("") : sqlite3_column_double(handle_, column);
}

std::string_view Statement::text(int column) const {
  const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return {start ? start : "", static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* start = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return {start ? start : "", static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

Status Connection::open(bool create, double wait_s) {
  // Also for reading: whoever opens the file after a crash must be able to roll the journal back. SQLite
  // itself falls back to reading where the file may not be written.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | (create ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr) != SQLITE_OK) return tl::unexpected(error());
  sqlite3_busy_timeout(handle_, static_cast<int>(wait_s * 1e3));
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return tl::unexpected(error());
  return Statement(*this, statement);
}

Status Connection::execute(const char* sql) const {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return tl::unexpected(error());
  return {};
}

Result<std::int64_t> Connection::number(std::string_view sql) const {
  NEPH_TRY(auto statement, prepare(sql));
  NEPH_TRY(const bool row, statement.next());
  return row ? statement.integer(0) : 0;
}

bool Connection::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

std::int64_t Connection::last_row_id() const { return sqlite3_last_insert_rowid(handle_); }

Error Connection::error() const {
  const int code = sqlite3_extended_errcode(handle_);
  const int number = sqlite3_system_errno(handle_);
  const auto name = path_.string();
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              fmt::format("{}: locked by another process; try again when it has finished", name)};
    case SQLITE_CORRUPT:
      return {ErrorCode::corrupt, fmt::format("{}: the store is damaged ({}); `sqlite3 {} .recover` may save "
                                              "what is left",
                                              name, sqlite3_errmsg(handle_), name)};
    case SQLITE_NOTADB:
      return {ErrorCode::corrupt, fmt::format("{}: not a store of neph (not an SQLite database)", name)};
    case SQLITE_FULL:
      return {ErrorCode::io, fmt::format("cannot write {}: no space left", name)};
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_DBMOVED)
        return {ErrorCode::not_found,
                fmt::format("cannot write {}: it was moved or deleted while it was in use", name)};
      return {ErrorCode::unavailable,
              fmt::format("cannot write {}: no permission for the file or its folder", name)};
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      if (number != 0) return system_error(fmt::format("cannot use {}", name), number);
      return {ErrorCode::io, fmt::format("cannot use {}: {}", name, sqlite3_errmsg(handle_))};
    case SQLITE_TOOBIG:
      return {ErrorCode::invalid_argument, fmt::format("{}: more than 1 GB in one value", name)};
    default:
      return {ErrorCode::internal, fmt::format("{}: {} (SQLite {})", name, sqlite3_errmsg(handle_), code)};
  }
}

Result<Transaction> Transaction::begin(const Connection& connection, Lock lock) {
  NEPH_CHECK(connection.execute(lock == Lock::write ? "BEGIN IMMEDIATE" : "BEGIN"));
  return Transaction(connection);
}

Transaction::~Transaction() {
  if (connection_) (void)connection_->execute("ROLLBACK");
}

Status Transaction::commit() {
  NEPH_CHECK(connection_->execute("COMMIT"));
  connection_ = nullptr;
  return {};
}

}  // namespace neph::store
