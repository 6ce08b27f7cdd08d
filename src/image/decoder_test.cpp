// The decoder against Pillow (pillow_reference.py): all shared photographs, and pictures of odd kinds.
#include "image/decoder.hpp"

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include <gmock/gmock.h>

#include "image/jpeg_writer.hpp"
#include "image/testing.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

using testing::HasSubstr;

constexpr std::size_t values = 224 * 224 * 3;
const SteadyClock steady_clock;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

double mean_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(int{a[i]} - int{b[i]});
  return sum / static_cast<double>(a.size());
}

class AgainstPillow : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TestFolder>();
    const std::string pictures = std::filesystem::exists(shared_images()) ? shared_images().string() : "";
    const auto command = fmt::format("{} src/image/pillow_reference.py {} {}", std::getenv("NEPH_PYTHON"),
                                     folder_->path().string(), pictures);
    ASSERT_EQ(std::system(command.c_str()), 0);
    reference_ = read_file(*folder_ / "reference.u8").value();
    std::istringstream names(read_file(*folder_ / "names").value());
    for (std::string name; std::getline(names, name);) names_.push_back(name);
    ASSERT_EQ(reference_.size(), names_.size() * values);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static bool is_odd(const std::string& name) { return name.find("/odd/") != std::string::npos; }

  /// File name → mean difference in levels, of the odd or the shared pictures.
  static std::map<std::string, double> differences(bool odd) {
    std::map<std::string, double> result;
    Decoder decoder(Transform{}, steady_clock);
    std::vector<std::uint8_t> rgb(values);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (is_odd(names_[i]) != odd) continue;
      const auto status = decoder.decode_rgb(bytes_of(read_file(names_[i]).value()), rgb);
      EXPECT_TRUE(status) << names_[i] << ": " << status.error().message;
      const auto* reference = reinterpret_cast<const std::uint8_t*>(reference_.data()) + i * values;
      result[std::filesystem::path(names_[i]).filename()] = mean_difference(rgb, {reference, values});
    }
    return result;
  }

  static inline std::unique_ptr<TestFolder> folder_;
  static inline std::string reference_;
  static inline std::vector<std::string> names_;
};

TEST_F(AgainstPillow, PhotographsAgreeWithin0Point3OnAverageAndNoneIsWorseThan3) {
  const auto differences = AgainstPillow::differences(false);
  if (differences.empty()) GTEST_SKIP() << "no photographs in " << shared_images();
  ASSERT_EQ(differences.size(), 500U);
  double sum = 0;
  for (const auto& [name, difference] : differences) {
    EXPECT_LT(difference, 3) << name;
    sum += difference;
  }
  EXPECT_LT(sum / 500, 0.3);
}

TEST_F(AgainstPillow, OddKindsAgree) {
  const auto differences = AgainstPillow::differences(true);
  EXPECT_GT(differences.size(), 40U);
  for (const auto& [name, difference] : differences) {
    const bool reduced =
        name.find("2300x2049") != std::string::npos;  // JPEG at 1/8, with edges harder than a lens makes
    EXPECT_LT(difference, reduced ? 3 : 0.8) << name;
  }
}

TEST_F(AgainstPillow, DecodedPartIsTheSameAfterAnyOtherPicture) {
  Decoder used(Transform{}, steady_clock);
  std::vector<float> first(values), again(values);
  for (const std::size_t i : {0U, 5U, 11U, 20U}) {
    const auto file = read_file(names_[i]).value();
    ASSERT_TRUE(Decoder(Transform{}, steady_clock).decode(bytes_of(file), first));
    ASSERT_TRUE(used.decode(bytes_of(file), again));
    EXPECT_EQ(first, again) << names_[i];
  }
}

std::string flat_jpeg(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < width * height; ++i) rgb.insert(rgb.end(), {red, green, blue});
  return write_jpeg(rgb, width, height, {.quality = 100}).value();
}

