#include "script/place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::script {
namespace {

using testing::HasSubstr;

std::string read(std::string_view address) {
  const auto place = parse_place("--results", address);
  if (!place) return place.error().text();
  return fmt::format("{} {}{}", enum_name(place->kind), place->at,
                     place->port.empty() ? "" : fmt::format(" ({})", place->port));
}

TEST(Places, AreReachedByTheProgramOfTheirKind) {
  EXPECT_EQ(read("s3://bucket/a/b"), "rclone :s3,provider=AWS,env_auth=true:bucket/a/b");
  EXPECT_EQ(read("gs://bucket"), "rclone :gcs,env_auth=true,bucket_policy_only=true:bucket");
  EXPECT_EQ(read("rclone://mine/a b"), "rclone mine:a b");
  EXPECT_EQ(read("rclone://mine"), "rclone mine:");
  EXPECT_EQ(read("https://host/x?sig=1"), "https https://host/x?sig=1");
  EXPECT_EQ(read("scp://me@host/srv/x"), "scp me@host:/srv/x (22)");
  EXPECT_EQ(read("scp://host:2222/~/x"), "scp host:x (2222)");
  EXPECT_EQ(read("/srv/it's"), "path /srv/it's");
  EXPECT_EQ(read("out/a:b"), "path out/a:b");
  EXPECT_EQ(read("file:///srv"), "path /srv");
}

TEST(Places, SayWhatIsWrong) {
  EXPECT_THAT(read(""), HasSubstr("--results '' is missing; give it as s3://"));
  EXPECT_THAT(read("ftp://host/x"), HasSubstr("begins with ftp://, which is not known"));
  EXPECT_THAT(read("s3:///x"), HasSubstr("has no host or bucket"));
  EXPECT_THAT(read("host:x"), HasSubstr("could be a host's or a remote's"));
  EXPECT_THAT(read("scp://host/"), HasSubstr("has no path"));
  EXPECT_THAT(read("scp://host:22a/x"), HasSubstr("has no port '22a'"));
  EXPECT_THAT(read("scp://-oProxyCommand=x/y"), HasSubstr("has no host"));
  EXPECT_THAT(read("rclone://-vv/y"), HasSubstr("has no host"));
  for (const auto* path : {"$(x)", "`x`", "it's", "a;b", "a|b", "a\\b"})
    EXPECT_THAT(read(fmt::format("scp://host/srv/{}", path)), HasSubstr("a shell at the other end")) << path;
  EXPECT_THAT(read("/a\nb"), HasSubstr("control character"));
}

TEST(Places, NameTheirFiles) {
  const auto name = [](std::string_view address) { return file_name_of(*parse_place("--data", address)); };
  EXPECT_EQ(name("https://host/a/photos.tar.gz?sig=a/b"), "photos.tar.gz");
  EXPECT_EQ(name("s3://bucket/photos/"), "photos");
  EXPECT_EQ(name("s3://bucket"), "bucket");
  EXPECT_EQ(name("scp://host/~/x"), "x");
}

}  // namespace
}  // namespace neph::script
