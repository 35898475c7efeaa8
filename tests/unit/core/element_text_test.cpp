// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/element_text.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace halyard {
namespace {

template <class T>
std::string Element(hal_element_type_t type, T value) {
  char text[256];
  BoundedText out(text, sizeof(text));
  AppendElement(type, &value, &out);
  EXPECT_FALSE(out.IsCut());
  return text;
}

std::string Elements(std::vector<int64_t> sizes, size_t shown) {
  std::vector<int8_t> elements(shown);
  for (size_t i = 0; i < shown; ++i) elements[i] = static_cast<int8_t>(i + 1);
  char text[256];
  BoundedText out(text, sizeof(text));
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_I8, static_cast<uint32_t>(sizes.size()), sizes.data(), nullptr};
  AppendElements(shape, elements.data(), shown, &out);
  return text;
}

TEST(ElementTextTest, Integers) {
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I1, uint8_t{0}), "0");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I1, uint8_t{255}), "1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I4, uint8_t{0x0F}), "-1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 4), uint8_t{0xFF}), "15");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I8, int8_t{-128}), "-128");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_UI8, uint8_t{200}), "200");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_SI16, int16_t{-2}), "-2");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_UI32, std::numeric_limits<uint32_t>::max()), "4294967295");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I64, std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_UI64, std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_INDEX, int64_t{42}), "42");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 24), uint32_t{0xAAFFFFFE}), "-2");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 12), uint16_t{0xF123}), "291");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 33), uint64_t{1} << 32), "-4294967296");
  const struct { uint64_t low, high; } wide = {0x0102030405060708, 1};
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_I128, wide), "08070605040302010100000000000000");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F128, wide), "08070605040302010100000000000000");
}

TEST(ElementTextTest, Floats) {
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F32, 0.1f), "0.1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F32, -3.0f), "-3");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F64, 0.1), "0.1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F64, 1e300), "1e+300");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F32, std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F64, -std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F32, std::numeric_limits<float>::quiet_NaN()), "nan");
}

TEST(ElementTextTest, HalfFloats) {
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x3C00}), "1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0xC000}), "-2");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x7BFF}), "65504");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x2E66}), "0.099976");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x0001}), "5.9605e-08");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x8000}), "-0");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x7C00}), "inf");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0xFC00}), "-inf");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_F16, uint16_t{0x7E00}), "nan");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_BF16, uint16_t{0x3F80}), "1");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_BF16, uint16_t{0x4049}), "3.141");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_BF16, uint16_t{0xFF80}), "-inf");
}

// What ml_dtypes, NumPy's extension for these types, makes of the same bytes.
TEST(ElementTextTest, SmallFloats) {
  const struct {
    hal_element_type_t type;
    const char* texts[6];  // of 0x01, 0x1B, 0x3F, 0x7C, 0x80 and 0xFF
  } kExpected[] = {
      {HAL_ELEMENT_TYPE_F8E5M2, {"1.526e-05", "0.003418", "1.75", "inf", "-0", "nan"}},
      {HAL_ELEMENT_TYPE_F8E4M3, {"0.001953", "0.08594", "1.875", "nan", "-0", "nan"}},
      {HAL_ELEMENT_TYPE_F8E3M4, {"0.01562", "0.4219", "1.938", "nan", "-0", "nan"}},
      {HAL_ELEMENT_TYPE_F8E4M3FN, {"0.001953", "0.08594", "1.875", "384", "-0", "nan"}},
      {HAL_ELEMENT_TYPE_F8E5M2FNUZ, {"7.629e-06", "0.001709", "0.875", "3.277e+04", "nan", "-5.734e+04"}},
      {HAL_ELEMENT_TYPE_F8E4M3FNUZ, {"0.0009766", "0.04297", "0.9375", "192", "nan", "-240"}},
      {HAL_ELEMENT_TYPE_F8E4M3B11FNUZ, {"0.0001221", "0.005371", "0.1172", "24", "nan", "-30"}},
      {HAL_ELEMENT_TYPE_F8E8M0FNU, {"1.175e-38", "7.889e-31", "5.421e-20", "0.125", "2", "nan"}},
      {HAL_ELEMENT_TYPE_F6E2M3FN, {"0.125", "5.5", "-7.5", "-6", "0", "-7.5"}},
      {HAL_ELEMENT_TYPE_F6E3M2FN, {"0.0625", "14", "-28", "-16", "0", "-28"}},
      {HAL_ELEMENT_TYPE_F4E2M1FN, {"0.5", "-1.5", "-6", "-2", "0", "-6"}},
  };
  for (const auto& [type, texts] : kExpected) {
    char name[24];
    hal_element_type_format(type, name, sizeof(name));
    const uint8_t bits[] = {0x01, 0x1B, 0x3F, 0x7C, 0x80, 0xFF};
    for (size_t i = 0; i < std::size(bits); ++i) EXPECT_EQ(Element(type, bits[i]), texts[i]) << name << " " << +bits[i];
  }
}

