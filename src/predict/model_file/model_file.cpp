#include "predict/model_file/model_file.hpp"

#include <cmath>

#include "core/fnv1a.hpp"
#include "core/json.hpp"
#include "os/file.hpp"
#include "predict/model_file/model_parts.hpp"

namespace neph::predict {

using Eigen::Index;

namespace {

constexpr const char* format_name = "neph model";
constexpr std::int64_t format_version = 8;  // 8: columns of machines

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};
template <class T>
concept Dense = std::is_base_of_v<Eigen::DenseBase<T>, T>;

constexpr std::array backbone_names{"log-linear", "work", "user terms"};  // in the order of the variant
static_assert(backbone_names.size() == std::variant_size_v<Member::BackboneModel>);

/// An optional part of a model; an optional number is a value.
template <class T>
constexpr bool is_optional_part = detail::IsOptional<T>::value && !std::is_same_v<T, std::optional<Index>>;

std::string hash_of(const std::string& text) { return fmt::format("{:016x}", fnv1a(text)); }

template <class T>
Json write(T& value);

struct Writer {
  Json json = Json::object();
  template <class T>
  Writer& operator()(const char* name, T& member) {
    json[name] = write(member);
    return *this;
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
          return Json{{"kind", backbone_names.at(value.index())}, {"parts", write(part)}};
        },
        value);
  } else if constexpr (is_optional_part<Value>) {
    return value ? write(*value) : Json();
  } else if constexpr (std::is_same_v<Value, BoostedTrees>) {
    TreesInFile trees{value.levels(), value.text(), ""};
    trees.hash = hash_of(trees.text);
    return write(trees);
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

/// In lists alone NaN has a meaning: an empty cell.
Status not_finite(const std::string& path) {
  return fail(ErrorCode::corrupt, "{}: a finite number is needed", path);
}

template <class T>
Status read_member(const Json& json, const char* name, T& value, const std::string& path) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end()) return fail(ErrorCode::corrupt, "{}: '{}' is missing", path, name);
  NEPH_CHECK(read(*found, value, path + "." + name));
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return not_finite(path + "." + name);
  return {};
}

struct Reader {
  const Json& json;
  std::string path;
  Status status;
  template <class T>
  Reader& operator()(const char* name, T& member) {
    if (status) status = read_member(json, name, member, path);
    return *this;
  }
};

template <class T>
Status read_parts(const Json& json, T& value, const std::string& path) {
  Reader reader{json, path, {}};
  ModelParts::fields(reader, value);
  return reader.status;
}

template <class T>
Status read_dense(const Json& json, T& value, const std::string& path) {
  std::int64_t rows = 0, columns = 0;
  std::vector<typename T::Scalar> values;
  NEPH_CHECK(read_member(json, "rows", rows, path));
  NEPH_CHECK(read_member(json, "columns", columns, path));
  NEPH_CHECK(read_member(json, "values", values, path));
  const auto wrong_side = [](std::int64_t side, Index fixed) {
    return side < 0 || (fixed != Eigen::Dynamic && side != fixed);
  };
  if (wrong_side(rows, T::RowsAtCompileTime) || wrong_side(columns, T::ColsAtCompileTime) ||
      (rows > 0 && columns > std::ssize(values)) || (columns > 0 && rows > std::ssize(values)) ||
      rows * columns != std::ssize(values))
    return fail(ErrorCode::corrupt, "{}: {} values are not {} x {}", path, values.size(), rows, columns);
  value = Eigen::Map<const T>(values.data(), rows, columns);
  return value.allFinite() ? Status() : not_finite(path);
}

template <std::size_t I = 0>
Status read_backbone(const Json& json, Member::BackboneModel& value, const std::string& path) {
  if constexpr (I == std::variant_size_v<Member::BackboneModel>) {
    return fail(ErrorCode::corrupt, "{}: a kind of backbone that is not known", path);
  } else {
    std::string kind;
    NEPH_CHECK(read_member(json, "kind", kind, path));
    if (kind != backbone_names.at(I)) return read_backbone<I + 1>(json, value, path);
    return read_member(json, "parts", value.emplace<I>(), path);
  }
}

template <class T>
Status read(const Json& json, T& value, const std::string& path) {
  if constexpr (Dense<T>) {
    return read_dense(json, value, path);
  } else if constexpr (IsVariant<T>::value) {
    return read_backbone(json, value, path);
  } else if constexpr (is_optional_part<T>) {
    value.reset();
    if (json.is_null()) return {};
    if constexpr (std::is_same_v<T, std::optional<BoostedTrees>>) {
      TreesInFile trees;
      NEPH_CHECK(read(json, trees, path));
      if (trees.hash != hash_of(trees.text))
        return fail(ErrorCode::corrupt, "{}: the trees are not those that were written", path);
      NEPH_TRY(value, BoostedTrees::read(std::move(trees.levels), trees.text));
      return {};
    } else if constexpr (std::is_same_v<T, std::optional<GaussianProcess>>) {
      value.emplace(Scaling{}, FeatureMatrix{}, Eigen::VectorXd(), Kernel{});
      return read_parts(json, *value, path);
    } else {
      return read(json, value.emplace(), path);
    }
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

}  // namespace

std::string write_model(const Model& model) {
  Json json{{"format", format_name}, {"version", format_version}};
  Writer parts;
  ModelParts::fields(parts, model);
  json.update(parts.json);
  return dump_json(json) + "\n";
}

Result<Model> read_model(std::string_view text, std::string_view source) {
  const auto named = [&](const Error& error) {
    return fail(error.code == ErrorCode::unsupported ? error.code : ErrorCode::corrupt,
                "{}: not a model that can be used: {}", source, error.text());
  };
  const auto json = parse_json(text, "it");
  if (!json) return named(json.error());
  if (!json->is_object() || json->value("format", Json()) != format_name)
    return named({ErrorCode::corrupt, "it was not written by 'neph fit'"});
  std::int64_t version = 0;
  if (const auto status = from_json(json->value("version", Json()), version, "version"); !status)
    return named(status.error());
  if (version != format_version)
    return named(
        {ErrorCode::unsupported,
         fmt::format("it has version {} of the format, and this program reads version {}: {}", version,
                     format_version, version > format_version ? "ask a newer one" : "fit it again")});
  auto model = ModelParts::model();
  if (const auto status = read_parts(*json, model, "model"); !status) return named(status.error());
  if (const auto status = ModelParts::complete(model); !status) return named(status.error());
  return model;
}

Status save_model(const Model& model, const std::filesystem::path& path) {
  return write_file(path, write_model(model));
}

Result<Model> load_model(const std::filesystem::path& path) {
  NEPH_TRY(const auto text, read_file(path));
  auto model = read_model(text, path.string());
  if (!model && (table::is_store(path) || table::parse_table(text, path.string())))
    return fail(ErrorCode::invalid_argument,
                "{}: this has measurements, and a model is needed: neph fit {} --target COLUMN makes one",
                path.string(), path.string());
  return model;
}

}  // namespace neph::predict