TEST(Decoder, NormalisesEachPlane) {
  Decoder decoder(Transform{}, steady_clock);
  std::vector<float> tensor(values);
  ASSERT_TRUE(decoder.decode(bytes_of(flat_jpeg(300, 280, 200, 100, 50)), tensor));
  const double level[3] = {200, 100, 50}, mean[3] = {0.485, 0.456, 0.406},
               deviation[3] = {0.229, 0.224, 0.225};
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t i = 0; i < values / 3; ++i)
      ASSERT_NEAR(tensor[p * values / 3 + i], (level[p] / 255 - mean[p]) / deviation[p], 2.01 / 255 / 0.22);
}

TEST(Decoder, OneChannelIsLuma) {
  const Transform transform{.resize_side = 28, .crop_side = 28, .channels = 1, .mean = {0}, .deviation = {1}};
  Decoder decoder(transform, steady_clock);
  std::vector<float> tensor(28 * 28);
  ASSERT_TRUE(decoder.decode(bytes_of(flat_jpeg(40, 60, 200, 100, 50)), tensor));
  for (const float value : tensor)
    ASSERT_NEAR(value, (0.299 * 200 + 0.587 * 100 + 0.114 * 50) / 255, 1.5 / 255);
}

TEST(Decoder, RefusesWhatIsNotAWholePicture) {
  Decoder decoder(Transform{}, steady_clock);
  std::vector<float> tensor(values);
  const auto whole = flat_jpeg(300, 280, 1, 2, 3);
  const auto refusal = [&](const std::string& file) {
    const auto result = decoder.decode(bytes_of(file), tensor);
    return result ? "accepted" : result.error().message;
  };
  EXPECT_EQ(refusal(""), "empty");
  EXPECT_THAT(refusal("<!DOCTYPE html><html></html>"), HasSubstr("not an image"));
  EXPECT_THAT(refusal("GIF89a.................."), HasSubstr("a GIF file"));
  for (const std::size_t size : {3U, 20U, 200U, 500U})
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("cut short")) << size;
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)), HasSubstr("cut short"));
  EXPECT_EQ(refusal(whole), "accepted");
}

TEST(Decoder, RefusesABombFromItsHeader) {
  auto bomb = flat_jpeg(300, 280, 1, 2, 3);
  const auto frame = bomb.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  for (const std::size_t at : {5U, 7U}) bomb.replace(frame + at, 2, "\xFF\xDC");  // 65500 x 65500
  Decoder decoder(Transform{}, steady_clock);
  std::vector<float> tensor(values);
  const auto result = decoder.decode(bytes_of(bomb), tensor);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
  EXPECT_THAT(result.error().message, HasSubstr("65500 x 65500"));
}

TEST(Decoder, RefusesKindsOfJpegByName) {
  const auto whole = flat_jpeg(300, 280, 1, 2, 3);
  const auto frame = whole.find("\xFF\xC0");
  Decoder decoder(Transform{}, steady_clock);
  std::vector<float> tensor(values);
  for (const auto& [marker, name] : std::map<char, std::string>{
           {'\xC9', "arithmetic-coded"}, {'\xC3', "lossless"}, {'\xC5', "hierarchical"}}) {
    auto changed = whole;
    changed[frame + 1] = marker;
    const auto result = decoder.decode(bytes_of(changed), tensor);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::unsupported);
    EXPECT_THAT(result.error().message, HasSubstr(name));
  }
  auto deep = whole;
  deep[frame + 4] = 12;
  EXPECT_THAT(decoder.decode(bytes_of(deep), tensor).error().message, HasSubstr("12 bits"));
}

TEST(Decoder, BytesBehindTheEndDoNoHarm) {
  Decoder decoder(Transform{}, steady_clock);
  std::vector<float> tensor(values);
  EXPECT_TRUE(decoder.decode(bytes_of(flat_jpeg(300, 280, 9, 9, 9) + std::string(100'000, 'x')), tensor));
}

}  // namespace
}  // namespace neph::image