TEST(ElementTextTest, ComplexNumbersAndOpaqueBytes) {
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_F32, std::complex<float>(1, 2)), "1+2i");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_F64, std::complex<double>(-0.5, -2.25)), "-0.5-2.25i");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_F32, std::complex<float>(0, -0.0f)), "0-0i");
  const struct { uint16_t real, imaginary; } half = {0x3C00, 0xC000}, brain = {0x3F80, 0x4049};
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_F16, half), "1-2i");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_BF16, brain), "1+3.141i");
  const struct { int8_t real, imaginary; } integer = {1, -2}, wrong = {-3, 5}, eighth = {0x38, 0x40};
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I8), integer), "1-2i");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_UI8), wrong), "253+5i");
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E4M3FN), eighth), "1+2i");
  const struct { uint64_t words[4]; } wide = {{1, 0, 2, 0}};
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE_COMPLEX_F128, wide),
            "0100000000000000000000000000000002000000000000000000000000000000");
  const struct { unsigned char bytes[3]; } opaque = {{0x01, 0xAB, 0xF0}};
  EXPECT_EQ(Element(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 24), opaque), "01abf0");
}

TEST(ElementTextTest, Shapes) {
  char text[64];
  BoundedText out(text, sizeof(text));
  const int64_t sizes[] = {2, 0, 12};
  AppendShape({HAL_ELEMENT_TYPE_COMPLEX_F32, 3, sizes, nullptr}, &out);
  EXPECT_STREQ(text, "2x0x12xcomplex<f32>");
}

TEST(ElementTextTest, BracketsFollowTheShape) {
  EXPECT_EQ(Elements({}, 1), "1");
  EXPECT_EQ(Elements({3}, 3), "1 2 3");
  EXPECT_EQ(Elements({2, 2}, 4), "[1 2][3 4]");
  EXPECT_EQ(Elements({2, 2, 2}, 8), "[[1 2][3 4]][[5 6][7 8]]");
  EXPECT_EQ(Elements({1, 1}, 1), "[1]");
  EXPECT_EQ(Elements({2, 0}, 0), "");
  EXPECT_EQ(Elements({0}, 0), "");
}

TEST(ElementTextTest, WhatIsLeftOutBecomesDots) {
  EXPECT_EQ(Elements({4}, 2), "1 2 ...");
  EXPECT_EQ(Elements({4}, 0), "...");
  EXPECT_EQ(Elements({2, 2}, 3), "[1 2][3 ...]");
  EXPECT_EQ(Elements({2, 2}, 2), "[1 2]...");
  EXPECT_EQ(Elements({2, 2, 2}, 2), "[[1 2]...]");
  EXPECT_EQ(Elements({2, 2, 2}, 4), "[[1 2][3 4]]...");
  EXPECT_EQ(Elements({2, 2, 2}, 5), "[[1 2][3 4]][[5 ...]]");
}

TEST(BoundedTextTest, CutsAndCounts) {
  char text[6] = "xxxxx";
  BoundedText out(text, sizeof(text));
  out.Append("abc");
  EXPECT_FALSE(out.IsCut());
  out.Append("defg");
  out.Append("h");
  EXPECT_STREQ(text, "abcde");
  EXPECT_EQ(out.Length(), 8u);
  EXPECT_TRUE(out.IsCut());
}

TEST(BoundedTextTest, WorksWithoutMemory) {
  BoundedText out(nullptr, 0);
  out.Append("abc");
  EXPECT_EQ(out.Length(), 3u);
  EXPECT_TRUE(out.IsCut());
}

}  // namespace
}  // namespace halyard
