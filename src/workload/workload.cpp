#include "workload/workload.hpp"

#include "core/json.hpp"
#include "core/names.hpp"
#include "record/views.hpp"
#include "workload/command/command.hpp"
#include "workload/fields.hpp"
#include "workload/infer/infer.hpp"
#include "workload/load/load.hpp"
#include "workload/shape_lists.hpp"
#include "workload/train/train.hpp"

namespace neph::workload {
namespace {

constexpr Workload known[] = {
    {.name = view::infer.workload,
     .summary = "a ready model applied to many inputs",
     .positional = "model",
     .fields = field_names<InferSpec>,
     .own_names = [](Json fields) { return with_shape_names(with_own_names<InferSpec>(std::move(fields))); },
     .idle = idle_fields<InferSpec>,
     .check = infer::check,
     .prepare = infer::prepare,
     .containers = nullptr,
     .run = infer::run,
     .command = infer::command,
     .answer_fields = [] { return fields_with<InferSpec>(&Traits::changes_answers); },
     .estimate_runtime = nullptr,
     .trial = infer::trial,
     .whole_run_s = infer::whole_run_s},
    {.name = view::load.workload,
     .summary = "requests to a server that is there",
     .positional = "url",
     .fields = field_names<LoadSpec>,
     .own_names = [](Json fields) { return with_shape_names(with_own_names<LoadSpec>(std::move(fields))); },
     .idle = idle_fields<LoadSpec>,
     .check = load_server::check,
     .prepare = load_server::prepare,
     .containers = nullptr,
     .run = load_server::run,
     .command = load_server::command,
     .answer_fields = [] { return fields_with<LoadSpec>(&Traits::changes_answers); },
     .estimate_runtime = load_server::estimate_runtime,
     .trial = nullptr,
     .whole_run_s = nullptr},
    {.name = view::train.workload,
     .summary = "a network that learns from a data set",
     .positional = "model",
     .timeout_s = 0,  // nobody can say how long is too long
     .fields = field_names<TrainSpec>,
     .own_names = with_own_names<TrainSpec>,
     .idle = train::idle,
     .check = train::check,
     .prepare = train::prepare,
     .check_cores = train::check_cores,
     .containers = train::containers,
     .run = train::run,
     .command = train::command,
     .answer_fields = [] { return fields_with<TrainSpec>(&Traits::changes_answers); },
     .estimate_runtime = nullptr,
     .trial = train::trial,
     .whole_run_s = train::whole_run_s},
    {.name = view::command.workload,
     .summary = "any command that trains something",
     .positional = "command",
     .shared_verb = view::train.workload,
     .timeout_s = 0,
     .fields = field_names<CommandSpec>,
     .own_names = with_own_names<CommandSpec>,
     .idle = idle_fields<CommandSpec>,
     .check = command::check,
     .prepare = command::prepare,
     .check_cores = command::check_cores,
     .containers = command::containers,
     .run = command::run,
     .command = command::line,
     .answer_fields = [] { return fields_with<CommandSpec>(&Traits::changes_answers); },
     .estimate_runtime =
         [](const Json&) { return RuntimeEstimate{.bound = RuntimeEstimate::Bound::at_least}; },
     .trial = nullptr,
     .whole_run_s = nullptr},
};

constexpr const char* prepared_fact = "prepared";

}  // namespace

/// Of each cell an error as in record/event.hpp, or a list of files.
RunResult as_result(const PreparedCells& prepared) {
  Json all = Json::array();
  for (const auto& cell : prepared) {
    all.push_back(cell ? Json::array() : Json(encode_event(cell.error())));
    if (!cell) continue;
    for (const auto& file : *cell) all.back().push_back({file.field, file.path.string(), file.obviates});
  }
  return {.facts = {{prepared_fact, dump_json(all)}}};
}

Result<PreparedCells> prepared_cells(const RunResult& result) {
  NEPH_TRY(const auto cells, parse_json(result.facts.at(prepared_fact), "what was prepared"));
  PreparedCells all;
  for (const auto& one : cells) {
    auto& cell = all.emplace_back(launch::Files{});
    if (one.is_string()) {
      NEPH_TRY(auto event, decode_event(one.get<std::string>()));
      cell = tl::unexpected(std::get<Error>(std::move(event)));
    } else {
      for (const auto& file : one) cell->push_back({file[0], file[1].get<std::string>(), file[2]});
    }
  }
  return all;
}

RuntimeEstimate all_runs(std::span<const RuntimeEstimate> cells, std::int64_t runs) {
  using Bound = RuntimeEstimate::Bound;
  RuntimeEstimate all{.bound = cells.front().bound};
  for (const auto& one : cells) {
    all.run_s += one.run_s / static_cast<double>(cells.size()) * static_cast<double>(runs);
    if (one.bound != all.bound)
      all.bound =
          one.bound == Bound::at_least || all.bound == Bound::at_least ? Bound::at_least : Bound::about;
  }
  return all;
}

std::span<const Workload> workloads() { return known; }

Result<const Workload*> find_workload(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& workload : known) {
    if (workload.name == name) return &workload;
    names.emplace_back(workload.name);
  }
  return unknown_name(ErrorCode::not_found, "workload", name, names);
}

}  // namespace neph::workload
