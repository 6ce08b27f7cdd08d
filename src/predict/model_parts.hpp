// What a model consists of, as its file has it.
#pragma once

#include "predict/model.hpp"

namespace neph::predict {

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

}  // namespace neph::predict
