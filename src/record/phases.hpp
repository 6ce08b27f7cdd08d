// The phases of a run, and the stage of the bill that each belongs to. docs/method/measuring.md says
// from where to where each goes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/describe.hpp"

namespace neph {

/// What a bill for machines is made of, in the order in which it is run up. `learn` is the measured work, of
/// inference too; `idle` a machine that is kept ready after a job.
enum class BillStage { provision, boot, install, data_load, start, learn, verify, save, idle, poweroff, off };
constexpr auto enum_names(BillStage) {
  return std::array{Named{BillStage::provision, "provision"},
                    Named{BillStage::boot, "boot"},
                    Named{BillStage::install, "install"},
                    Named{BillStage::data_load, "data_load"},
                    Named{BillStage::start, "start"},
                    Named{BillStage::learn, "learn"},
                    Named{BillStage::verify, "verify"},
                    Named{BillStage::save, "save"},
                    Named{BillStage::idle, "idle"},
                    Named{BillStage::poweroff, "poweroff"},
                    Named{BillStage::off, "off"}};
}

/// What costs are called that are of no stage, and those of a stage whose length is assumed.
inline constexpr std::string_view rounding_part = "rounding";
inline std::string assumed_part(std::string_view stage) { return std::string(stage) + " (assumed)"; }

/// A kind of stretch of a run, in seconds; several of one kind in a run add up.
struct PhaseKind {
  std::string_view name;
  BillStage stage;
};

namespace phase {

inline constexpr PhaseKind process_start{"process_start", BillStage::start};
inline constexpr PhaseKind engine_load{"engine_load", BillStage::start};
inline constexpr PhaseKind model_load{"model_load", BillStage::start};
inline constexpr PhaseKind picture_scan{"picture_scan", BillStage::data_load};
inline constexpr PhaseKind model_compile{"model_compile", BillStage::start};
inline constexpr PhaseKind server_start{"server_start", BillStage::start};
inline constexpr PhaseKind connect{"connect", BillStage::start};
inline constexpr PhaseKind first_request{"first_request", BillStage::start};
inline constexpr PhaseKind look{"look", BillStage::start};
inline constexpr PhaseKind first_load{"first_load", BillStage::data_load};
inline constexpr PhaseKind load_tensors{"load_tensors", BillStage::data_load};
inline constexpr PhaseKind first_inference{"first_inference", BillStage::start};
inline constexpr PhaseKind warmup{"warmup", BillStage::start};
inline constexpr PhaseKind page_cache{"page_cache", BillStage::data_load};
inline constexpr PhaseKind measure{"measure", BillStage::learn};
inline constexpr PhaseKind probe{"probe", BillStage::learn};
inline constexpr PhaseKind drain{"drain", BillStage::learn};

// Of train, which also has process_start, engine_load, model_load and warmup.
inline constexpr PhaseKind data_load{"data_load", BillStage::data_load};
inline constexpr PhaseKind prepare{"prepare", BillStage::start};
inline constexpr PhaseKind first_step{"first_step", BillStage::start};
inline constexpr PhaseKind learn{"learn", BillStage::learn};
inline constexpr PhaseKind verify{"verify", BillStage::verify};
inline constexpr PhaseKind save{"save", BillStage::save};

// Of a command, which also has process_start and those of train: all of one that tells of nothing.
inline constexpr PhaseKind command{"command", BillStage::learn};

}  // namespace phase

/// All, in the order of a run.
inline constexpr std::array phase_kinds{
    phase::process_start, phase::engine_load,     phase::model_load, phase::picture_scan,
    phase::model_compile, phase::prepare,         phase::data_load,  phase::server_start,
    phase::connect,       phase::first_request,   phase::look,       phase::first_load,
    phase::load_tensors,  phase::first_inference, phase::first_step, phase::warmup,
    phase::page_cache,    phase::measure,         phase::probe,      phase::drain,
    phase::learn,         phase::verify,          phase::save,       phase::command};

/// nullptr: another version's.
constexpr const PhaseKind* find_phase(std::string_view name) {
  for (const auto& kind : phase_kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace neph
