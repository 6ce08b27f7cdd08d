#include "predict/model_file.hpp"

#include <algorithm>
#include <cmath>

#include "core/file.hpp"
#include "core/json.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

constexpr const char* format_name = "neph model";
constexpr std::int64_t format_version = 1;

}  // namespace

/// One description of each part, for both directions: fields(visit, part) calls visit("name", member).
struct ModelParts {
  template <class Visit>
  static void fields(Visit& v, Scaling& s) {
    v("center", s.center);
    v("width", s.width);
  }
  template <class Visit>
  static void fields(Visit& v, Places& s) {
    v("numbers", s.numbers);
    v("levels", s.levels);
  }
  template <class Visit>
  static void fields(Visit& v, Inputs& s) {
    v("places", s.places);
    v("ranged", s.ranged);
  }
  template <class Visit>
  static void fields(Visit& v, Kernel::Own& s) {
    v("offset", s.offset);
    v("amplitude", s.amplitude);
    v("slope", s.slope);
  }
  template <class Visit>
  static void fields(Visit& v, Kernel& s) {
    v("amplitude", s.amplitude);
    v("slope", s.slope);
    v("noise", s.noise);
    v("lengths", s.lengths);
    v("own", s.own);
  }
  template <class Visit>
  static void fields(Visit& v, LogLinear& s) {
    v("scaling", s.scaling);
    v("level", s.level);
    v("slopes", s.slopes);
    v("factors", s.factors);
  }
  template <class Visit>
  static void fields(Visit& v, WorkModel& s) {
    v("coefficients", s.coefficients);
    v("power", s.power);
    v("factors", s.factors);
    v("own_category", s.own_category);
    v("own", s.own);
  }
  template <class Visit>
  static void fields(Visit& v, Candidate::Monomials& s) {
    v("powers", s.powers);
    v("work", s.work);
  }
  template <class Visit>
  static void fields(Visit& v, Condition& s) {
    v("situation", s.situation);
    v("column", s.column);
  }
  template <class Visit>
  static void fields(Visit& v, Standing& s) {
    v("condition", s.condition);
    v("errors", s.errors);
    v("trials", s.trials);
    v("distance", s.distance);
    v("median", s.median);
    v("reach", s.reach);
  }
  template <class Visit>
  static void fields(Visit& v, Roles& s) {
    v("network", s.network);
    v("variants", s.variants);
    v("side", s.side);
    v("batch", s.batch);
    v("machine", s.machine);
  }
  template <class Visit>
  static void fields(Visit& v, Design::Category& s) {
    v("column", s.column);
    v("levels", s.levels);
  }
  template <class Visit>
  static void fields(Visit& v, ModelOrigin& s) {
    v("source", s.source);
    v("target", s.target);
    v("points", s.points);
    v("rows", s.rows);
    v("hash", s.hash);
  }
  template <class Visit>
  static void fields(Visit& v, Design::Number& s) {
    v("column", s.column);
    v("is_quantity", s.is_quantity);
    v("may_be_empty", s.may_be_empty);
    v("usual", s.usual);
    v("is_seen", s.is_seen);
  }
  template <class Visit>
  static void fields(Visit& v, Design& s) {
    v("roles", s.roles_);
    v("numbers", s.numbers_);
    v("categories", s.categories_);
    v("quantities", s.quantities_);
    v("features", s.feature_names_);
    v("work_terms", s.work_names_);
    v("ranged", s.ranged_names_);
  }
  template <class Visit>
  static void fields(Visit& v, Process& s) {
    v("scaling", s.scaling_);
    v("places", s.places_);
    v("weights", s.weights_);
    v("kernel", s.kernel_);
  }
  template <class Visit>
  static void fields(Visit& v, Candidate& s) {
    v("spec", s.spec_);
    v("model", s.model_);
    v("process", s.process_);
  }
  template <class Visit>
  static void fields(Visit& v, Blend& s) {
    v("standings", s.standings_);
  }
  template <class Visit>
  static void fields(Visit& v, Model& s) {
    v("origin", s.origin_);
    v("design", s.design_);
    v("low", s.low_);
    v("high", s.high_);
    v("counts", s.counts_);
    v("noise", s.noise_);
    v("specs", s.specs_);
    v("blend", s.blend_);
    v("kept", s.kept_);
    v("candidates", s.candidates_);
    v("points", s.points_);
  }

