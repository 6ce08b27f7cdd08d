// SQLite with Result: a connection, a prepared statement, a transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace neph::store {

/// One row at a time. Values are bound from 1 and read from 0, as SQLite counts.
class Statement {
 public:
  Statement(Statement&& other) noexcept
      : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  void bind(int place, std::int64_t value);
  void bind(int place, double value);  ///< not a number is stored as NULL
  void bind(int place, std::string_view text);
  /// The bytes must live until the statement has run.
  void bind_blob(int place, const void* bytes, std::size_t size);
  void bind_null(int place);

  /// True: a row is there to be read. False: no more.
  Result<bool> next();
  /// Runs a statement that gives no rows, and makes it ready to run again.
  Status run();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  ///< valid until next()
  std::string_view blob(int column) const;  ///< valid until next()

 private:
  friend class Connection;
  Statement(const class Connection& connection, sqlite3_stmt* handle)
      : connection_(&connection), handle_(handle) {}
  const Connection* connection_;
  sqlite3_stmt* handle_;
  bool bound_ = true;  ///< every value could be bound (one may be too large)
};

/// Not movable: its statements point at it.
class Connection {
 public:
  explicit Connection(std::filesystem::path path) : path_(std::move(path)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// `create`: make the file when it does not exist.
  Status open(bool create, double wait_s);
  Result<Statement> prepare(std::string_view sql) const;
  /// Any number of statements that give no rows.
  Status execute(const char* sql) const;
  /// The one number that a statement gives.
  Result<std::int64_t> number(std::string_view sql) const;
  bool read_only() const;
  std::int64_t last_row_id() const;
  const std::filesystem::path& path() const { return path_; }

  /// The error of the last call, in words for people.
  Error error() const;

 private:
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

enum class Lock {
  shared,  ///< for reading: all statements see the same state of the file
  write    ///< for writing: taken at once, so that it is known before any work is done
};

/// Gives back all that was changed unless commit() succeeds.
class Transaction {
 public:
  static Result<Transaction> begin(const Connection& connection, Lock lock);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(const Connection& connection) : connection_(&connection) {}
  const Connection* connection_;
};

}  // namespace neph::store
