#include "wire/grpc_plugin.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>

namespace neph::wire {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(GrpcPlugin, ThatIsMissingOrBrokenIsNamed) {
  auto folder = (fs::temp_directory_path() / "neph-plugin-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto missing = load_grpc({folder, "/no/such/folder"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_THAT(missing.error().message,
              HasSubstr("neph-wire-grpc.so, which is not in " + folder + ", /no/such"));
  std::ofstream(folder + "/neph-wire-grpc.so") << "no library";
  const auto broken = load_grpc({folder});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::unsupported);
  EXPECT_THAT(broken.error().message, HasSubstr("gRPC cannot be loaded here: "));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace neph::wire
