#include "predict/design.hpp"

#include <algorithm>
#include <cmath>

#include "core/names.hpp"
#include "predict/numbers_in_text.hpp"
#include "predict/steady_math.hpp"
#include "predict/survey.hpp"
#include "stats/stats.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Multiply-accumulates that a machine does while it moves a byte: ridge points of a roofline
/// (Williams, Waterman, Patterson, CACM 52(4), 2009). The machine's own lies between two of them.
constexpr std::array ridge_points{2.0, 8.0, 32.0};

/// What of a machine a term's time depends on.
enum class Bound { compute, memory, both, neither };

struct Term {
  std::string name;
  Bound bound = Bound::neither;
};

/// What a training step or an inference asks of a machine, in several measures. Their sums with coefficients
/// of the machine, none below 0, are times.
const std::vector<Term>& terms() {
  static const auto all = [] {
    std::vector<Term> some{{"ordinary macs", Bound::compute},
                           {"depthwise macs", Bound::compute},
                           {"dense macs", Bound::compute},
                           {"padded macs", Bound::compute},
                           {"bytes moved", Bound::memory},
                           {"convolution weight bytes", Bound::memory},
                           {"dense weight bytes", Bound::memory},
                           {"layers"},
                           {"input bytes"},
                           {"batch"},
                           {"one"}};
    for (const double ridge : ridge_points)
      some.push_back({fmt::format("roofline at {} macs a byte", ridge), Bound::both});
    return some;
  }();
  return all;
}

/// Of `batch` pictures, in the order of terms().
std::vector<double> values_of_terms(const NetworkWork& work, double batch) {
  double convolution = 0, depthwise = 0, dense = 0, padded = 0, moved = 0, weights = 0, dense_weights = 0;
  std::array<double, ridge_points.size()> roofs{};
  for (const auto& layer : work.layers) {
    const double macs = layer.macs * batch, bytes = layer.moved_bytes * batch + layer.weight_bytes;
    const bool is_dense = layer.kind == LayerWork::Kind::dense;
    (layer.kind == LayerWork::Kind::depthwise ? depthwise : is_dense ? dense : convolution) += macs;
    if (layer.kind == LayerWork::Kind::convolution) padded += layer.padded_macs * batch;
    moved += layer.moved_bytes * batch;
    (is_dense ? dense_weights : weights) += layer.weight_bytes;
    for (std::size_t i = 0; i < roofs.size(); ++i) roofs[i] += std::max(macs, ridge_points[i] * bytes);
  }
  std::vector<double> all{convolution,
                          depthwise,
                          dense,
                          padded,
                          moved,
                          weights,
                          dense_weights,
                          static_cast<double>(work.layers.size()),
                          work.input_bytes * batch,
                          batch,
                          1};
  all.insert(all.end(), roofs.begin(), roofs.end());
  return all;
}

/// A convolution or dense layer is a product of matrices (Chetlur et al., cuDNN: Efficient Primitives for
/// Deep Learning, 2014): positions of all pictures by channels, summed over so many products. How fast a
/// machine does one depends on these sizes.
constexpr std::size_t sizes_of_mean_layer = 3;

/// Logarithms of its channels, positions and summands, for `batch` pictures. Each layer counts by the time
/// that a roofline gives it.
std::array<double, sizes_of_mean_layer> mean_layer(const NetworkWork& work, double batch) {
  std::array<double, sizes_of_mean_layer> sums{};
  double all = 0;
  for (const auto& layer : work.layers) {
    const double bytes = layer.moved_bytes * batch + layer.weight_bytes;
    const double weight = std::max(layer.macs * batch, ridge_points[1] * bytes);
    const std::array sizes{layer.channels, layer.positions * batch, layer.summands};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * steady::log(sizes[i]);
    all += weight;
  }
  for (auto& sum : sums) sum /= std::max(1e-300, all);
  return sums;
}

