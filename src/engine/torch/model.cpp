#include "engine/torch/model.hpp"

#include <algorithm>

#include "core/names.hpp"
#include "engine/input_shapes.hpp"
#include "engine/torch/device.hpp"
#include "engine/torch/session.hpp"

namespace neph::engine::torch_plugin {
namespace {

Result<Element> element_of(const net::ProgramPort& port) {
  const auto name = port.element.empty() && !port.integers ? std::string_view("f32") : port.element;
  for (const auto& known : enum_names(Element{}))
    if (known.name == name && known.value != Element::f16 && known.value != Element::bf16 &&
        known.value != Element::text)
      return known.value;
  return fail(ErrorCode::unsupported, "'{}' is of a type that engine torch does not take ({})", port.name,
              name.empty() ? "no numbers" : name);
}

Result<std::vector<Port>> ports_of(const std::vector<net::ProgramPort>& given) {
  std::vector<Port> ports;
  for (const auto& port : given) {
    NEPH_TRY(const auto element, element_of(port));
    ports.push_back({.name = port.name, .element = element, .shape = port.shape});
  }
  return ports;
}

Status check_precision(const Place& place, Precision precision) {
  const auto& native = place.device.precisions;
  if (precision == Precision::automatic || std::find(native.begin(), native.end(), precision) != native.end())
    return {};
  return fail(ErrorCode::unsupported, "precision {}: {} ({}) does not compute in it with torch",
              enum_name(precision), place.device.name, place.device.description);
}

class TorchModel final : public Model {
 public:
  TorchModel(const Library& library, std::string file, Simplified simple, std::vector<Port> inputs,
             std::vector<Port> outputs)
      : library_(&library),
        file_(std::move(file)),
        simple_(std::move(simple)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }

  Result<std::unique_ptr<Session>> compile(const Options& options) override {
    auto made = compile_checked(options);
    if (!made) {
      auto error = made.error();
      error.message = fmt::format("{}: {}", file_, error.message);
      return tl::unexpected(std::move(error));
    }
    return made;
  }

 private:
  Result<std::unique_ptr<Session>> compile_checked(const Options& options) {
    NEPH_CHECK(check_counts(options));
    NEPH_CHECK(check_no_provider(options));
    NEPH_CHECK(check_no_spinning(
        options, "threads of torch are OpenMP's: OMP_WAIT_POLICY=active or passive in the environment"));
    NEPH_TRY(const auto place, find_place(*library_, options.device));
    NEPH_CHECK(check_precision(place, options.precision));
    if (options.pinning == Pinning::on)
      return fail(ErrorCode::unsupported, "pinning on: torch ties no threads to cores; use auto or off");
    NEPH_TRY(auto sizes, input_shapes(inputs_, options));
    return make_session(*library_, place, simple_, std::move(sizes), inputs_, outputs_, options);
  }

  const Library* library_;
  std::string file_;
  Simplified simple_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

}  // namespace

Result<std::unique_ptr<Model>> load_model(const Library& library, const std::filesystem::path& path) {
  NEPH_TRY(auto program, net::read_program(path));
  auto inputs = ports_of(program.inputs);
  auto outputs = ports_of(program.outputs);
  for (const auto* ports : {&inputs, &outputs})
    if (!*ports)
      return fail(ports->error().code, "cannot load {}: {}", path.string(), ports->error().message);
  return std::make_unique<TorchModel>(library, path.string(), simplify_for_inference(std::move(program)),
                                      std::move(*inputs), std::move(*outputs));
}

}  // namespace neph::engine::torch_plugin
