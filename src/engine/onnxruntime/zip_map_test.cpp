// Classifiers that skl2onnx wrote by its defaults, whose last node makes maps.
#include "engine/onnxruntime/zip_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/protobuf.hpp"
#include "engine/models_for_tests.hpp"
#include "engine/onnxruntime/onnx_fields.hpp"

namespace neph::engine {
namespace {

using namespace protobuf;
using onnxruntime_plugin::without_zip_maps;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ZipMaps, GiveTheScoresThatTheyWouldMakeMapsOf) {
  const auto model = load("iris.onnx");
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(model->outputs().size(), 2);
  const auto& scores = model->outputs()[1];
  EXPECT_EQ(scores.name, "output_probability");
  EXPECT_EQ(scores.element, Element::f32);
  EXPECT_THAT(scores.shape, ElementsAre(-1, 3));
  EXPECT_THAT(model->notes(),
              ElementsAre(HasSubstr("output 'output_probability': the scores that ZipMap "
                                    "would make maps of, a column for each class (0, 1, 2)")));

  const auto session = model->compile({.batch = 2}).value();
  const auto request = request_of(*session);
  std::vector<float> flowers{5.1F, 3.5F, 1.4F, 0.2F, 7.7F, 3.0F, 6.1F, 2.3F}, found(6);
  std::array<std::int64_t, 2> labels{};
  ASSERT_TRUE(request->bind_input(0, flowers.data(), flowers.size() * sizeof(float)));
  ASSERT_TRUE(request->bind_output(0, labels.data(), sizeof(labels)));
  ASSERT_TRUE(request->bind_output(1, found.data(), found.size() * sizeof(float)));
  const auto status = request->infer();
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_THAT(labels, ElementsAre(0, 2));
  EXPECT_GT(found[0], 0.9F);
  EXPECT_GT(found[5], 0.9F);
  EXPECT_NEAR(found[0] + found[1] + found[2], 1, 1e-5);
}

TEST(ZipMaps, AreSaidWithTheNamesOfTheirClasses) {
  const auto model = load("iris_by_name.onnx");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->outputs()[0].element, Element::text);
  EXPECT_THAT(model->notes(), ElementsAre(HasSubstr("(setosa, versicolor, virginica)")));
}

TEST(ZipMaps, OfOtherModelsThereAreNone) {
  EXPECT_THAT(load("conv.onnx")->notes(), testing::IsEmpty());
  const auto whole = read_file(model_path("iris.onnx")).value();
  for (std::size_t size = 0; size < whole.size(); ++size)
    (void)without_zip_maps(std::string_view(whole).substr(0, size));  // ends, whatever it makes of it
  EXPECT_FALSE(without_zip_maps(read_file(model_path("conv.onnx")).value()));
}

TEST(ZipMaps, ListTheirClassesOneByOneOrPacked) {
  using namespace onnxruntime_plugin;
  std::string attribute, packed;
  for (const std::uint64_t number : {7, 300}) put_varint(packed, number);
  put_field(attribute, attribute_name, "classlabels_int64s");
  put_field(attribute, attribute_ints, packed);
  std::string node, graph, value, model;
  put_field(node, node_output, "maps");
  put_field(node, node_operator, "ZipMap");
  put_field(node, node_domain, "ai.onnx.ml");
  put_field(node, node_attribute, attribute);
  put_field(value, value_name, "maps");
  put_field(graph, graph_node, node);
  put_field(graph, graph_output, value);
  put_field(model, model_graph, graph);
  const auto made = without_zip_maps(model);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->notes, ElementsAre(HasSubstr("(7, 300)")));
}

}  // namespace
}  // namespace neph::engine
