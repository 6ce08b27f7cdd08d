#include "serve/batching.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/values.hpp"

namespace neph::serve {
namespace {

Result<std::int64_t> size_of(const std::string& text, std::int64_t most) {
  const auto number = value_as_json<std::int64_t>(text);
  if (!number.is_number_integer() || number.get<double>() < 1 ||
      number.get<double>() > static_cast<double>(most))
    return fail(ErrorCode::invalid_argument,
                "batch sizes: '{}' is not a whole number from 1 to max_batch, which is {}", text, most);
  return number.get<std::int64_t>();
}

/// Ascending; the largest is max_batch.
Result<std::vector<std::int64_t>> batch_sizes(const ModelOptions& options) {
  std::vector<std::int64_t> sizes{options.max_batch};
  if (options.batch_sizes.empty()) {
    for (std::int64_t size = 1; size < options.max_batch; size *= 2) sizes.push_back(size);
  } else {
    NEPH_TRY(const auto texts, expand_values(options.batch_sizes));
    for (const auto& text : texts) {
      NEPH_TRY(const auto size, size_of(text, options.max_batch));
      sizes.push_back(size);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Executions side by side want a stream each: else the engine would have them queue.
std::int64_t streams_of(const ModelOptions& options) {
  if (options.runtime.streams > 0) return options.runtime.streams;
  return options.instances > 1 ? options.instances : 0;
}

using Ports = std::vector<engine::Port>;

/// With what a configuration fixes of their open dimensions.
Ports inputs_of(const engine::Model& model, const ModelOptions& options) {
  return narrowed(model.inputs(), options.declared.inputs, options.declared.has_batch());
}

/// The shapes that are fixed for inputs which the model leaves open; of a batch its `rows` count.
std::map<std::string, std::vector<std::int64_t>> fixed_shapes(const engine::Model& model, const Ports& wanted,
                                                              std::int64_t rows) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto shape = wanted[i].shape;
    if (shape == model.inputs()[i].shape) continue;
    if (rows > 0 && !shape.empty()) shape.front() = rows;
    if (std::all_of(shape.begin(), shape.end(), [](auto size) { return size >= 0; }))
      shapes[wanted[i].name] = std::move(shape);
  }
  return shapes;
}

/// Rows 0: no batch.
engine::Options engine_options(const engine::Model& model, const ModelOptions& options, std::int64_t rows) {
  auto chosen = engine::options_of(options.runtime);
  chosen.batch = rows;
  chosen.shapes = fixed_shapes(model, inputs_of(model, options), rows);
  chosen.streams = streams_of(options);
  chosen.hint = options.instances == 1 ? engine::Hint::latency : engine::Hint::throughput;
  return chosen;
}

/// Why a port has no batch in front; empty: it has.
std::string no_batch(const char* kind, const engine::Port& port, bool rest_must_be_fixed) {
  const auto about = [&](const char* what) {
    return fmt::format("{} '{}' {} {}", kind, port.name, what, engine::shape_text(port.shape));
  };
  if (port.element == engine::Element::text) return fmt::format("{} '{}' is text", kind, port.name);
  if (port.open_rank) return fmt::format("{} '{}' has any number of dimensions", kind, port.name);
  if (port.shape.empty()) return about("is a single number:");
  if (port.shape.front() >= 0) return about("has the fixed first dimension of");
  const bool open = std::any_of(port.shape.begin() + 1, port.shape.end(), [](auto size) { return size < 0; });
  return open && rest_must_be_fixed ? about("is open beyond its first dimension:") : std::string();
}

/// What the file says; empty: all has a batch in front.
std::string no_batch(const engine::Model& model, const ModelOptions& options) {
  if (model.inputs().empty()) return "the model has no inputs";
  for (const auto& port : inputs_of(model, options))
    if (auto reason = no_batch("input", port, true); !reason.empty()) return reason;
  for (const auto& port : model.outputs())
    if (auto reason = no_batch("output", port, false); !reason.empty()) return reason;
  return {};
}

/// What shows only when shapes are chosen: an output that does not follow the batch.
Status check_outputs(const engine::Session& session, std::int64_t rows) {
  for (const auto& port : session.outputs())
    if (port.is_open() || port.shape.empty() || port.shape.front() != rows)
      return fail(ErrorCode::unsupported, "with {} rows output '{}' has the shape {}", rows, port.name,
                  engine::shape_text(port.shape));
  return {};
}

Result<std::vector<SizedSession>> compile_sizes(engine::Model& model, const ModelOptions& options) {
  NEPH_TRY(const auto sizes, batch_sizes(options));
  std::vector<SizedSession> sessions;
  for (const auto rows : sizes) {
    NEPH_TRY(auto session, model.compile(engine_options(model, options, rows)));
    NEPH_CHECK(check_outputs(*session, rows));
    sessions.push_back({.rows = rows, .session = std::move(session)});
  }
  return sessions;
}

Result<Plan> unbatched(engine::Model& model, const ModelOptions& options, std::string reason) {
  NEPH_CHECK(batch_sizes(options));  // what makes no sense is refused all the same
  Plan plan{.reason = std::move(reason)};
  NEPH_TRY(auto session, model.compile(engine_options(model, options, 0)));
  plan.sessions.push_back({.rows = 1, .session = std::move(session)});
  return plan;
}

/// The session of that size, compiled if it is not among those that will serve.
Result<engine::Session*> session_of(engine::Model& model, const ModelOptions& options, std::int64_t rows,
                                    const std::vector<SizedSession>& sessions,
                                    std::unique_ptr<engine::Session>& made) {
  for (const auto& each : sessions)
    if (each.rows == rows) return each.session.get();
  NEPH_TRY(made, model.compile(engine_options(model, options, rows)));
  return made.get();
}

/// At the smallest size that joins rows and at the largest: the place of a row and how many stand beside it
/// are seen in that one. Empty: rows may run together.
Result<std::string> try_rows(engine::Model& model, const ModelOptions& options, std::int64_t integers_below,
                             const std::vector<SizedSession>& sessions) {
  const auto second =
      std::find_if(sessions.begin(), sessions.end(), [](auto& each) { return each.rows > 1; });
  const auto rows = second == sessions.end() ? std::int64_t{2} : second->rows;
  std::unique_ptr<engine::Session> one, several;
  NEPH_TRY(auto* alone, session_of(model, options, 1, sessions, one));
  NEPH_TRY(auto* together, session_of(model, options, rows, sessions, several));
  NEPH_TRY(auto difference, engine::rows_that_differ(*alone, *together, rows, integers_below));
  const auto& largest = sessions.back();
  if (!difference.empty() || largest.rows <= rows) return difference;
  return engine::rows_that_differ(*alone, *largest.session, largest.rows, integers_below);
}

double per_row(double seconds, std::int64_t rows) { return seconds / static_cast<double>(rows); }

}  // namespace

Result<Plan> plan_sessions(engine::Model& model, const ModelOptions& options) {
  if (options.batching == Batching::off) return unbatched(model, options, "as asked");
  if (auto reason = no_batch(model, options); !reason.empty())
    return unbatched(model, options, std::move(reason));
  const auto facts = model.rows_are_independent() ? engine::RowFacts{} : model.row_facts();
  if (!facts.state.empty()) return unbatched(model, options, facts.state);
  if (options.batching == Batching::automatic && !facts.coupling.empty())
    return unbatched(model, options, facts.coupling);
  auto sessions = compile_sizes(model, options);
  // Layers that take one batch only, outputs that do not begin with it: the file promised more than it holds.
  if (!sessions && sessions.error().code == ErrorCode::unsupported)
    return unbatched(model, options, sessions.error().text());
  if (!sessions) return tl::unexpected(std::move(sessions).error());
  if (options.batching == Batching::automatic && !model.rows_are_independent()) {
    auto difference = try_rows(model, options, facts.integers_below, *sessions);
    const auto reason =
        difference ? *difference : "its rows could not be tried: " + difference.error().text();
    if (!reason.empty()) {
      sessions->clear();  // first: not both at once
      return unbatched(model, options, reason);
    }
  }
  return Plan{.sessions = *std::move(sessions), .batched = true};
}

std::size_t smallest_holding(std::span<const SizeCost> sizes, std::int64_t rows) {
  return static_cast<std::size_t>(
      std::lower_bound(sizes.begin(), sizes.end(), rows,
                       [](const SizeCost& size, std::int64_t wanted) { return size.rows < wanted; }) -
      sizes.begin());
}

BatchPlan plan_batch(std::span<const std::int64_t> queue, std::span<const SizeCost> sizes, bool may_wait) {
  BatchPlan best;
  double least = 0;
  std::int64_t rows = 0;
  for (std::size_t taken = 0; taken < queue.size(); ++taken) {
    rows += queue[taken];
    const auto size = smallest_holding(sizes, rows);
    if (size == sizes.size()) break;
    const double cost = per_row(sizes[size].seconds, rows);
    if (best.requests > 0 && cost > least) continue;
    best = {.requests = taken + 1, .size = size};
    least = cost;
  }
  if (!may_wait || rows >= sizes.back().rows) return best;
  const bool waiting_pays = std::any_of(sizes.begin(), sizes.end(), [&](const SizeCost& size) {
    return size.rows > rows && per_row(size.seconds, size.rows) < least;
  });
  return waiting_pays ? BatchPlan{} : best;
}

}  // namespace neph::serve
