// Packages as bytes: what is read of them, and what is refused. No libtorch is needed.
#include "engine/torch/package.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.hpp"

namespace neph::engine::torch_plugin {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* own_metadata =
    R"({"AOTI_DEVICE_KEY": "cpu", "AOTI_CPU_ISA": "AVX512 AMX_TILE", "neph": )"
    R"("{\"inputs\": [{\"name\": \"x\", \"element\": \"f32\", \"shape\": [-1, 3]}], )"
    R"(\"outputs\": [{\"name\": \"y\", \"element\": \"i64\", \"shape\": [-1]}], )"
    R"(\"precision\": \"bf16\", \"torch\": \"2.11.0\"}"})";

/// As torch 2.11 writes it.
constexpr const char* wrapper = R"(
    inputs_info_[0].name = "arg0_1";
    inputs_info_[1].name = "arg1_1";
    outputs_info_[0].name = "output0";
AOTI_NOINLINE static void check_input_0(
    AtenTensorHandle* input_handles
) {
    int32_t arg0_1_expected_dtype = aoti_torch_dtype_float32();
    if (arg0_1_size[0] < 2) {
    if (3 != arg0_1_size[1]) {
    if (28 != arg0_1_size[2]) {
    if (28 != arg0_1_stride[2]) {
}

AOTI_NOINLINE static void check_input_1(
    AtenTensorHandle* input_handles
) {
    int32_t arg1_1_expected_dtype = aoti_torch_dtype_int64();
}
)";

TEST(Description, IsInTheMetadataOfOurExporter) {
  const auto described = describe_package(own_metadata, "");
  ASSERT_TRUE(described) << described.error().message;
  ASSERT_EQ(described->inputs.size(), 1U);
  EXPECT_EQ(described->inputs[0].name, "x");
  EXPECT_THAT(described->inputs[0].shape, ElementsAre(-1, 3));
  EXPECT_EQ(described->outputs.at(0).element, Element::i64);
  EXPECT_EQ(described->device, "cpu");
  EXPECT_EQ(described->precision, "bf16");
  EXPECT_EQ(described->torch, "2.11.0");
}

TEST(Description, IsElseInTheChecksOfTheWrapper) {
  const auto described = describe_package(R"({"AOTI_DEVICE_KEY": "cuda"})", wrapper);
  ASSERT_TRUE(described) << described.error().message;
  ASSERT_EQ(described->inputs.size(), 2U);
  EXPECT_EQ(described->inputs[0].name, "arg0_1");
  EXPECT_THAT(described->inputs[0].shape, ElementsAre(-1, 3, 28));
  EXPECT_EQ(described->inputs[1].element, Element::i64);
  EXPECT_THAT(described->inputs[1].shape, IsEmpty());
  ASSERT_EQ(described->outputs.size(), 1U);
  EXPECT_TRUE(described->outputs[0].open_rank);
  EXPECT_EQ(described->device, "cuda");
  EXPECT_EQ(described->precision, "");
}

std::string refusal(const std::string& metadata, const std::string& source = "") {
  const auto described = describe_package(metadata, source);
  return described ? "it was read" : described.error().text();
}

TEST(Description, ThatIsNotThereSaysWhatToDo) {
  EXPECT_THAT(refusal(""), HasSubstr("export it by torch 2.11, or with the ports in its metadata"));
  EXPECT_THAT(refusal("", R"(inputs_info_[0].name = "a"; outputs_info_[0].name = "b";)"),
              HasSubstr("does not say what its input 'a' is"));
  std::string complex = wrapper;
  complex.replace(complex.find("float32"), 7, "complex64");
  EXPECT_THAT(refusal("", complex), HasSubstr("complex64, which neph cannot pass on"));
}

TEST(Description, ThatIsDamagedIsRefused) {
  EXPECT_THAT(refusal("{"), HasSubstr("its metadata"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(R"({"neph": "["})"), HasSubstr("what its metadata says to neph"));
  EXPECT_THAT(refusal(R"({"neph": "{\"inputs\": [{\"name\": \"x\", \"element\": \"f33\"}]}"})"),
              HasSubstr("a type or shape that cannot be"));
  EXPECT_THAT(
      refusal(R"({"neph": "{\"inputs\": [{\"name\": \"x\", \"element\": \"f32\", \"shape\": [-2]}]}"})"),
      HasSubstr("a type or shape that cannot be"));
}

TEST(Instructions, ThatTheProcessorLacksAreNamed) {
  EXPECT_EQ(lacking_instructions("AVX512 AMX_TILE", "fpu avx2 avx512f"), "AMX_TILE");
  EXPECT_EQ(lacking_instructions("AVX512 AMX_TILE", "fpu avx512f amx_tile"), "");
  EXPECT_EQ(lacking_instructions("AVX2", "fpu avx512f"), "AVX2");
  EXPECT_EQ(lacking_instructions("", ""), "");
}

struct File {
  std::string name, content;
};

/// Packages written byte by byte.
class Packages : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
  }

  static void put(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  }
  static std::uint32_t crc(const std::string& text) {
    std::uint32_t value = 0xffffffff;
    for (const auto byte : text) {
      value ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0xedb88320U : value >> 1;
    }
    return ~value;
  }
  /// Of both headers: from the method to the lengths of name and extra field.
  static void put_facts(std::string& text, const File& file) {
    put(text, 20, 2), put(text, 0, 2), put(text, method_, 2), put(text, 0, 4),
        put(text, crc(file.content), 4);
    put(text, file.content.size(), 4), put(text, file.content.size(), 4);
    put(text, file.name.size(), 2), put(text, 0, 2);
  }
  static std::string zip(const std::vector<File>& files) {
    std::string text, list;
    for (const auto& file : files) {
      put(list, 0x02014b50, 4), put(list, 20, 2);
      put_facts(list, file);
      put(list, 0, 10), put(list, text.size(), 4);
      list += file.name;
      put(text, 0x04034b50, 4);
      put_facts(text, file);
      text += file.name + file.content;
    }
    const auto at = text.size();
    text += list;
    put(text, 0x06054b50, 4), put(text, 0, 4), put(text, files.size(), 2), put(text, files.size(), 2);
    put(text, list.size(), 4), put(text, at, 4), put(text, 0, 2);
    return text;
  }
  static std::vector<File> usual(const std::string& model = "model") {
    const auto begin = "m/data/aotinductor/" + model + "/a.";
    return {{"m/archive_format", "pt2"},
            {begin + "wrapper.so", std::string("\0libtorch.so\0code", 17)},
            {begin + "wrapper_metadata.json", own_metadata},
            {begin + "kernel.cpp", ""}};
  }
  Result<Package> open(const std::string& bytes) {
    const auto path = folder_->path() / "p.pt2";
    EXPECT_TRUE(write_file(path, bytes));
    return open_package(path);
  }
  std::string refused(const std::string& bytes) {
    const auto package = open(bytes);
    return package ? "it was opened" : package.error().message;
  }

  std::optional<TemporaryFolder> folder_;
  static inline std::uint64_t method_ = 0;
};

TEST_F(Packages, AreUnpackedAndNeedNoMoreThanIsOpen) {
  fs::path there;
  {
    const auto package = open(zip(usual()));
    ASSERT_TRUE(package) << package.error().message;
    there = package->folder.path();
    EXPECT_EQ(package->library, there / "a.wrapper.so");
    EXPECT_EQ(read_file(package->library).value(), std::string("\0libc10.so\0\0\0code", 17));
    EXPECT_EQ(package->description.inputs.at(0).name, "x");
    EXPECT_EQ(std::distance(fs::directory_iterator(there), {}), 3);
  }
  EXPECT_FALSE(fs::exists(there));
}

TEST_F(Packages, OfSeveralModelsTheOneCalledModelIsTaken) {
  auto files = usual();
  for (auto& file : usual("other")) files.push_back(file);
  EXPECT_TRUE(open(zip(files)));
  files = usual("one");
  for (auto& file : usual("two")) files.push_back(file);
  EXPECT_THAT(refused(zip(files)), HasSubstr("several models (one, two)"));
}

TEST_F(Packages, WithoutACompiledModelAreRefused) {
  EXPECT_THAT(refused(zip({{"m/archive_format", "pt2"}})), HasSubstr("aoti_compile_and_package()"));
  auto files = usual();
  files[1].name += ".txt";
  EXPECT_THAT(refused(zip(files)), HasSubstr("no compiled library (.wrapper.so)"));
  files = usual();
  files.push_back({"m/data/aotinductor/model/a.wrapper.json", "{}"});
  EXPECT_THAT(refused(zip(files)), HasSubstr("operators that need Python's torch"));
}

TEST_F(Packages, WithNamesThatLeadElsewhereAreRefused) {
  for (const std::string name : {"..", "../../evil.so", "sub/evil.so", "/etc/evil"}) {
    auto files = usual();
    files.push_back({"m/data/aotinductor/model/" + name, "evil"});
    EXPECT_THAT(refused(zip(files)), HasSubstr("leads out of its folder")) << name;
  }
  auto files = usual();
  files.push_back({"../outside", "not needed, and not unpacked"});
  EXPECT_TRUE(open(zip(files)));
  EXPECT_FALSE(fs::exists(folder_->path().parent_path() / "outside"));
}

TEST_F(Packages, ThatAreCutShortAreRefused) {
  const auto whole = zip(usual());
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_THAT(refused(whole.substr(0, size)), HasSubstr("it is not a whole package")) << size;
}

TEST_F(Packages, ThatAreDamagedAreRefusedAndNothingElseHappens) {
  const auto whole = zip(usual());
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char byte : {'\0', '\xff'}) {
      auto damaged = whole;
      damaged[i] = byte;
      const auto opened = open(damaged);
      EXPECT_TRUE(opened || opened.error().code != ErrorCode::internal);
    }
  auto files = usual();
  auto bytes = zip(files);
  bytes[bytes.find("code")] = 'C';
  EXPECT_THAT(refused(bytes), HasSubstr("not a whole package")) << "its checksum differs";
}

TEST_F(Packages, ThatAreCompressedAreRefused) {
  method_ = 8;
  const auto bytes = zip(usual());
  method_ = 0;
  EXPECT_THAT(refused(bytes), HasSubstr("compressed or encrypted"));
}

}  // namespace
}  // namespace neph::engine::torch_plugin
