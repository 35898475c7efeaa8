// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .npy reader against files that NumPy wrote (npy/make_corpus.py), and against bytes that lie.
#include "support/npy/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>

#include "support/element.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/temporary_files.h"

namespace halyard::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Corpus(const std::string& name) { return std::string(HALYARD_TOOL_TEST_DATA "/npy/") + name + ".npy"; }

std::vector<std::byte> Bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// A file of version 1.0 with this dictionary and this many bytes after it.
std::vector<std::byte> File(std::string_view dictionary, size_t data_size) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xFF);
  text += static_cast<char>(dictionary.size() >> 8);
  text += dictionary;
  text.append(data_size, 'x');
  return Bytes(text);
}

// The message with which bytes are refused.
std::string ReadRefusalOf(std::vector<std::byte> file) {
  try {
    ParseNpy(std::move(file));
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kInput);
    return failure.what();
  }
  return "it was read";
}

std::vector<double> Numbers(const NpyArray& array) {
  const NumberReader reader = ReaderFor(array.type);
  std::vector<double> numbers;
  for (size_t i = 0; i < array.bytes.size(); i += reader.size * reader.components) {
    numbers.push_back(static_cast<double>(reader.read(array.bytes.data() + i)));
  }
  return numbers;
}

struct Dtype {
  const char* name;
  hal_element_type_t type;
};

class NpyDtypeTest : public testing::TestWithParam<Dtype> {};

INSTANTIATE_TEST_SUITE_P(All, NpyDtypeTest,
                         testing::Values(Dtype{"b1", HAL_ELEMENT_TYPE_I1}, Dtype{"i1", HAL_ELEMENT_TYPE_SI8},
                                         Dtype{"i2", HAL_ELEMENT_TYPE_SI16}, Dtype{"i4", HAL_ELEMENT_TYPE_SI32},
                                         Dtype{"i8", HAL_ELEMENT_TYPE_SI64}, Dtype{"u1", HAL_ELEMENT_TYPE_UI8},
                                         Dtype{"u2", HAL_ELEMENT_TYPE_UI16}, Dtype{"u4", HAL_ELEMENT_TYPE_UI32},
                                         Dtype{"u8", HAL_ELEMENT_TYPE_UI64}, Dtype{"f2", HAL_ELEMENT_TYPE_F16},
                                         Dtype{"f4", HAL_ELEMENT_TYPE_F32}, Dtype{"f8", HAL_ELEMENT_TYPE_F64},
                                         Dtype{"c8", HAL_ELEMENT_TYPE_COMPLEX_F32},
                                         Dtype{"c16", HAL_ELEMENT_TYPE_COMPLEX_F64}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(NpyDtypeTest, EveryByteOrderAndLayoutGivesTheSameArray) {
  const bool is_boolean = GetParam().type == HAL_ELEMENT_TYPE_I1;
  for (const char* variant : {"_little", "_big", "_fortran", "_big_fortran"}) {
    const NpyArray array = ReadNpyFile(Corpus(GetParam().name + std::string(variant)));
    EXPECT_EQ(array.type, GetParam().type) << variant;
    EXPECT_THAT(array.shape, ElementsAre(2, 3)) << variant;
    if (is_boolean) {
      EXPECT_THAT(Numbers(array), ElementsAre(0, 1, 1, 1, 1, 1)) << variant;
    } else {
      EXPECT_THAT(Numbers(array), ElementsAre(0, 1, 2, 3, 4, 5)) << variant;
    }
  }
}

TEST_P(NpyDtypeTest, WritesWhatNumpyWrites) {
  const TemporaryFolder folder;
  const std::string original = Corpus(GetParam().name + std::string("_little"));
  WriteNpyFile(folder / "copy.npy", ReadNpyFile(original));
  EXPECT_EQ(ReadNpyFile(folder / "copy.npy").bytes, ReadNpyFile(original).bytes);
  // NumPy pads its headers more generously since 1.23; all before that and all after it is the same.
  const std::string copy = ReadText(folder / "copy.npy");
  EXPECT_EQ(copy.substr(10, copy.find('}') - 9), ReadText(original).substr(10, copy.find('}') - 9));
  EXPECT_EQ((10 + copy.substr(10).find('\n') + 1) % 64, 0u);
}

TEST(NpyTest, ReadsAllVersions) {
  for (const char* name : {"version_1", "version_2", "version_3"}) {
    EXPECT_THAT(Numbers(ReadNpyFile(Corpus(name))), ElementsAre(0, 1, 2, 3, 4, 5)) << name;
  }
}

TEST(NpyTest, ReadsScalarsVectorsAndEmptyArrays) {
  const NpyArray scalar = ReadNpyFile(Corpus("scalar"));
  EXPECT_THAT(scalar.shape, ElementsAre());
  EXPECT_THAT(Numbers(scalar), ElementsAre(5));
  EXPECT_THAT(ReadNpyFile(Corpus("vector")).shape, ElementsAre(6));
  const NpyArray empty = ReadNpyFile(Corpus("empty"));
  EXPECT_THAT(empty.shape, ElementsAre(0, 3));
  EXPECT_TRUE(empty.bytes.empty());
}

TEST(NpyTest, TransposesThreeDimensions) {
  const std::vector<double> numbers = Numbers(ReadNpyFile(Corpus("fortran_3d")));
  ASSERT_EQ(numbers.size(), 24u);
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<double>(i));
}

TEST(NpyTest, ReadsWhatOldPythonWrote) {
  const NpyArray array = ParseNpy(File("{\"shape\": (2L, 1L), 'fortran_order': False, 'descr': \"|u1\"}", 2));
  EXPECT_THAT(array.shape, ElementsAre(2, 1));
}

TEST(NpyTest, RefusesWhatHasNoElementType) {
  const std::array<std::array<const char*, 2>, 8> cases = {{
      {"bad_object", "Python objects"},
      {"bad_bytes", "byte strings"},
      {"bad_text", "text"},
      {"bad_record", "record of several fields"},
      {"bad_void", "bfloat16"},
      {"bad_date", "dates or durations"},
      {"bad_long_double", "long doubles"},
      {"bad_archive", ".npz archive"},
  }};
  for (const auto& [name, words] : cases) {
    EXPECT_THAT(ReadRefusalOf(ReadFile(Corpus(name))), HasSubstr(words));
  }
}

TEST(NpyTest, MessagesBeginWithTheFile) {
  try {
    ReadNpyFile(Corpus("bad_object"));
    ADD_FAILURE() << "it was read";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), testing::StartsWith("'" + Corpus("bad_object") + "': dtype '|O'"));
  }
}