  static void find_roles(Model& model) {
    auto& design = model.design_;
    for (std::size_t c = 0; c < design.categories_.size(); ++c) {
      if (design.categories_[c].column == design.roles_.machine) design.machine_ = c;
      if (design.categories_[c].column == design.roles_.network) design.network_ = c;
    }
  }
  static Candidate candidate() { return Candidate({}, LogLinear{}, Process({}, {}, {}, {})); }
  static Model model() { return Model(Design()); }
  static Status check(const Model& model);
};

namespace {

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T>
concept Dense = std::is_base_of_v<Eigen::DenseBase<T>, T>;

constexpr std::array model_names{"powers", "monomials", "work"};  // of Candidate::Model, in its order

template <class T>
Json write(T& value);

struct Writer {
  Json json = Json::object();
  template <class T>
  void operator()(const char* name, T& member) {
    json[name] = write(member);
  }
};

template <class T>
Json write(T& value) {
  using Value = std::remove_const_t<T>;
  if constexpr (Dense<Value>) {
    Json values = Json::array();
    for (Index j = 0; j < value.cols(); ++j)
      for (Index i = 0; i < value.rows(); ++i) values.push_back(to_json(value(i, j)));
    return {{"rows", value.rows()}, {"columns", value.cols()}, {"values", std::move(values)}};
  } else if constexpr (IsVariant<Value>::value) {
    return std::visit(
        [&](auto& part) {
          return Json{{"kind", model_names.at(value.index())}, {"parts", write(part)}};
        },
        value);
  } else if constexpr (detail::IsVector<Value>::value) {
    Json array = Json::array();
    for (auto& element : value) array.push_back(write(element));
    return array;
  } else if constexpr (requires(Writer & visit) { ModelParts::fields(visit, value); }) {
    Writer parts;
    ModelParts::fields(parts, value);
    return parts.json;
  } else {
    return to_json(value);
  }
}

template <class T>
Status read(const Json& json, T& value, const std::string& path);

struct Reader {
  const Json& json;
  std::string path;
  Status status;
  template <class T>
  void operator()(const char* name, T& member) {
    if (!status) return;
    const auto found = json.find(name);
    if (found == json.end()) {
      status = fail(ErrorCode::corrupt, "{}: '{}' is missing", path, name);
    } else {
      status = read(*found, member, path + "." + name);
    }
  }
};

template <class T>
Status read_parts(const Json& json, T& value, const std::string& path) {
  if (!json.is_object()) return fail(ErrorCode::corrupt, "{}: an object is needed", path);
  Reader reader{json, path, {}};
  ModelParts::fields(reader, value);
  return reader.status;
}

template <class T>
Status read_dense(const Json& json, T& value, const std::string& path) {
  std::int64_t rows = 0, columns = 0;
  std::vector<typename T::Scalar> values;
  const auto part = [&](const char* name, auto& into) -> Status {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (found == json.end()) return fail(ErrorCode::corrupt, "{}: '{}' is missing", path, name);
    return from_json(*found, into, path + "." + name);
  };
  NEPH_CHECK(part("rows", rows));
  NEPH_CHECK(part("columns", columns));
  NEPH_CHECK(part("values", values));
  const auto wrong_side = [](std::int64_t side, Index fixed) {
    return side < 0 || (fixed != Eigen::Dynamic && side != fixed);
  };
  if (wrong_side(rows, T::RowsAtCompileTime) || wrong_side(columns, T::ColsAtCompileTime) ||
      (rows > 0 && columns > std::ssize(values)) || rows * columns != std::ssize(values))
    return fail(ErrorCode::corrupt, "{}: {} values are not {} x {}", path, values.size(), rows, columns);
  value = Eigen::Map<const T>(values.data(), rows, columns);
  return {};
}

template <std::size_t I = 0>
Status read_model_kind(const Json& json, Candidate::Model& value, const std::string& path) {
  if constexpr (I == std::variant_size_v<Candidate::Model>) {
    return fail(ErrorCode::corrupt, "{}: a kind of model that is not known", path);
  } else {
    const auto kind = json.is_object() ? json.find("kind") : json.end();
    const auto parts = json.is_object() ? json.find("parts") : json.end();
    if (kind == json.end() || parts == json.end() || *kind != model_names.at(I))
      return read_model_kind<I + 1>(json, value, path);
    return read(*parts, value.emplace<I>(), path + ".parts");
  }
}

template <class T>
Status read(const Json& json, T& value, const std::string& path) {
  if constexpr (Dense<T>) {
    return read_dense(json, value, path);
  } else if constexpr (IsVariant<T>::value) {
    return read_model_kind(json, value, path);
  } else if constexpr (std::is_same_v<T, std::vector<Candidate>>) {
    if (!json.is_array()) return fail(ErrorCode::corrupt, "{}: a list is needed", path);
    for (const auto& element : json) {
      value.push_back(ModelParts::candidate());
      NEPH_CHECK(read_parts(element, value.back(), fmt::format("{}[{}]", path, value.size() - 1)));
    }
    return {};
  } else if constexpr (detail::IsVector<T>::value) {
    if (!json.is_array()) return fail(ErrorCode::corrupt, "{}: a list is needed", path);
    value.clear();
    for (const auto& element : json) {
      typename T::value_type item{};
      NEPH_CHECK(read(element, item, fmt::format("{}[{}]", path, value.size())));
      value.push_back(std::move(item));
    }
    return {};
  } else if constexpr (requires(Reader & visit) { ModelParts::fields(visit, value); }) {
    return read_parts(json, value, path);
  } else {
    return from_json(json, value, path);
  }
}

Status consistent(bool holds, const char* what) {
  if (holds) return {};
  return fail(ErrorCode::corrupt, "its parts contradict each other: {}", what);
}

Status check_places(const Places& places, Index numbers, Index categories) {
  return consistent(places.numbers.cols() == numbers && places.levels.cols() == categories &&
                        places.numbers.rows() == places.levels.rows() && places.numbers.allFinite(),
                    "rows and columns of places");
}

}  // namespace

