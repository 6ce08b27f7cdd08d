#include "serve/shaped_sessions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "core/shapes.hpp"
#include "os/memory.hpp"
#include "os/thread.hpp"
#include "stats/stats.hpp"

namespace neph::serve {
namespace {

/// Shapes that are told apart; of more the one that has taken the least time is forgotten.
constexpr std::size_t most_known = 64;
/// What requests of one shape take, before a session is compiled for it: this, and so many compilations.
constexpr double least_spent_s = 1;
constexpr double compilations = 5;
/// A session that did not pay makes others of its model wait for longer.
constexpr double patience = 8;
/// Executions of each kind that are compared; of the new session's the first ones are warm-up.
constexpr std::size_t compared = 15, warm_up = 2;
constexpr double least_gain = 1.05;

/// Of rounding: what sessions of the same model may differ by.
template <class Number>
bool are_alike(const std::byte* a, const std::byte* b, std::size_t bytes) {
  std::vector<Number> one(bytes / sizeof(Number)), other(bytes / sizeof(Number));
  std::memcpy(one.data(), a, bytes);
  std::memcpy(other.data(), b, bytes);
  double largest = 0;
  for (const auto value : one)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))) continue;
    if (!std::isfinite(one[i]) || !std::isfinite(other[i])) return false;
    const double off = std::abs(static_cast<double>(one[i]) - static_cast<double>(other[i]));
    if (!(off <= 0.002 * std::abs(static_cast<double>(one[i])) + 0.0001 * largest)) return false;
  }
  return true;
}

bool are_alike(engine::Element element, const engine::OpenOutput& a, const engine::OpenOutput& b) {
  if (a.shape != b.shape || a.bytes != b.bytes) return false;
  if (element == engine::Element::f32) return are_alike<float>(a.data, b.data, a.bytes);
  if (element == engine::Element::f64) return are_alike<double>(a.data, b.data, a.bytes);
  return a.bytes == 0 || std::memcmp(a.data, b.data, a.bytes) == 0;
}

/// For one more session, however many pieces of it come at once.
bool has_memory_left() { return available_memory().value_or(UINT64_MAX) / 2 >= resident_memory(); }

/// What `neph serve --shape` takes for the same.
std::string text_of(const std::vector<wire::Shape>& shapes, const Signature& signature) {
  InputShapes open;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (const auto& input = signature.inputs[i]; input.open)
      open[shapes.size() > 1 ? input.name : ""] = {shapes[i].begin(), shapes[i].end()};
  return shapes_text(open);
}

}  // namespace

struct ShapedSessions::Known {
  std::vector<wire::Shape> shapes;
  double spent_s = 0, inherited_s = 0;  ///< of the one whose place it took
  bool was_compiled_for = false;
  std::unique_ptr<ShapedSession> session;
  std::int64_t users = 0;  ///< executions that are in the session, or about to be
  std::int64_t executions = 0;
  double gain = 0;                   ///< once it is used; 0: it is being tried
  bool is_dropped = false;           ///< it goes when nobody uses it
  bool is_its_turn = false;          ///< while it is being tried
  std::vector<double> any_s, own_s;  ///< of executions while it is being tried
};

struct ShapedSessions::Candidate {
  std::vector<wire::Shape> shapes;
  std::vector<AlignedFloats> inputs;
  std::vector<std::size_t> bytes;
};

ShapedSessions::ShapedSessions(Home home)
    : home_(std::move(home)), threshold_s_(std::max(least_spent_s, compilations * home_.compile_s)) {
  known_.reserve(most_known);
  worker_ = start_thread("shapes", [this](const std::stop_token& stop) { work(stop); });
}

ShapedSessions::~ShapedSessions() = default;

bool ShapedSessions::are_for(const Signature& signature) {
  const auto is_text = [](const Field& field) { return field.type == wire::DataType::bytes; };
  return !signature.batched && signature.payload == Payload::tensor && signature.has_open_inputs() &&
         std::none_of(signature.inputs.begin(), signature.inputs.end(), is_text);
}

// ---- While requests are served

