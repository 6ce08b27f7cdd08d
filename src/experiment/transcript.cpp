#include "experiment/transcript.hpp"

#include <algorithm>
#include <variant>

namespace neph::experiment {

namespace {

/// At most `bytes` of it, with control characters as "?", for messages.
std::string shortened(std::string_view text, std::size_t bytes) {
  std::string shown(text.substr(0, bytes));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char byte) { return byte < ' ' || byte == 127; }, '?');
  return text.size() > bytes ? shown + "..." : shown;
}

}  // namespace

void Transcript::hear(std::string_view line) {
  if (!protocol_error_.empty() || line.empty()) return;  // it is being stopped; the rest may be endless
  if (line.size() > max_line_bytes_) {
    protocol_error_ = fmt::format("a line of more than {} bytes: {}", max_line_bytes_, shortened(line, 80));
    return;
  }
  auto event = decode_event(line);
  if (!event)
    protocol_error_ = fmt::format("'{}' ({})", shortened(line, 80), shortened(event.error().text(), 200));
  else if (complete())
    protocol_error_ = fmt::format("more after its last line: '{}'", shortened(line, 80));
  else
    std::visit([this](auto& said) { take(std::move(said)); }, *event);
}

void Transcript::take(Began&& began) {
  observer_.began(began);
  has_begun_ = true;
  began_s_ = began.at_s;
  machine_ = std::move(began.machine);
}

void Transcript::take(Ended&& ended) { ended_s_ = ended.at_s; }

void Transcript::take(Phase&& phase) {
  observer_.phase_ended(phase);
  early_.phases.push_back(std::move(phase));
}

void Transcript::take(Progress&& progress) { observer_.progress(progress); }

void Transcript::take(Note&& note) { observer_.note(note); }

void Transcript::take(Warning&& warning) {
  observer_.warning(warning);
  early_.warnings.push_back(std::move(warning));
}

void Transcript::take(RunResult&& result) { result_ = std::move(result); }

void Transcript::take(Error&& error) { error_ = std::move(error); }

RunResult Transcript::take_result() {
  if (!result_) return std::move(early_);
  if (result_->phases.empty()) result_->phases = std::move(early_.phases);
  if (result_->warnings.empty()) result_->warnings = std::move(early_.warnings);
  return std::move(*result_);
}

}  // namespace neph::experiment
