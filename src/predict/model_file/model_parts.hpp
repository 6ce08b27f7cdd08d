// What a model consists of, as its file has it.
#pragma once

#include "predict/ensemble/model.hpp"

namespace neph::predict {

/// Trees are XGBoost's own text, of which a hash tells whether anybody edited it: it checks little itself.
struct TreesInFile {
  LevelColumns levels;
  std::string text;
  std::string hash;
};

/// One description of each part, for both directions: fields(visit, part) calls visit("name", member).
struct ModelParts {
  template <class Visit, Describes<Scaling> Self>
  static void fields(Visit& v, Self& s) {
    v("center", s.center);
    v("width", s.width);
  }
  template <class Visit, Describes<FeatureMatrix> Self>
  static void fields(Visit& v, Self& s) {
    v("numbers", s.numbers);
    v("levels", s.levels);
  }
  template <class Visit, Describes<Inputs> Self>
  static void fields(Visit& v, Self& s) {
    v("matrix", s.matrix);
    v("ranged", s.ranged);
  }
  template <class Visit, Describes<Kernel::Own> Self>
  static void fields(Visit& v, Self& s) {
    v("length", s.length);
    v("offset", s.offset);
    v("slope", s.slope);
  }
  template <class Visit, Describes<Kernel> Self>
  static void fields(Visit& v, Self& s) {
    v("amplitude", s.amplitude);
    v("slope", s.slope);
    v("noise", s.noise);
    v("lengths", s.lengths);
    v("own", s.own);
  }
  template <class Visit, Describes<LogLinear> Self>
  static void fields(Visit& v, Self& s) {
    v("scaling", s.scaling);
    v("level", s.level);
    v("slopes", s.slopes);
    v("factors", s.factors);
  }
  template <class Visit, Describes<WorkModel> Self>
  static void fields(Visit& v, Self& s) {
    v("coefficients", s.coefficients);
    v("own_category", s.own_category);
    v("own", s.own);
  }
  template <class Visit, Describes<UserTermModel> Self>
  static void fields(Visit& v, Self& s) {
    v("work", s.work);
    v("latency", s.latency);
    v("power", s.power);
    v("factors", s.factors);
  }
  template <class Visit, Describes<Shift> Self>
  static void fields(Visit& v, Self& s) {
    v("kind", s.kind);
    v("column", s.column);
  }
  template <class Visit, Describes<ShiftScore> Self>
  static void fields(Visit& v, Self& s) {
    v("shift", s.shift);
    v("group", s.group);
    v("errors", s.errors);
    v("trials", s.trials);
    v("distance", s.distance);
    v("median", s.median);
    v("reach", s.reach);
    v("p90", s.p90);
  }
  template <class Visit, Describes<TermTexts> Self>
  static void fields(Visit& v, Self& s) {
    v("work", s.work);
    v("latency", s.latency);
    v("scale", s.scale);
  }
  template <class Visit, Describes<Roles> Self>
  static void fields(Visit& v, Self& s) {
    v("network", s.network);
    v("variants", s.variants);
    v("side", s.side);
    v("batch", s.batch);
    v("machine", s.machine);
    v("terms", s.terms);
    v("machines", s.machines);
  }
  template <class Visit, Describes<Design::Category> Self>
  static void fields(Visit& v, Self& s) {
    v("column", s.column);
    v("levels", s.levels);
  }
  template <class Visit, Describes<ModelOrigin> Self>
  static void fields(Visit& v, Self& s) {
    v("source", s.source);
    v("target", s.target);
    v("points", s.points);
    v("rows", s.rows);
    v("hash", s.hash);
  }
  template <class Visit, Describes<Design::Number> Self>
  static void fields(Visit& v, Self& s) {
    v("column", s.column);
    v("unit", s.unit);
    v("is_ever_there", s.is_ever_there);
    v("is_quantity", s.is_quantity);
    v("least", s.least);
    v("may_be_empty", s.may_be_empty);
    v("usual", s.usual);
    v("is_seen", s.is_seen);
  }
  template <class Visit, Describes<Design> Self>
  static void fields(Visit& v, Self& s) {
    v("roles", s.roles_);
    v("numbers", s.numbers_);
    v("categories", s.categories_);
    v("features", s.feature_names_);
    v("work_terms", s.work_names_);
    v("ranged", s.ranged_names_);
  }
  template <class Visit, Describes<GaussianProcess> Self>
  static void fields(Visit& v, Self& s) {
    v("scaling", s.scaling_);
    v("rows", s.rows_);
    v("weights", s.weights_);
    v("kernel", s.kernel_);
  }
  template <class Visit, Describes<FeatureSubset> Self>
  static void fields(Visit& v, Self& s) {
    v("numbers", s.numbers);
    v("categories", s.categories);
  }
  template <class Visit, Describes<LevelColumns> Self>
  static void fields(Visit& v, Self& s) {
    v("own", s.own);
    v("effects", s.effects);
  }
  template <class Visit, Describes<TreesInFile> Self>
  static void fields(Visit& v, Self& s) {
    v("levels", s.levels);
    v("xgboost", s.text);
    v("hash", s.hash);
  }
  template <class Visit, Describes<Member> Self>
  static void fields(Visit& v, Self& s) {
    v("spec", s.spec_);
    v("backbone", s.backbone_);
    v("process", s.process_);
    v("trees", s.trees_);
  }
  template <class Visit, Describes<Ensemble> Self>
  static void fields(Visit& v, Self& s) {
    v("columns", s.columns_);
    v("members", s.members_);
  }
  template <class Visit, Describes<ShiftScores> Self>
  static void fields(Visit& v, Self& s) {
    v("scores", s.scores_);
  }
  template <class Visit, Describes<table::Column> Self>
  static void fields(Visit& v, Self& s) {
    v("name", s.name);
    v("numbers", s.numbers);
    v("codes", s.codes);
    v("levels", s.levels);
  }
  template <class Visit, Describes<table::Table> Self>
  static void fields(Visit& v, Self& s) {
    v("columns", s.columns);
    v("rows", s.rows);
  }
  template <class Visit, Describes<Points> Self>
  static void fields(Visit& v, Self& s) {
    v("features", s.features);
    v("target", s.target);
    v("repeats", s.repeats);
    v("deviations", s.deviations);
    v("noise", s.noise);
  }
  template <class Visit, Describes<Model> Self>
  static void fields(Visit& v, Self& s) {
    v("origin", s.origin_);
    v("design", s.design_);
    v("low", s.low_);
    v("high", s.high_);
    v("counts", s.counts_);
    v("method", s.method_);
    v("measured", s.measured_);
    v("specs", s.specs_);
    v("scores", s.scores_);
    v("ensemble", s.ensemble_);
    v("points", s.points_);
  }

  /// The columns that a design knows, without rows.
  static table::Table columns_of(const Design& design) {
    table::Table nothing{.source = "the model"};
    for (const auto& number : design.numbers_) nothing.columns.push_back({.name = number.column});
    for (const auto& category : design.categories_) nothing.columns.push_back({.name = category.column});
    return nothing;
  }
  /// What follows from the roles.
  static Status find_roles(Model& model) {
    auto& design = model.design_;
    for (std::size_t c = 0; c < design.categories_.size(); ++c) {
      if (design.categories_[c].column == design.roles_.machine) design.machine_ = c;
    }
    NEPH_TRY(design.user_terms_, UserTerms::parse(design.roles_.terms, columns_of(design)));
    return {};
  }
  static Model model() { return Model(Design()); }
  static Status check(const Model& model);
};

}  // namespace neph::predict
