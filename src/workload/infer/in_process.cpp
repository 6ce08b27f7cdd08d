// The system under test in the program's own address space.
#include <fmt/format.h>

#include "engine/engine.hpp"
#include "net/net.hpp"
#include "workload/infer/model_batch.hpp"
#include "workload/infer/pictures.hpp"
#include "workload/infer/pipeline.hpp"
#include "workload/infer/system_under_test.hpp"

namespace neph::workload {
namespace {

class InProcess final : public SystemUnderTest {
 public:
  InProcess(const InferSpec& spec, const Context& context) : spec_(spec), clock_(context.clock) {}

  Status load(Timeline& timeline) override {
    NEPH_TRY(const auto path, net::model_file(spec_.model, {.classes = spec_.classes, .side = spec_.side},
                                              spec_.weights_seed));
    NEPH_TRY(auto* engine,
             timeline.during(phase::engine_load, [&] { return engines_.open(spec_.runtime.engine); }));
    NEPH_TRY(model_, timeline.during(phase::model_load, [&] { return engine->load(path); }));
    NEPH_TRY(transform_, transform_for(model_->inputs()));
    engine_ = fmt::format("{} {}", engine->name(), engine->version());
    file_ = path.string();
    return {};
  }

  const image::Transform& transform() const override { return transform_; }

  Status compile(Timeline& timeline) override {
    return timeline.during(phase::model_compile, [&]() -> Status {
      NEPH_TRY(session_, model_->compile(engine_options(spec_)));
      return {};
    });
  }

  std::int64_t advised_depth() const override { return session_->optimal_requests(); }

  Result<std::unique_ptr<BatchRunner>> runner(std::int64_t depth) override {
    return Pipeline::make(*session_, clock_, depth);
  }

  Facts facts() const override {
    auto all = session_->facts();
    set(all, fact::engine, engine_);
    set(all, fact::model_file, file_);
    if (const auto fixed = fixed_batch(*model_); fixed && *fixed != spec_.batch)
      set(all, fact::batch,
          fmt::format("the file has {}; made {} after its rows were tried", *fixed, spec_.batch));
    return all;
  }

 private:
  const InferSpec spec_;
  const Clock& clock_;
  std::string engine_, file_;
  engine::Registry engines_;
  std::unique_ptr<engine::Model> model_;
  std::unique_ptr<engine::Session> session_;
  image::Transform transform_;
};

}  // namespace

std::unique_ptr<SystemUnderTest> sut_in_process(const InferSpec& spec, const Context& context) {
  return std::make_unique<InProcess>(spec, context);
}

}  // namespace neph::workload