/// Whatever was edited, nothing may reach beyond a matrix later.
Status ModelParts::check(const Model& model) {
  const auto& design = model.design_;
  Table nothing{.source = "the model"};
  for (const auto& number : design.numbers_) nothing.columns.push_back({.name = number.column});
  for (const auto& category : design.categories_) nothing.columns.push_back({.name = category.column});
  NEPH_TRY(const auto inputs, design.apply(nothing));
  const auto numbers = inputs.places.numbers.cols(), categories = inputs.places.levels.cols();
  const auto ranged = inputs.ranged.cols(), terms = inputs.work.cols(),
             quantities = inputs.log_quantities.cols();
  NEPH_CHECK(consistent(std::ssize(design.ranged_names_) == ranged && model.low_.size() == ranged &&
                            model.high_.size() == ranged,
                        "ranges of the numbers"));
  NEPH_CHECK(check_places(model.points_.places, numbers, categories));
  NEPH_CHECK(consistent(model.points_.ranged.cols() == ranged &&
                            model.points_.ranged.rows() == model.points_.places.numbers.rows(),
                        "the points' numbers"));
  NEPH_CHECK(consistent(std::ssize(model.counts_) == categories, "counts of the categories"));
  for (std::size_t c = 0; c < model.counts_.size(); ++c)
    NEPH_CHECK(
        consistent(model.counts_[c].size() == design.categories_[c].levels.size(), "counts of levels"));

  const auto ways = static_cast<Index>(model.specs_.size() * departures);
  NEPH_CHECK(consistent(!model.blend_.standings().empty() && !model.candidates_.empty() &&
                            model.kept_.size() == model.candidates_.size(),
                        "candidates"));
  for (const auto place : model.kept_)
    NEPH_CHECK(consistent(place < model.specs_.size(), "which candidates were kept"));
  for (const auto& standing : model.blend_.standings())
    NEPH_CHECK(consistent(standing.errors.size() == ways && standing.errors.allFinite() &&
                              standing.trials > 0 && standing.median > 0 && std::isfinite(standing.reach),
                          "what trials said"));
  const auto check_work = [&](const WorkModel& work, Index own_terms) {
    const bool has_own = !work.own_category || (*work.own_category >= 0 && *work.own_category < categories &&
                                                work.own.cols() == own_terms);
    return consistent(work.coefficients.size() == own_terms && std::ssize(work.factors) <= categories &&
                          has_own && work.power > 0,
                      "coefficients of terms");
  };
  const auto check_scaling = [&](const Scaling& scaling) {
    return consistent(scaling.center.size() == numbers && scaling.width.size() == numbers, "scaling");
  };
  for (const auto& candidate : model.candidates_) {
    const auto& process = candidate.process_;
    NEPH_CHECK(check_scaling(process.scaling_));
    NEPH_CHECK(check_places(process.places_, numbers, categories));
    NEPH_CHECK(consistent(process.weights_.size() == process.places_.numbers.rows() &&
                              process.weights_.size() > 0 && std::ssize(process.kernel_.lengths) == numbers &&
                              std::ssize(process.kernel_.own) == categories,
                          "a process and its rows"));
    if (const auto* powers = std::get_if<LogLinear>(&candidate.model_)) {
      NEPH_CHECK(check_scaling(powers->scaling));
      NEPH_CHECK(consistent(powers->slopes.size() == numbers && std::ssize(powers->factors) <= categories,
                            "slopes"));
    } else if (const auto* work = std::get_if<WorkModel>(&candidate.model_)) {
      NEPH_CHECK(check_work(*work, terms));
    } else {
      const auto& found = std::get<Candidate::Monomials>(candidate.model_);
      for (const auto& term : found.powers)
        NEPH_CHECK(consistent(std::ssize(term) == quantities, "powers of a term"));
      NEPH_CHECK(check_work(found.work, std::ssize(found.powers)));
    }
  }
  return {};
}

