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

/// One description of each part, for both directions: fields(visit, part) calls visit("name", member) of each
/// member, one behind the other.
struct ModelParts {
  static void fields(auto& v, Describes<Scaling> auto& s) { v("center", s.center)("width", s.width); }
  static void fields(auto& v, Describes<FeatureMatrix> auto& s) {
    v("numbers", s.numbers)("levels", s.levels);
  }
  static void fields(auto& v, Describes<Kernel::Own> auto& s) {
    v("length", s.length)("offset", s.offset)("slope", s.slope);
  }
  static void fields(auto& v, Describes<Kernel> auto& s) {
    v("amplitude", s.amplitude)("slope", s.slope)("noise", s.noise)("lengths", s.lengths)("own", s.own);
  }
  static void fields(auto& v, Describes<LogLinear> auto& s) {
    v("scaling", s.scaling)("level", s.level)("slopes", s.slopes)("factors", s.factors);
  }
  static void fields(auto& v, Describes<WorkModel> auto& s) {
    v("coefficients", s.coefficients)("own_category", s.own_category)("own", s.own);
  }
  static void fields(auto& v, Describes<UserTermModel> auto& s) {
    v("work", s.work)("latency", s.latency)("power", s.power)("factors", s.factors);
  }
  static void fields(auto& v, Describes<Shift> auto& s) { v("kind", s.kind)("column", s.column); }
  static void fields(auto& v, Describes<ShiftScore> auto& s) {
    v("shift", s.shift)("group", s.group)("errors", s.errors)("trials", s.trials);
    v("distance", s.distance)("median", s.median)("reach", s.reach)("p90", s.p90);
  }
  static void fields(auto& v, Describes<TermTexts> auto& s) {
    v("work", s.work)("latency", s.latency)("scale", s.scale);
  }
  static void fields(auto& v, Describes<MachineColumns> auto& s) {
    v("machine", s.machine)("figures", s.figures)("precision", s.precision);
  }
  static void fields(auto& v, Describes<Roles> auto& s) {
    v("network", s.network)("variants", s.variants)("side", s.side)("batch", s.batch);
    v("hardware", s.hardware)("terms", s.terms)("sheets", s.sheets);
  }
  static void fields(auto& v, Describes<Design::Category> auto& s) {
    v("column", s.column)("levels", s.levels);
  }
  static void fields(auto& v, Describes<ModelOrigin> auto& s) {
    v("source", s.source)("target", s.target)("points", s.points)("rows", s.rows)("hash", s.hash);
  }
  static void fields(auto& v, Describes<Design::Number> auto& s) {
    v("column", s.column)("unit", s.unit)("is_ever_there", s.is_ever_there);
    v("is_quantity", s.is_quantity)("least", s.least)("may_be_empty", s.may_be_empty)("usual", s.usual);
    v("is_seen", s.is_seen);
  }
  static void fields(auto& v, Describes<Design> auto& s) {
    v("roles", s.roles_)("numbers", s.numbers_)("categories", s.categories_);
  }
  static void fields(auto& v, Describes<GaussianProcess> auto& s) {
    v("scaling", s.scaling)("rows", s.rows)("weights", s.weights)("kernel", s.kernel);
  }
  static void fields(auto& v, Describes<FeatureSubset> auto& s) {
    v("numbers", s.numbers)("categories", s.categories);
  }
  static void fields(auto& v, Describes<LevelColumns> auto& s) { v("own", s.own)("effects", s.effects); }
  static void fields(auto& v, Describes<TreesInFile> auto& s) {
    v("levels", s.levels)("xgboost", s.text)("hash", s.hash);
  }
  static void fields(auto& v, Describes<Member> auto& s) {
    v("spec", s.spec)("backbone", s.backbone)("process", s.process)("trees", s.trees);
  }
  static void fields(auto& v, Describes<Ensemble> auto& s) { v("columns", s.columns)("members", s.members); }
  static void fields(auto& v, Describes<ShiftScores> auto& s) { v("scores", s.scores); }
  static void fields(auto& v, Describes<table::Column> auto& s) {
    v("name", s.name)("numbers", s.numbers)("codes", s.codes)("levels", s.levels);
  }
  static void fields(auto& v, Describes<table::Table> auto& s) { v("columns", s.columns)("rows", s.rows); }
  static void fields(auto& v, Describes<Points> auto& s) {
    v("features", s.features)("target", s.target)("repeats", s.repeats)("deviations", s.deviations);
    v("noise", s.noise);
  }
  static void fields(auto& v, Describes<Model> auto& s) {
    v("origin", s.origin_)("design", s.design_)("method", s.method_)("measured", s.measured_);
    v("scores", s.scores_)("ensemble", s.ensemble_);
  }

  static Model model() { return Model(Design()); }
  /// What follows from what was read, which is checked first: whatever was edited, nothing may reach beyond a
  /// matrix later. Error: corrupt.
  static Status complete(Model& model);

 private:
  static Status find_roles(Design& design, const table::Table& points);
  static Status check(const Model& model);
};

}  // namespace neph::predict
