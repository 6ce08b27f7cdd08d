// Lines as Keras 3.15, Transformers 5.24 and Lightning 2.6 wrote them into a pipe.
#include "workload/command/text_output.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace neph::workload::command {
namespace {

std::map<Value, double> values_of(const std::vector<Told>& all) {
  std::map<Value, double> values;
  for (const auto& each : all)
    if (const auto* figure = std::get_if<Figure>(&each.what)) values[figure->value] = figure->number;
  return values;
}

TEST(ShownLine, WhatWasWrittenOverIsGone) {
  EXPECT_EQ(shown_line("\r 50%\r100%\r"), "100%");
  EXPECT_EQ(shown_line("abc\b\b\b\r\x1b[1m45/45\x1b[0m \x1b[32m--\x1b[0m"), "45/45 --");
  EXPECT_EQ(shown_line("plain"), "plain");
  EXPECT_EQ(shown_line("cut \x1b[3"), "cut ");
  EXPECT_EQ(shown_line("cut \x1b"), "cut ");
  EXPECT_EQ(shown_line(""), "");
}

TEST(TextOutput, KerasVerbose2TellsEpochs) {
  TextOutput output;
  EXPECT_TRUE(output.hear("Epoch 1/2", 10).empty());
  const auto all = output.hear(
      "45/45 - 4s - 93ms/step - accuracy: 0.0993 - loss: 2.3357 - val_accuracy: 0.1281 - val_loss: 2.3201",
      14);
  ASSERT_FALSE(all.empty());
  const auto& epoch = std::get<Span>(all[0].what);
  EXPECT_EQ(epoch.kind, SpanKind::epoch);
  EXPECT_EQ(epoch.begin_s, 10);
  EXPECT_EQ(epoch.end_s, 14);
  EXPECT_EQ(epoch.steps, 45);
  const auto values = values_of(all);
  EXPECT_NEAR(values.at(Value::step_s), 0.093, 1e-9);
  EXPECT_EQ(values.at(Value::train_loss), 2.3357);
  EXPECT_EQ(values.at(Value::test_loss), 2.3201);
  EXPECT_EQ(values.at(Value::test_accuracy), 0.1281);
}

TEST(TextOutput, WhatKerasEvaluatesIsTheTestNotTheValidation) {
  TextOutput output;
  output.hear("Epoch 1/1", 10);
  output.hear("45/45 - 4s - 93ms/step - accuracy: 0.1 - loss: 2.3 - val_accuracy: 0.2 - val_loss: 2.2", 14);
  const auto all = output.hear("16/16 ━━━ 0s 2ms/step - accuracy: 0.3000 - loss: 2.1000", 15);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(values_of(all).at(Value::test_accuracy), 0.3);
  EXPECT_EQ(values_of(all).at(Value::test_loss), 2.1);
  EXPECT_TRUE(output.hear("16/16 ━━━ 0s 2ms/step", 16).empty()) << "predict()";
}

TEST(TextOutput, KerasVerbose1IsReadBehindItsBar) {
  TextOutput output;
  output.hear("Epoch 2/2", 10);
  EXPECT_TRUE(
      output
          .hear(shown_line("\r\x1b[1m 1/45\x1b[0m \x1b[37m━━\x1b[0m \x1b[1m9s\x1b[0m 225ms/step - loss: 2.4"),
                11)
          .empty());
  const auto all = output.hear(shown_line("\x1b[1m44/45\x1b[0m \b\b\b\r\x1b[1m45/45\x1b[0m "
                                          "\x1b[32m━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m5s\x1b[0m "
                                          "101ms/step - accuracy: 0.1125 - loss: 2.3020"),
                               15);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(std::get<Span>(all[0].what).steps, 45);
  EXPECT_EQ(values_of(all).at(Value::train_loss), 2.302);
}

TEST(TextOutput, KerasEvaluationIsNoEpoch) {
  TextOutput output;
  EXPECT_TRUE(output.hear("16/16 - 0s - 5ms/step - accuracy: 0.1660 - loss: 2.3", 3).empty());
}

TEST(TextOutput, TheTrainersDictionariesAreRead) {
  TextOutput output;
  const auto end = values_of(output.hear(
      "{'train_runtime': '13.04', 'train_samples_per_second': '245.3', 'train_steps_per_second': '15.33', "
      "'train_loss': '0.6932', 'epoch': '2'}",
      20));
  EXPECT_EQ(end.at(Value::samples_per_s), 245.3);
  EXPECT_NEAR(end.at(Value::step_s), 1 / 15.33, 1e-12);
  EXPECT_EQ(end.at(Value::train_loss), 0.6932);
  const auto verified =
      values_of(output.hear("{'eval_loss': 0.6934, 'eval_runtime': 0.1056, 'epoch': 1.0}", 20));
  EXPECT_EQ(verified.at(Value::test_loss), 0.6934);
}

TEST(TextOutput, LightningTellsTheRateOfItsLastEpoch) {
  TextOutput output;
  const auto rich =
      values_of(output.hear("Epoch 1/1  ━━━━━━ 100/100 0:00:06 • 0:00:00 14.72it/s v_num: 0.000", 20));
  EXPECT_NEAR(rich.at(Value::step_s), 1 / 14.72, 1e-12);
  const auto tqdm =
      values_of(output.hear("Epoch 1: 100%|██████████| 100/100 [00:06<00:00, 38.11it/s, v_num=0]", 20));
  EXPECT_NEAR(tqdm.at(Value::step_s), 1 / 38.11, 1e-12);
}

TEST(TextOutput, OtherLinesTellNothing) {
  TextOutput output;
  output.hear("Epoch 1/2", 1);
  for (const auto* line :
       {"", "epoch 1: loss 2.42", "45/45", "45/", "45/46 - 4s - 93ms/step", "0/0 - 0s - 1ms/step", "{'loss'}",
        "{'train_loss': }", "{'train_loss': '0.69'", "Epoch it/s", "Epoch 1: -3it/s", "Epoch 1: 0it/s",
        "45/45 - 4s - xms/step", "45/45 - 4s - 93h/step",
        "99999999999999999999/99999999999999999999 - 1s - 1ms/step"})
    EXPECT_TRUE(output.hear(line, 2).empty()) << line;
  EXPECT_TRUE(output.hear(std::string(100000, '4'), 2).empty());
}

}  // namespace
}  // namespace neph::workload::command
