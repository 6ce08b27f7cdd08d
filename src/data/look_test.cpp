#include "data/scratch_test.hpp"

namespace neph::data {
namespace {

class Looking : public testing::Test {
 protected:
  Result<Set> seen(const Options& options = {}) const { return look(folder.text(), options); }
  Result<Set> seen(const std::string& name, const std::string& content, const Options& options = {}) const {
    write(folder / name, content);
    return look((folder / name).string(), options);
  }
  Scratch folder;
};

void expect_form(const Result<Set>& set, Form form) {
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(enum_name(set->form), enum_name(form));
  EXPECT_EQ(set->path, set->name);
}

/// Two pictures of 1 x 2 to learn from, one to verify with.
class IdxFolder : public Looking {
 protected:
  IdxFolder() {
    write(folder / "train-images-idx3-ubyte", idx({2, 1, 2}, "abcd"));
    write(folder / "train-labels-idx1-ubyte", idx({2}, std::string("\x01\x00", 2)));
    write(folder / "t10k-images-idx3-ubyte", idx({1, 1, 2}, "ab"));
    write(folder / "t10k-labels-idx1-ubyte", idx({1}, "\x02"));
  }
};

TEST_F(IdxFolder, FitsANetworkOfItsShapeOrOfAllItsValues) {
  expect_form(seen(), Form::idx);
  expect_form(seen({.example_shape = {1, 1, 2}, .classes = 1}), Form::idx);
  EXPECT_TRUE(seen({.example_shape = {2}}));
  EXPECT_EQ(code_of(seen({.example_shape = {3, 1, 2}})), ErrorCode::invalid_argument);
}

TEST_F(IdxFolder, MayBeCompressedOrHaveDotsInItsNames) {
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  write(folder / "train-images-idx3-ubyte.gz", zipped(idx({2, 1, 2}, "abcd")));
  std::filesystem::rename(folder / "t10k-labels-idx1-ubyte", folder / "t10k-labels.idx1-ubyte");
  expect_form(seen(), Form::idx);
  write(folder / "train-images-idx3-ubyte.gz", zipped(idx({2, 1, 2}, "abcd")).substr(0, 12));
  EXPECT_TRUE(has(message_of(seen()), "cut short")) << message_of(seen());
}

TEST_F(IdxFolder, AnyCutHeaderTellsHowMuchIsMissing) {
  write(folder / "train-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0", 6));
  EXPECT_TRUE(
      has(message_of(seen()), "train-images-idx3-ubyte is cut short: 10 of its 16 bytes are missing"));
  for (std::size_t size = 0; size < 16; ++size) {
    write(folder / "train-images-idx3-ubyte", idx({2, 1, 2}, "").substr(0, size));
    EXPECT_EQ(code_of(seen()), ErrorCode::corrupt) << size;
  }
}

TEST_F(IdxFolder, GarbageIsRefused) {
  write(folder / "train-labels-idx1-ubyte", "<html>404</html>");
  EXPECT_TRUE(has(message_of(seen()), "is not an IDX file: it begins with 3c 68 74 6d"));
  write(folder / "train-labels-idx1-ubyte", std::string("\0\0\x0d\x01\0\0\0\x01", 8));
  EXPECT_EQ(code_of(seen()), ErrorCode::unsupported);
  write(folder / "train-labels-idx1-ubyte", idx({0}, ""));
  EXPECT_TRUE(has(message_of(seen()), "is empty"));
  write(folder / "train-labels-idx1-ubyte", idx({0xffffffff, 0xffffffff, 0xffffffff}, ""));
  EXPECT_TRUE(has(message_of(seen()), "more elements than can be"));
}

TEST_F(IdxFolder, CountsAndShapesMustAgree) {
  write(folder / "train-labels-idx1-ubyte", idx({3}, std::string(3, '\0')));
  EXPECT_TRUE(has(message_of(seen()), "has 2 images and"));
  write(folder / "train-labels-idx1-ubyte", idx({2, 1}, "ab"));
  EXPECT_TRUE(has(message_of(seen()), "has 2 dimensions: labels are [count]"));
  write(folder / "train-labels-idx1-ubyte", idx({2}, "ab"));
  write(folder / "t10k-images-idx3-ubyte", idx({1, 2, 1}, "ab"));
  EXPECT_TRUE(has(message_of(seen()), "has examples of [1, 1, 2] and"));
  write(folder / "t10k-images-idx3-ubyte", idx({1, 2}, "ab"));
  EXPECT_TRUE(has(message_of(seen()), "has 2 dimensions: pictures are"));
}

TEST_F(IdxFolder, AMissingFileIsNamed) {
  std::filesystem::remove(folder / "t10k-labels-idx1-ubyte");
  EXPECT_EQ(code_of(seen()), ErrorCode::not_found);
  EXPECT_TRUE(has(message_of(seen()), "t10k-labels-idx1-ubyte is missing"));
}

Files cifar_files() {
  const std::string records(2 * 3073, '\0');
  Files files{{"cifar/batches.meta.txt", "airplane\n"}, {"cifar/test_batch.bin", records}};
  for (int i = 5; i >= 1; --i)  // archives have them in any order
    files.emplace_back("cifar/data_batch_" + std::to_string(i) + ".bin", records);
  return files;
}

using Cifar = Looking;

TEST_F(Cifar, IsAnArchiveOrAFolder) {
  for (const auto& [name, content] : cifar_files()) write(folder / name, content);
  write(folder / "set.tar", tar(cifar_files()));
  write(folder / "set.tar.gz", zipped(tar(cifar_files())));
  for (const auto* name : {"cifar", "set.tar", "set.tar.gz"}) {
    const auto path = (folder / name).string();
    expect_form(look(path, {.example_shape = {3, 32, 32}, .classes = 10}), Form::cifar);
    EXPECT_EQ(code_of(look(path, {.classes = 9})), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of(look(path, {.example_shape = {1, 28, 28}})), ErrorCode::invalid_argument);
  }
  std::filesystem::remove(folder / "cifar/test_batch.bin");
  EXPECT_EQ(code_of(look((folder / "cifar").string(), {})), ErrorCode::not_found);
}

TEST_F(Cifar, OfPythonsVersionNamesTheOther) {
  const auto set = seen("set.tar", tar({{"cifar-10-batches-py/data_batch_1", "x"}}));
  EXPECT_TRUE(has(message_of(set), "cifar-10-binary.tar.gz"));
}

using Archive = Looking;
const Options photograph{.example_shape = {3, 4, 4}};

TEST_F(Archive, OfImagesIsToldByTheFirst) {
  const auto archive = tar({{"README", std::string(1000, 'x')}, {"train/a/1.jpg", "not read"}});
  expect_form(seen("set.tar", archive, photograph), Form::image_archive);
  EXPECT_EQ(code_of(seen("set.tar", archive, {.example_shape = {3, 4, 5}})), ErrorCode::unsupported);
  EXPECT_TRUE(has(message_of(seen("set.tar", tar({{"README", "x"}}))), "has neither"));
}

TEST_F(Archive, EveryCutBeforeAndEveryDamagedHeaderIsRefused) {
  const auto whole = tar({{"README", std::string(1000, 'x')}, {"train/a/1.jpg", "not read"}});
  for (std::size_t size = 0; size < 512 + 1024 + 512; size += 511)
    EXPECT_EQ(code_of(seen("set.tar", whole.substr(0, size), photograph)), ErrorCode::corrupt) << size;
  auto damaged = whole;
  damaged[3] ^= 1;
  EXPECT_TRUE(has(message_of(seen("set.tar", damaged)), "is not a tar archive, or is damaged"));
  EXPECT_EQ(code_of(seen("set.tar.gz", zipped(whole).substr(0, 30), photograph)), ErrorCode::corrupt);
  EXPECT_EQ(code_of(seen("set.tar", "no archive")), ErrorCode::corrupt);
}

TEST_F(Archive, LongNamesAndPaxHeadersAreRead) {
  const auto path = std::string(150, 'd') + "/train/a/1.bmp";
  const auto line = " path=" + path + "\n";  // its length has three digits
  const auto cut = tar_entry("cut", "not read") + std::string(1024, '\0');
  const auto pax = tar_entry("pax", std::to_string(line.size() + 3) + line, 'x');
  expect_form(seen("pax.tar", pax + cut, photograph), Form::image_archive);
  const auto gnu = tar_entry("././@LongLink", path + '\0', 'L');
  expect_form(seen("gnu.tar", gnu + cut, photograph), Form::image_archive);
  EXPECT_TRUE(has(message_of(seen("bad.tar", tar_entry("pax", "9999 path=x\n", 'x') + cut)), "damaged pax"));
}

class ImageFolders : public Looking {
 protected:
  void add(const std::string& name) const { write(folder / name, "not read"); }
};

TEST_F(ImageFolders, HaveClassesByName) {
  for (const std::string around : {"", "around/everything/"}) {
    std::filesystem::remove_all(folder / "train");
    std::filesystem::remove_all(folder / "test");
    add(around + "train/dog/1.bmp");
    add(around + "train/cat/deeper/1.JPG");
    add(around + "test/dog/9.png");
    add(around + "train/bird/README.txt");
    expect_form(seen({.example_shape = {3, 4, 4}, .classes = 2}), Form::image_folders);
    EXPECT_TRUE(has(message_of(seen({.example_shape = {3, 4, 4}, .classes = 1})), "has 2 classes"));
  }
}

TEST_F(ImageFolders, WithoutHalvesNeedAClassOfTwo) {
  add("a/1.bmp");
  add("b/1.bmp");
  EXPECT_TRUE(has(message_of(seen(photograph)), "no class with two images"));
  add("b/2.bmp");
  EXPECT_TRUE(seen(photograph));
}

TEST_F(ImageFolders, RefuseWhatIsWrongByItsName) {
  add("train/a/1.bmp");
  add("test/b/2.bmp");
  EXPECT_TRUE(has(message_of(seen(photograph)), "test/b/2.bmp: the training half has no class 'b'"));
  std::filesystem::remove_all(folder / "test");
  EXPECT_TRUE(has(message_of(seen(photograph)), "no class with two images"));
  add("test/a/2.bmp");
  ASSERT_TRUE(seen(photograph));
  add("train/4.bmp");
  EXPECT_TRUE(has(message_of(seen(photograph)), "train/4.bmp in " + folder.text() + " lies in no class"));
  std::filesystem::remove(folder / "train/4.bmp");
  add("other/a/4.bmp");
  EXPECT_TRUE(has(message_of(seen(photograph)), "neither train/ nor test/"));
  std::filesystem::remove_all(folder / "other");
  std::filesystem::create_symlink("nowhere", folder / "train/a/3.jpg");
  EXPECT_TRUE(has(message_of(seen(photograph)), "train/a/3.jpg: cannot be read"));
  std::filesystem::remove(folder / "train/a/3.jpg");
  EXPECT_EQ(code_of(seen({.example_shape = {3, 4, 5}})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(seen({.example_shape = {3, -1, -1}})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(seen()), ErrorCode::invalid_argument);
  std::filesystem::remove_all(folder / "train");
  std::filesystem::remove_all(folder / "test");
  EXPECT_TRUE(has(message_of(seen(photograph)), "has no images"));
}

Files keras_files() {
  return {{"x_train.npy", npy("|u1", "(2, 1, 2)", "abcd")},
          {"y_train.npy", npy("<i8", "(2,)", little(1, 8) + little(0, 8))},
          {"x_test.npy", npy("|u1", "(1, 1, 2)", "ab")},
          {"y_test.npy", npy("|u1", "(1, 1)", "\x01")}};
}

class Npz : public Looking, public testing::WithParamInterface<bool> {
 protected:
  Result<Set> seen_zip(const Files& files, const Options& options = {}) const {
    return seen("set.npz", zip(files, GetParam()), options);
  }
};

TEST_P(Npz, FitsWithChannelsFirstOrLast) {
  expect_form(seen_zip(keras_files(), {.example_shape = {1, 1, 2}, .classes = 2}), Form::npz);
  EXPECT_TRUE(seen_zip(keras_files(), {.example_shape = {1, 2}}));
  auto files = keras_files();
  files[0].second = npy("<f4", "(2, 1, 2, 3)", "");
  files[2].second = npy("<f4", "(1, 1, 2, 3)", "");
  EXPECT_TRUE(seen_zip(files, {.example_shape = {3, 1, 2}}));
  EXPECT_TRUE(seen_zip(files, {.example_shape = {1, 2, 3}}));
  EXPECT_TRUE(
      has(message_of(seen_zip(files, {.example_shape = {3, 2, 1}})), "are [3, 1, 2] and the network"));
}

TEST_P(Npz, RefusesWhatDoesNotFit) {
  const auto with = [&](std::size_t i, const std::string& content) {
    auto files = keras_files();
    files[i].second = content;
    return message_of(seen_zip(files));
  };
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, 1, 2)", "abcd", "True")), "Fortran"));
  EXPECT_TRUE(has(with(0, npy(">f4", "(2, 1, 2)", std::string(16, 0))), "elements '>f4'"));
  EXPECT_TRUE(has(with(0, npy("<i4", "(2, 1, 2)", std::string(16, 0))), "examples are bytes, or floats"));
  EXPECT_TRUE(has(with(0, npy("|u1", "(4294967296, 4294967296, 9)", "")), "more elements than can be"));
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, -1, 2)", "")), "header is damaged"));
  EXPECT_TRUE(has(with(0, "garbage garbage"), "is not a .npy file"));
  EXPECT_TRUE(has(with(1, npy("|u1", "(3,)", "abc")), "has 2 examples and"));
  EXPECT_TRUE(has(with(1, npy("|u1", "(2, 10)", std::string(20, 0))), "one class each"));
  EXPECT_TRUE(has(with(1, npy("<f4", "(2,)", std::string(8, 0))), "floating-point labels"));
  auto files = keras_files();
  files.pop_back();
  EXPECT_TRUE(
      has(message_of(seen_zip(files)), "has no y_test.npy, only: x_train.npy, y_train.npy, x_test.npy"));
}

TEST_P(Npz, EveryCutIsRefused) {
  const auto whole = zip(keras_files(), GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(seen("set.npz", whole.substr(0, size))) << size;
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, Npz, testing::Bool());

TEST(Names, AreAnsweredWithTheNearestAndTheOrigin) {
  Scratch empty;
  ASSERT_EQ(::setenv("NEPH_DATA", empty.text().c_str(), 1), 0);
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", empty.text().c_str(), 1), 0);
  EXPECT_TRUE(has(message_of(look("mnits", {})), "did you mean 'mnist'?"));
  EXPECT_TRUE(has(message_of(look("cifar10", {})), "https://www.cs.toronto.edu/~kriz/cifar.html"));
  EXPECT_TRUE(has(message_of(look("mnist", {})), empty.text() + "/mnist"));
  for (const std::string half : {"train", "t10k"}) {
    write(empty / ("MNIST/raw/" + half + "-images-idx3-ubyte"), idx({1, 1, 1}, "a"));
    write(empty / ("MNIST/raw/" + half + "-labels-idx1-ubyte"), idx({1}, "\x0a"));
  }
  const auto set = look("mnist", {.classes = 10});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->name, "MNIST");
  EXPECT_EQ(set->path, empty / "MNIST/raw");
  EXPECT_TRUE(has(message_of(look("mnist", {.classes = 9})), "MNIST has 10 classes"));
  ::unsetenv("NEPH_DATA");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace neph::data
