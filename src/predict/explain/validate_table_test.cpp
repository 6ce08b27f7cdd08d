#include "predict/explain/validate_table.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace neph::predict {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// t is 3 batch on machine a, and half of that on b; each point was measured twice.
class ValidateTable : public testing::Test {
 protected:
  ValidateTable() {
    std::ofstream file(path_);
    file << "run,batch,machine,t (s)\n";
    for (int batch = 1; batch <= 8; ++batch)
      for (const auto* machine : {"a", "b"})
        for (const int run : {1, 2})
          file << run << ',' << batch << ',' << machine << ','
               << 3 * batch * (run == 1 ? 0.99 : 1.01) / (machine[0] == 'a' ? 1 : 2) << '\n';
  }
  ~ValidateTable() override { std::filesystem::remove(path_); }

  Result<Validation> validated(const ValidationOptions& options, const std::string& ignore = {}) const {
    return validate_table({.table = path_, .target = "t", .ignore = ignore}, options,
                          {.progress = [](auto) { return nullptr; }});
  }
  std::string refused(const ValidationOptions& options, const std::string& ignore = {}) const {
    const auto validation = validated(options, ignore);
    return validation ? "" : validation.error().text();
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("neph-validate-" + std::to_string(::getpid()) + ".csv"))
          .string();
};

TEST_F(ValidateTable, HasEveryMethodOnEverySplit) {
  const auto validation =
      validated({.split = "batch<=6 -> batch>6; batch<=7 -> batch>7", .method = "log-linear,trees"});
  ASSERT_TRUE(validation) << validation.error().text();
  EXPECT_EQ(validation->target, "t (s)");
  ASSERT_THAT(validation->splits, SizeIs(2));
  ASSERT_THAT(validation->methods, SizeIs(2));
  EXPECT_EQ(validation->methods[1].method, "trees");
  EXPECT_THAT(validation->methods[0].splits, SizeIs(2));
  EXPECT_THAT(validation->methods[0].rows, SizeIs(4 + 2));
  EXPECT_EQ(validation->explained, "");
}

TEST_F(ValidateTable, SaysWhyAColumnIsNoFeature) {
  EXPECT_THAT(refused({.leave_out = "nothing"}), HasSubstr("unknown column 'nothing' in"));
  EXPECT_THAT(refused({.leave_out = "t (s)"}), HasSubstr("; 't (s)' is the target"));
  EXPECT_THAT(refused({.leave_out = "run"}), HasSubstr("; 'run' is no feature (repeat), --use makes it one"));
  EXPECT_THAT(refused({.leave_out = "machine"}, "machine"),
              HasSubstr("; 'machine' is not looked at (--ignore)"));
}

TEST_F(ValidateTable, RefusesContradictions) {
  EXPECT_THAT(refused({.folds = 5, .sample = 6}), HasSubstr("give one of them"));
  EXPECT_THAT(refused({.keep = 3}), HasSubstr("--keep is of the values of --leave-out"));
  EXPECT_THAT(refused({.draws = 3}), HasSubstr("--draws is of --keep or --sample"));
  EXPECT_THAT(refused({.folds = 17}), HasSubstr("--folds 17: there are 16 different rows"));
  EXPECT_THAT(refused({.sample = 16}), HasSubstr("none would be left to predict"));
  EXPECT_THAT(refused({.method = "magic"}), HasSubstr("none of auto"));
  EXPECT_THAT(refused({.method = ","}), HasSubstr("--method names none of auto"));
}

}  // namespace
}  // namespace neph::predict