/// Only shapes of open inputs say something.
ShapedSessions::Known& ShapedSessions::known(const Job& job) {
  const auto is_same = [&](const Known& known) {
    for (std::size_t i = 0; i < known.shapes.size(); ++i)
      if (home_.signature.inputs[i].open && !(known.shapes[i] == job.shapes[i])) return false;
    return true;
  };
  if (const auto found = std::find_if(known_.begin(), known_.end(), is_same); found != known_.end())
    return *found;
  if (known_.size() < most_known) return known_.emplace_back(Known{.shapes = job.shapes});
  const auto time_of = [](const Known& known) { return known.was_compiled_for ? HUGE_VAL : known.spent_s; };
  auto& least = *std::min_element(known_.begin(), known_.end(),
                                  [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  // One that comes often is seen however many others there are (Metwally et al., Space-Saving, ICDT 2005).
  return least = Known{.shapes = job.shapes, .spent_s = least.spent_s, .inherited_s = least.spent_s};
}

ShapedSession* ShapedSessions::choose(const Job& job) {
  const std::scoped_lock lock(mutex_);
  auto& shape = known(job);
  if (!shape.session || shape.is_dropped) return nullptr;
  if (shape.gain == 0 && !std::exchange(shape.is_its_turn, !shape.is_its_turn)) return nullptr;
  ++shape.users;
  return shape.session.get();
}

void ShapedSessions::ended(const Job& job, const Execution& execution) {
  std::unique_lock lock(mutex_);
  auto& shape = known(job);
  const bool is_own = execution.session != nullptr;
  if (is_own || execution.failed != nullptr) --shape.users;
  if (execution.infer) {
    const double took_s = seconds(*execution.infer);
    shape.spent_s += took_s;
    if (is_own) ++shape.executions;
    if (execution.failed != nullptr && !shape.is_dropped) drop(shape);
    if (shape.session && shape.gain == 0 && !shape.is_dropped) {
      (is_own ? shape.own_s : shape.any_s).push_back(took_s);
      judge(shape);
    }
    const bool is_worth_it = shape.spent_s - shape.inherited_s >= threshold_s_ && !shape.was_compiled_for;
    if (is_worth_it && !candidate_ && !is_proposing_ && sessions_ < home_.most) propose(job, shape, lock);
  }
  if (shape.is_dropped) woken_.notify_all();
}

/// The job's inputs are copied, without the lock: they go with its reply. No entry goes that was compiled
/// for.
void ShapedSessions::propose(const Job& job, Known& known, std::unique_lock<std::mutex>& lock) {
  known.was_compiled_for = is_proposing_ = true;
  auto candidate = std::make_unique<Candidate>(Candidate{.shapes = known.shapes, .inputs = {}, .bytes = {}});
  lock.unlock();
  for (const auto input : job.inputs) {
    auto memory = allocate_floats(input.size() / sizeof(float) + 1);
    if (memory && !input.empty()) std::memcpy(memory.get(), input.data(), input.size());
    candidate->inputs.push_back(std::move(memory));
    candidate->bytes.push_back(input.size());
  }
  lock.lock();
  is_proposing_ = false;
  const auto is_missing = [](const AlignedFloats& memory) { return memory == nullptr; };
  if (std::ranges::any_of(candidate->inputs, is_missing)) return;
  candidate_ = std::move(candidate);
  woken_.notify_all();
}

/// When enough of both kinds have run: whether it stays.
void ShapedSessions::judge(Known& known) {
  if (known.own_s.size() < compared + warm_up || known.any_s.size() < compared) return;
  const double gain = stats::median(known.any_s) / stats::median(std::span(known.own_s).subspan(warm_up));
  known.any_s = known.own_s = {};
  if (gain >= least_gain) {
    known.gain = gain;
    return;
  }
  drop(known);
}

void ShapedSessions::drop(Known& known) {
  known.is_dropped = true;
  known.gain = 0;
  known.any_s = known.own_s = {};
  threshold_s_ *= patience;
}

std::vector<ShapedSessions::Told> ShapedSessions::told() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Told> all;
  for (const auto& known : known_)
    if (known.gain > 0) all.push_back({text_of(known.shapes, home_.signature), known.gain, known.executions});
  return all;
}

// ---- Beside them

void ShapedSessions::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto may_go = [](const Known& known) {
    return known.session && known.is_dropped && known.users == 0;
  };
  const auto going = [&] { return std::find_if(known_.begin(), known_.end(), may_go); };
  const auto has_work = [&] { return candidate_ || going() != known_.end(); };
  while (woken_.wait(lock, stop, has_work) && !stop.stop_requested()) {
    if (const auto known = going(); known != known_.end()) {
      auto gone = std::move(known->session);
      --sessions_;
      lock.unlock();
      gone.reset();
      lock.lock();
    } else {
      make_session(lock, stop);
    }
  }
}