std::string write_model(const Model& model) {
  Json json{{"format", format_name}, {"version", format_version}};
  Writer parts;
  ModelParts::fields(
      parts, const_cast<Model&>(model));  // the description serves both directions; nothing is written to it
  json.update(parts.json);
  return dump_json(json) + "\n";
}

Result<Model> read_model(std::string_view text, std::string_view source) {
  const auto named = [&](const Error& error) {
    return fail(error.code == ErrorCode::unsupported ? error.code : ErrorCode::corrupt,
                "{}: not a model that can be used: {}", source, error.message);
  };
  const auto json = parse_json(text, "it");
  if (!json) return named(json.error());
  if (!json->is_object() || !json->contains("format") || (*json)["format"] != format_name)
    return named({ErrorCode::corrupt, "it was not written by 'neph fit'"});
  std::int64_t version = 0;
  if (const auto status = from_json((*json)["version"], version, "version"); !status)
    return named(status.error());
  if (version > format_version)
    return named({ErrorCode::unsupported,
                  fmt::format("it has version {} of the format, and this program knows up to {}", version,
                              format_version)});
  auto model = ModelParts::model();
  if (const auto status = read_parts(*json, model, "model"); !status) return named(status.error());
  if (const auto status = ModelParts::check(model); !status) return named(status.error());
  ModelParts::find_roles(model);
  return model;
}

Status save_model(const Model& model, const std::filesystem::path& path) {
  return write_file(path, write_model(model));
}

Result<Model> load_model(const std::filesystem::path& path) {
  NEPH_TRY(const auto text, read_file(path));
  return read_model(text, path.string());
}

}  // namespace neph::predict