/// Machines by terms, as Design::machine_speeds() says.
MatrixXd speeds_of(const std::vector<std::string>& machines, const MachineTable& known) {
  MatrixXd speeds = MatrixXd::Zero(static_cast<Index>(machines.size()), static_cast<Index>(terms().size()));
  for (Index m = 0; m < speeds.rows(); ++m) {
    const auto device = known.device_of(machines[static_cast<std::size_t>(m)]);
    if (!device) continue;
    for (Index k = 0; k < speeds.cols(); ++k) {
      const auto bound = terms()[static_cast<std::size_t>(k)].bound;
      const double compute = bound == Bound::compute || bound == Bound::both ? device->fp32_tflops : 1;
      const double memory = bound == Bound::memory || bound == Bound::both ? device->bandwidth_gb_s : 1;
      speeds(m, k) = bound == Bound::both ? std::sqrt(compute * memory) : compute * memory;
    }
  }
  return speeds;
}

}  // namespace

struct Design::Columns {
  std::vector<std::string> quantity_names, feature_names, work_names, ranged_names;
  std::vector<std::vector<double>> log_quantities, features, plain, work, mean_layer, ranged;

  void add_quantity(std::string name, std::vector<double> logs) {
    feature_names.push_back(name);
    features.push_back(logs);
    quantity_names.push_back(std::move(name));
    log_quantities.push_back(std::move(logs));
  }
  void add_plain(std::string name, std::vector<double> values) {
    feature_names.push_back(std::move(name));
    features.push_back(values);
    plain.push_back(std::move(values));
  }
};

namespace {

MatrixXd as_matrix(const std::vector<std::vector<double>>& columns, std::size_t rows) {
  MatrixXd matrix(static_cast<Index>(rows), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows; ++i)
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = columns[j][i];
  return matrix;
}

}  // namespace

Inputs rows_of(const Inputs& inputs, const std::vector<std::size_t>& rows) {
  return {.log_quantities = some_rows(inputs.log_quantities, rows),
          .places = rows_of(inputs.places, rows),
          .plain = some_rows(inputs.plain, rows),
          .work = some_rows(inputs.work, rows),
          .mean_layer = some_rows(inputs.mean_layer, rows),
          .given = rows_of(inputs.given, rows),
          .ranged = some_rows(inputs.ranged, rows),
          .network = inputs.network};
}

Result<Design> Design::learn(const Table& points, const Roles& roles) {
  Design design;
  design.roles_ = roles;
  for (auto* role :
       {&design.roles_.network, &design.roles_.side, &design.roles_.batch, &design.roles_.machine})
    if (!role->empty()) {
      NEPH_TRY(const auto place, points.find(*role));
      *role = points.columns[place].name;
    }
  for (const auto& column : points.columns) {
    const auto numbers = column.name == design.roles_.network || column.name == design.roles_.machine
                             ? std::nullopt
                             : as_numbers(column);
    if (!numbers) {
      if (column.name == design.roles_.machine) design.machine_ = design.categories_.size();
      Category category{column.name, column.levels};
      for (std::size_t row = 0; row < points.rows; ++row)  // called by a number, or empty
        if (!column.is_text() || column.is_empty(row))
          if (const auto level = column.text(row);
              std::ranges::find(category.levels, level) == category.levels.end())
            category.levels.push_back(level);
      design.categories_.push_back(std::move(category));
      continue;
    }
    Number number{.column = column.name, .unit = unit_of(column)};
    std::vector<double> there;
    for (const double value : *numbers)
      if (!std::isnan(value)) there.push_back(value);
    number.may_be_empty = there.size() < points.rows;
    number.is_ever_there = !there.empty();
    number.usual = there.empty() ? 0 : stats::median(there);
    number.is_quantity = !there.empty() && *std::min_element(there.begin(), there.end()) > 0;
    const bool has_role = !design.roles_.network.empty() &&
                          (column.name == design.roles_.side || column.name == design.roles_.batch);
    number.is_seen =
        has_role || number.may_be_empty || there.empty() ||
        *std::min_element(there.begin(), there.end()) < *std::max_element(there.begin(), there.end());
    design.numbers_.push_back(number);
  }
  NEPH_TRY(design.given_, GivenTerms::parse(design.roles_.terms, points));
  design.roles_.terms = design.given_.texts();
  NEPH_CHECK(design.given_.values(points));
  Columns columns;
  NEPH_CHECK(design.add_numbers(points, columns));
  NEPH_CHECK(design.add_network(points, columns));
  design.quantities_ = columns.quantity_names;
  design.feature_names_ = columns.feature_names;
  design.work_names_ = columns.work_names;
  if (design.machine_ && !design.work_names_.empty())
    design.machine_speeds_ =
        speeds_of(design.categories_[*design.machine_].levels, known_machines_and(design.roles_.machines));
  design.ranged_names_ = columns.ranged_names;
  return design;
}

