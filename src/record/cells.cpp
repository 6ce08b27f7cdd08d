#include "record/cells.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/values.hpp"

namespace neph {
namespace {

Status check_factor(const Factor& factor) {
  for (auto value = factor.values.begin(); value != factor.values.end(); ++value)
    if (std::find(factor.values.begin(), value, *value) != value)
      return fail(ErrorCode::invalid_argument, "factor {}: {} is given twice", factor.name,
                  value_as_text(*value));
  return {};
}

/// Every cell holds the whole description: cells × its text must stay small too.
Status check_size(const Experiment& experiment, std::int64_t cells) {
  auto bytes = dump_json(experiment.spec).size();
  for (const auto& factor : experiment.factors) {
    std::size_t longest = 0;
    for (const auto& value : factor.values) longest = std::max(longest, dump_json(value).size());
    bytes += factor.name.size() + longest;
  }
  if (bytes > max_cell_bytes / static_cast<std::size_t>(cells))
    return fail(ErrorCode::invalid_argument, "{} configurations of {} bytes each are more than {} MiB", cells,
                bytes, max_cell_bytes >> 20);
  return {};
}

Result<std::int64_t> count_cells(const std::vector<Factor>& factors) {
  std::int64_t cells = 1;
  std::vector<std::string> sizes;
  for (const auto& factor : factors) {
    if (factor.values.empty())
      return fail(ErrorCode::invalid_argument, "factor {}: no value; give at least one", factor.name);
    const auto values = static_cast<std::int64_t>(factor.values.size());
    sizes.push_back(fmt::format("{} {}", values, factor.name));
    if (values > max_cells / cells)
      return fail(ErrorCode::invalid_argument, "more than {} configurations ({}): vary less at a time",
                  max_cells, fmt::join(sizes, " × "));
    cells *= values;
  }
  return cells;
}

Status check(const Experiment& experiment) {
  if (!experiment.spec.is_object() && !experiment.spec.is_null())
    return fail(ErrorCode::invalid_argument, "spec: expected an object");
  for (auto factor = experiment.factors.begin(); factor != experiment.factors.end(); ++factor) {
    NEPH_CHECK(check_factor(*factor));
    const auto same = [&](const Factor& other) { return other.name == factor->name; };
    if (std::find_if(experiment.factors.begin(), factor, same) != factor)
      return fail(ErrorCode::invalid_argument, "factor {} is given twice", factor->name);
  }
  if (experiment.repeat < 1)
    return fail(ErrorCode::invalid_argument, "repeat: {} is below 1", experiment.repeat);
  return {};
}

/// The number of the value of each factor in combination `index`; the last factor is the fastest.
std::vector<std::size_t> choice_of(const Experiment& experiment, std::int64_t index) {
  std::vector<std::size_t> choice(experiment.factors.size());
  auto rest = static_cast<std::size_t>(index);
  for (std::size_t i = choice.size(); i-- > 0;) {
    choice[i] = rest % experiment.factors[i].values.size();
    rest /= experiment.factors[i].values.size();
  }
  return choice;
}

/// Fields that mean nothing in the combination. Only what is varied decides: a contradiction in what all
/// cells share is for the workload to refuse. A field that decides comes before those it decides on.
std::set<std::string> idle_fields(const Experiment& experiment, const std::vector<std::size_t>& choice) {
  std::set<std::string> fields;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto& factor = experiment.factors[i];
    if (factor.values.size() < 2 || fields.contains(factor.name)) continue;  // what is idle decides nothing
    for (const auto& idle : experiment.idle)
      if (idle.field == factor.name && idle.value == factor.values[choice[i]])
        fields.insert(idle.fields.begin(), idle.fields.end());
  }
  return fields;
}

/// Empty: the same as an earlier one, which has the first values of what means nothing.
std::optional<Cell> make_cell(const Experiment& experiment, std::int64_t combination, std::int64_t index) {
  Cell cell{.index = index, .factors = Json::object(), .spec = experiment.spec};
  if (cell.spec.is_null()) cell.spec = Json::object();
  const auto choice = choice_of(experiment, combination);
  const auto idle = idle_fields(experiment, choice);
  for (const auto& name : idle) cell.spec.erase(name);
  for (std::size_t i = 0; i < choice.size(); ++i) {
    const auto& factor = experiment.factors[i];
    const auto& value = factor.values[choice[i]];
    if (idle.contains(factor.name)) {
      if (choice[i] > 0) return std::nullopt;
      continue;
    }
    cell.spec[factor.name] = value;
    if (factor.values.size() == 1) continue;  // given as a factor, but not varied
    cell.factors[factor.name] = value;
    cell.label += fmt::format("{}{} {}", cell.label.empty() ? "" : ", ", factor.name, value_as_text(value));
  }
  if (cell.label.empty()) cell.label = "all";
  return cell;
}

}  // namespace

void set_fields(Experiment& experiment, const Json& fields, const std::vector<std::string>& order) {
  experiment.spec = Json::object();
  const auto put = [&](const std::string& name, const Json& value) {
    if (value.is_array() && value.size() != 1)
      experiment.factors.push_back({name, value.get<std::vector<Json>>()});
    else
      experiment.spec[name] = value.is_array() ? value[0] : value;
  };
  for (const auto& name : order)
    if (fields.contains(name)) put(name, fields[name]);
  for (const auto& [name, value] : fields.items())
    if (std::find(order.begin(), order.end(), name) == order.end()) put(name, value);
}

Result<std::vector<Cell>> expand(const Experiment& experiment) {
  NEPH_TRY(const std::int64_t count, count_cells(experiment.factors));  // first: the other checks take longer
  NEPH_CHECK(check(experiment));
  NEPH_CHECK(check_size(experiment, count));
  if (experiment.repeat > max_runs / count)
    return fail(ErrorCode::invalid_argument, "{} configurations × {} repeats are more than {} runs", count,
                experiment.repeat, max_runs);
  std::vector<Cell> cells;
  for (std::int64_t combination = 0; combination < count; ++combination)
    if (auto cell = make_cell(experiment, combination, std::ssize(cells))) cells.push_back(*std::move(cell));
  return cells;
}

std::int64_t gpus_used(const Experiment& experiment, const Cell& cell) {
  const auto field = [&](const char* name) {
    for (const auto* spec : {&cell.spec, &experiment.spec})
      if (spec->is_object() && spec->contains(name)) return (*spec)[name];
    return Json();
  };
  const auto device = field("device");
  const auto name = lowered(device.is_string() ? device.get<std::string>() : std::string());
  if (!name.starts_with("cuda") && !name.starts_with("gpu")) return 0;
  const auto gpus = field("gpus");
  return gpus.is_number_integer() ? gpus.get<std::int64_t>() : 1;
}

}  // namespace neph
