// The system under test in the program's own address space.
#include <fmt/format.h>

#include "engine/engine.hpp"
#include "workload/infer/input_choice.hpp"
#include "workload/infer/model_batch.hpp"
#include "workload/infer/pipeline.hpp"
#include "workload/infer/system_under_test.hpp"

namespace neph::workload {
namespace {

class InProcess final : public SystemUnderTest {
 public:
  InProcess(const InferSpec& spec, const Context& context)
      : spec_(spec), clock_(context.clock), events_(context.events) {}

  Status load(Timeline& timeline) override {
    NEPH_TRY(const auto path, file_of_model(spec_, events_));
    NEPH_TRY(auto* engine,
             timeline.during(phase::engine_load, [&] { return engines_.open(spec_.runtime.engine); }));
    NEPH_TRY(model_, timeline.during(phase::model_load, [&] { return engine->load(path); }));
    NEPH_TRY(choice_,
             timeline.during(phase::model_compile, [&] { return choose_inputs(*model_, path, spec_); }));
    engine_ = fmt::format("{} {}", engine->name(), engine->version());
    file_ = path.string();
    return {};
  }

  const InputPlan& plan() const override { return choice_.plan; }
  Examples& examples() override { return choice_.examples; }
  const std::vector<engine::Port>& outputs() const override { return choice_.session->outputs(); }

  Status compile(Timeline& timeline) override {
    if (choice_.session) return {};  // it was tried
    return timeline.during(phase::model_compile, [&]() -> Status {
      NEPH_TRY(choice_.session, model_->compile(engine_options(spec_, choice_.plan)));
      return {};
    });
  }

  std::int64_t advised_depth() const override { return choice_.session->optimal_requests(); }

  Result<std::unique_ptr<BatchRunner>> runner(std::int64_t depth) override {
    return Pipeline::make(*choice_.session, clock_, depth,
                          choice_.examples.all.empty() ? nullptr : &choice_.examples);
  }

  Facts facts() const override {
    auto all = choice_.session->facts();
    set(all, fact::engine, engine_);
    set(all, fact::model_file, file_);
    if (const auto fixed = fixed_batch(*model_); choice_.plan.is_batch_changed && fixed)
      set(all, fact::batch,
          fmt::format("the file has {}; made {} after its rows were tried", *fixed, choice_.plan.rows));
    return all;
  }

 private:
  const InferSpec spec_;
  const Clock& clock_;
  EventSink& events_;
  std::string engine_, file_;
  engine::Registry engines_;
  std::unique_ptr<engine::Model> model_;
  InputChoice choice_;
};

}  // namespace

std::unique_ptr<SystemUnderTest> sut_in_process(const InferSpec& spec, const Context& context) {
  return std::make_unique<InProcess>(spec, context);
}

}  // namespace neph::workload