std::vector<std::string> Design::plain() const {
  std::vector<std::string> names;
  auto quantity = quantities_.begin();  // features have them in the same order
  for (const auto& name : feature_names_) {
    if (quantity != quantities_.end() && *quantity == name)
      ++quantity;
    else
      names.push_back(name);
  }
  return names;
}

bool Design::has_columns_of(const Design& other) const {
  const auto is_same_number = [](const Number& a, const Number& b) {
    return a.column == b.column && a.is_quantity == b.is_quantity && a.may_be_empty == b.may_be_empty &&
           a.is_seen == b.is_seen;
  };
  const auto is_same_category = [](const Category& a, const Category& b) { return a.column == b.column; };
  return std::ranges::equal(numbers_, other.numbers_, is_same_number) &&
         std::ranges::equal(categories_, other.categories_, is_same_category);
}

std::string Design::range_end(Index ranged, double value) const {
  return fmt::format("{:.6g}",
                     numbers_[static_cast<std::size_t>(ranged)].is_quantity ? steady::exp(value) : value);
}

Result<Inputs> Design::apply(const Table& rows) const {
  Columns columns;
  NEPH_CHECK(add_numbers(rows, columns));
  NEPH_CHECK(add_network(rows, columns));
  Inputs inputs;
  NEPH_TRY(inputs.places.levels, levels(rows));
  inputs.log_quantities = as_matrix(columns.log_quantities, rows.rows);
  inputs.places.numbers = as_matrix(columns.features, rows.rows);
  inputs.plain = as_matrix(columns.plain, rows.rows);
  inputs.work = as_matrix(columns.work, rows.rows);
  inputs.mean_layer = as_matrix(columns.mean_layer, rows.rows);
  NEPH_TRY(inputs.given, given_.values(rows));
  inputs.ranged = as_matrix(columns.ranged, rows.rows);
  for (std::size_t c = 0; c < categories_.size(); ++c)
    if (categories_[c].column == roles_.network) inputs.network = static_cast<Index>(c);
  return inputs;
}

Status Design::add_numbers(const Table& rows, Columns& columns) const {
  for (const auto& number : numbers_) {
    NEPH_TRY(auto values, number.asked_in(rows));
    std::vector<double> is_there(rows.rows, 1);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      auto& value = values[row];
      if (std::isnan(value)) {
        if (!number.may_be_empty)
          return fail(ErrorCode::invalid_argument,
                      "{}: row {} has no '{}', which every row that was fitted to had", rows.source, row + 1,
                      number.column);
        value = number.usual;
        is_there[row] = 0;
      }
      if (std::isinf(value) || (number.is_quantity ? !(value > 0) : std::abs(value) > largest_plain))
        return fail(ErrorCode::invalid_argument, "{}: '{}' is {} in row {}; {} is needed", rows.source,
                    number.column, value, row + 1,
                    number.is_quantity ? "a number above 0" : fmt::format("at most {:g}", largest_plain));
      if (number.is_quantity) value = steady::log(value);
    }
    columns.ranged_names.push_back(number.column);
    columns.ranged.push_back(values);
    if (!number.is_seen) continue;
    if (number.is_quantity) {
      columns.add_quantity(number.column, std::move(values));
    } else {
      columns.add_plain(number.column, std::move(values));
    }
    if (number.may_be_empty) columns.add_plain("has " + number.column, std::move(is_there));
  }
  return {};
}

Result<Eigen::MatrixXi> Design::levels(const Table& rows) const {
  Eigen::MatrixXi all(static_cast<Index>(rows.rows), static_cast<Index>(categories_.size()));
  for (std::size_t c = 0; c < categories_.size(); ++c) {
    NEPH_TRY(const auto place, rows.find_fitted(categories_[c].column));
    std::map<std::string, int, std::less<>> codes;
    for (const auto& level : categories_[c].levels) codes.emplace(level, static_cast<int>(codes.size()));
    const auto code_of = [&](const std::string& level) {
      const auto found = codes.find(level);
      return found == codes.end() ? -1 : found->second;
    };
    const auto& column = rows.columns[place];
    std::vector<int> by_level;  // looked up once, not in every row
    for (const auto& level : column.levels) by_level.push_back(code_of(level));
    const int of_empty = code_of("");
    for (std::size_t row = 0; row < rows.rows; ++row)
      all(static_cast<Index>(row), static_cast<Index>(c)) =
          !column.is_text()      ? code_of(column.text(row))
          : column.is_empty(row) ? of_empty
                                 : by_level[static_cast<std::size_t>(column.codes[row])];
  }
  return all;
}