/// Of the candidate. The lock is free while it is compiled.
void ShapedSessions::make_session(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  lock.unlock();
  const auto begin = home_.clock.now();
  auto made = compile(*candidate_, stop);
  const double took_s = seconds(home_.clock.now() - begin);
  lock.lock();
  threshold_s_ = std::max(threshold_s_, compilations * took_s);
  const auto its = std::find_if(known_.begin(), known_.end(),
                                [&](const Known& each) { return each.shapes == candidate_->shapes; });
  if (made && its != known_.end()) {
    its->session = std::move(*made);
    ++sessions_;
  } else {
    threshold_s_ *= patience;
  }
  candidate_.reset();
}

/// Ready to be used, and shown to give the same answer. Errors: the engine's; unavailable (memory, it is to
/// stop); unsupported (it is open still); internal (another answer).
Result<std::unique_ptr<ShapedSession>> ShapedSessions::compile(Candidate& candidate,
                                                               const std::stop_token& stop) const try {
  if (!has_memory_left()) return fail(ErrorCode::unavailable, "little memory is left");
  auto options = home_.options;
  options.trials = false;  // what made-up inputs may end, ends everybody's requests here
  const auto& inputs = home_.signature.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].open)
      options.shapes[inputs[i].name] = {candidate.shapes[i].begin(), candidate.shapes[i].end()};
  auto made = std::make_unique<ShapedSession>();
  NEPH_TRY(made->session, home_.model.compile(options));
  if (std::ranges::any_of(made->session->inputs(), &engine::Port::is_open))
    return fail(ErrorCode::unsupported, "a scalar fixes no shape");
  NEPH_TRY(const auto right, make_request(home_.any, candidate));
  for (std::size_t i = 0; i < home_.instances; ++i) {
    if (stop.stop_requested()) return fail(ErrorCode::unavailable, "stopped");
    NEPH_TRY(auto request, make_request(*made->session, candidate));
    for (std::size_t port = 0; port < right.outputs.size(); ++port)
      if (!are_alike(home_.any.outputs()[port].element, right.outputs[port], request.outputs[port]))
        return fail(ErrorCode::internal, "another answer");
    for (std::size_t port = 0; port < right.outputs.size(); ++port)
      if (made->session->outputs()[port].is_open()) request.outputs[port] = {};
    made->requests.push_back(std::move(request));
  }
  return made;
} catch (const std::exception& thrown) {  // of memory, and what an engine's own code may throw
  return fail(ErrorCode::unavailable, "{}", thrown.what());
}

/// That has run once.
Result<ShapedRequest> ShapedSessions::make_request(engine::Session& session, Candidate& candidate) const {
  ShapedRequest made;
  NEPH_TRY(made.request, session.make_request());
  for (std::size_t i = 0; i < session.inputs().size(); ++i) {
    const auto& shape = candidate.shapes[i];
    if (session.inputs()[i].is_open())
      NEPH_CHECK(made.request->bind_open_input(i, candidate.inputs[i].get(),
                                               std::vector<std::int64_t>(shape.begin(), shape.end())));
    else
      NEPH_CHECK(made.request->bind_input(i, candidate.inputs[i].get(), candidate.bytes[i]));
  }
  made.memory.resize(session.outputs().size());
  made.outputs.resize(session.outputs().size());
  for (std::size_t i = 0; i < session.outputs().size(); ++i) {
    const auto& port = session.outputs()[i];
    if (port.is_open()) continue;
    made.memory[i] = allocate_floats(port.bytes() / sizeof(float) + 1);
    if (!made.memory[i]) return fail(ErrorCode::unavailable, "no memory for output '{}'", port.name);
    NEPH_CHECK(made.request->bind_output(i, made.memory[i].get(), port.bytes()));
    made.outputs[i] = {reinterpret_cast<const std::byte*>(made.memory[i].get()), port.bytes(), port.shape};
  }
  NEPH_CHECK(made.request->infer());
  for (std::size_t i = 0; i < session.outputs().size(); ++i)
    if (session.outputs()[i].is_open()) {
      NEPH_TRY(made.outputs[i], made.request->open_output(i));
    }
  return made;
}

}  // namespace neph::serve