TEST(NpyTest, RefusesOtherFiles) {
  EXPECT_THAT(ReadRefusalOf({}), HasSubstr("empty"));
  EXPECT_THAT(ReadRefusalOf(Bytes("hello")), HasSubstr("no .npy file"));
  EXPECT_THAT(ReadRefusalOf(Bytes("\x93NUM")), HasSubstr("cut short"));
  EXPECT_THAT(ReadRefusalOf(Bytes("\x93NUMPY")), HasSubstr("cut short"));
  EXPECT_THAT(ReadRefusalOf(Bytes(std::string_view("\x93NUMPY\x04\x00\x00\x00", 10))), HasSubstr("version 4.0"));
  EXPECT_THAT(ReadRefusalOf(Bytes(std::string_view("\x93NUMPY\x01\x01\x00\x00", 10))), HasSubstr("version 1.1"));
}

TEST(NpyTest, RefusesEveryTruncation) {
  const std::vector<std::byte> whole = ReadFile(Corpus("f4_little"));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(ReadRefusalOf({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}), "it was read") << size;
  }
}

TEST(NpyTest, RefusesHeadersThatPromiseMoreThanThereIs) {
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 8)),
              HasSubstr("cut short"));
  // Far more than any machine has: nothing may be allocated for it.
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f8', 'fortran_order': True, 'shape': (1000000, 1000000, 1000)}", 8)),
              HasSubstr("cut short"));
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 8)),
              HasSubstr("more than 2^63"));
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", 8)),
              HasSubstr("past 2^63"));
  EXPECT_THAT(ReadRefusalOf(Bytes(std::string_view("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14))),
              HasSubstr("should have 4294967295 bytes"));
}

TEST(NpyTest, RefusesWhatFollowsTheArray) {
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9)), HasSubstr("too long"));
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 1)), HasSubstr("too long"));
}

TEST(NpyTest, RefusesMalformedHeaders) {
  const std::array<std::array<const char*, 2>, 14> cases = {{
      {"", "expected '{'"},
      {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
      {"{'descr': '<f4', 'shape': (1,)}", "'fortran_order' is missing"},
      {"{'fortran_order': False, 'shape': (1,)}", "'descr' is missing"},
      {"{'descr': '<f4', 'descr': '<f4'}", "twice"},
      {"{'descr': '<f4', 'order': 'C'}", "none of"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "True or False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", "expected ','"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", "expected '('"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "negative"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "expected ','"},
      {"{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}", "is unknown"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", "follows after the dictionary"},
      {"{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "dtype '<f3' is unknown"},
  }};
  for (const auto& [dictionary, words] : cases) {
    EXPECT_THAT(ReadRefusalOf(File(dictionary, 4)), HasSubstr(words)) << dictionary;
  }
}

TEST(NpyTest, RefusesTooManyDimensions) {
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1, ";
  EXPECT_THAT(ReadRefusalOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ")}", 4)),
              HasSubstr("more than 64"));
}

TEST(NpyTest, RefusesToWriteWhatNumpyDoesNotHave) {
  EXPECT_THROW(NpyHeader(HAL_ELEMENT_TYPE_BF16, {}), Failure);
  EXPECT_EQ(NpyDescr(HAL_ELEMENT_TYPE_BF16), "");
  EXPECT_EQ(NpyDescr(HAL_ELEMENT_TYPE_NONE), "");
}

}  // namespace
}  // namespace halyard::tools