Result<const NetworkWork*> Design::work_of(const std::string& name, double side) const {
  const std::pair key{name, side};
  const auto known = works_.find(key);
  if (known != works_.end()) return &known->second;
  NEPH_TRY(auto work, network_work(name, roles_.variants, static_cast<std::int64_t>(side)));
  return &works_.emplace(key, std::move(work)).first->second;
}

Status Design::add_network(const Table& rows, Columns& columns) const {
  if (roles_.network.empty()) return {};
  NEPH_TRY(const auto network, rows.find_fitted(roles_.network));
  const auto role = [&](const std::string& name) -> Result<std::vector<double>> {
    if (name.empty()) return std::vector<double>(rows.rows, 0.0);
    const auto number = std::ranges::find(numbers_, name, &Number::column);
    if (number == numbers_.end())
      return fail(ErrorCode::invalid_argument, "{}: '{}' has no numbers", rows.source, name);
    NEPH_TRY(auto values, number->asked_in(rows));
    for (auto& value : values)
      if (std::isnan(value)) value = number->usual;
    return values;
  };
  NEPH_TRY(const auto sides, role(roles_.side));
  NEPH_TRY(auto batches, role(roles_.batch));
  if (roles_.batch.empty()) batches.assign(rows.rows, 1.0);

  const std::vector<std::string> names{"macs", "bytes moved", "parameters", "depth", "layers"};
  std::vector<std::vector<double>> quantities(names.size()), shares(2), means(sizes_of_mean_layer), work;
  for (const auto& term : terms()) columns.work_names.push_back(term.name);
  work.resize(columns.work_names.size());
  const auto& names_of_networks = rows.columns[network];
  std::map<std::pair<std::int32_t, double>, const NetworkWork*> known;  // by code: quicker than by name
  const auto work_in = [&](std::size_t row) -> Result<const NetworkWork*> {
    if (!names_of_networks.is_text()) return work_of(names_of_networks.text(row), sides[row]);
    auto& found = known[{names_of_networks.codes[row], sides[row]}];
    if (found) return found;
    NEPH_TRY(found, work_of(names_of_networks.text(row), sides[row]));
    return found;
  };
  std::map<std::pair<const NetworkWork*, double>, std::size_t> first_with;  // this network, side and batch
  for (std::size_t row = 0; row < rows.rows; ++row) {
    NEPH_TRY(const auto* of_row, work_in(row));
    if (const auto [first, is_new] = first_with.try_emplace({of_row, batches[row]}, row); !is_new) {
      for (auto* kind : {&quantities, &shares, &means, &work})
        for (auto& column : *kind) column.push_back(column[first->second]);
      continue;
    }
    const double each[] = {of_row->macs * batches[row], of_row->moved_bytes * batches[row],
                           of_row->parameters, of_row->depth, static_cast<double>(of_row->layers.size())};
    for (std::size_t i = 0; i < names.size(); ++i) quantities[i].push_back(steady::log(each[i]));
    shares[0].push_back(of_row->depthwise_macs / of_row->macs);
    shares[1].push_back(of_row->dense_macs / of_row->macs);
    const auto mean = mean_layer(*of_row, batches[row]);
    for (std::size_t i = 0; i < mean.size(); ++i) means[i].push_back(mean[i]);
    const auto values = values_of_terms(*of_row, batches[row]);
    for (std::size_t i = 0; i < values.size(); ++i) work[i].push_back(values[i]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) columns.add_quantity(names[i], std::move(quantities[i]));
  for (std::size_t i = 0; i < shares.size(); ++i)
    columns.add_plain(i == 0 ? "share of depthwise macs" : "share of dense macs", std::move(shares[i]));
  columns.mean_layer = std::move(means);
  columns.work = std::move(work);
  return {};
}

}  // namespace neph::predict
