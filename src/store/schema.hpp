// The tables, and whether a file has them. docs/STORE.md tells the same for people.
#pragma once

#include "store/sqlite.hpp"

namespace neph::store {

/// PRAGMA application_id of every store: "NEPH".
inline constexpr std::int64_t application_id = 0x4e455048;
/// PRAGMA user_version. A change of the tables is a new number.
inline constexpr std::int64_t schema_version = 6;
/// The oldest that is read as it is, what it lacks being empty; opened for writing it becomes the newest.
inline constexpr std::int64_t oldest_schema = 3;

/// Makes the tables in a new file; brings those of an older schema up to date; refuses a file that is not
/// ours or of an unknown schema.
Status prepare_for_writing(const Connection& connection);
/// Refuses a file without our tables, or of an unknown schema. What an older one lacks stands beside it, in
/// the connection, for as long as it is open.
Status prepare_for_reading(const Connection& connection);

}  // namespace neph::store
