// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics, and numbers to and from text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text/small_float.h"
#include "support/element.h"
#include "support/failure.h"
#include "support/program/statistics.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

template <class T>
T Value(hal_element_type_t type, std::string_view text) {
  const std::vector<std::byte> bytes = ParseElement(type, text);
  T value;
  EXPECT_EQ(bytes.size(), sizeof(T));
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

TEST(StatisticsTest, PercentilesLieBetweenMeasurements) {
  const Statistics statistics = Summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(statistics.count, 5u);
  EXPECT_DOUBLE_EQ(statistics.least, 1);
  EXPECT_DOUBLE_EQ(statistics.p10, 1.4);  // as numpy.percentile([1, 2, 3, 4, 5], 10)
  EXPECT_DOUBLE_EQ(statistics.median, 3);
  EXPECT_DOUBLE_EQ(statistics.p90, 4.6);
  EXPECT_DOUBLE_EQ(statistics.most, 5);
  EXPECT_DOUBLE_EQ(statistics.mean, 3);
}

TEST(StatisticsTest, OneAndNone) {
  EXPECT_DOUBLE_EQ(Summarize({7}).p90, 7);
  EXPECT_EQ(Summarize({}).count, 0u);
}

TEST(TextTest, BytesAndDurationsAsPeopleReadThem) {
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(65536), "64 KiB");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(DurationText(830), "830 ns");
  EXPECT_EQ(DurationText(12340), "12.3 us");
  EXPECT_EQ(DurationText(1.25e6), "1.25 ms");
  EXPECT_EQ(DurationText(3e9), "3.00 s");
}

TEST(TextTest, WholeNumbersOnly) {
  EXPECT_EQ(ParseUint("12"), 12u);
  EXPECT_EQ(ParseUint("0xff"), 255u);
  EXPECT_EQ(ParseUint("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x", "18446744073709551616", "1e3"}) {
    EXPECT_EQ(ParseUint(text), std::nullopt) << text;
  }
}

TEST(ElementTest, TypesByTheirNames) {
  EXPECT_EQ(ParseElementType("f32"), HAL_ELEMENT_TYPE_F32);
  EXPECT_EQ(ParseElementType("u8"), HAL_ELEMENT_TYPE_UI8);
  EXPECT_EQ(ParseElementType("complex<f32>"), HAL_ELEMENT_TYPE_COMPLEX_F32);
  EXPECT_THROW(ParseElementType("float"), Failure);
}

TEST(ElementTest, IntegersWithinTheirRange) {
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_UI8, "255"), 255);
  EXPECT_EQ(Value<int8_t>(HAL_ELEMENT_TYPE_SI8, "-128"), -128);
  EXPECT_EQ(Value<int32_t>(HAL_ELEMENT_TYPE_I32, "-1"), -1);
  EXPECT_EQ(Value<uint32_t>(HAL_ELEMENT_TYPE_I32, "0xffffffff"), UINT32_MAX);
  EXPECT_EQ(Value<int64_t>(HAL_ELEMENT_TYPE_SI64, "-9223372036854775808"), INT64_MIN);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_UI8, "256"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_UI8, "-1"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_SI8, "128"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_SI64, "9223372036854775808"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_I32, "1.5"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_I32, ""), Failure);
}

TEST(ElementTest, FloatsWithinTheirRange) {
  EXPECT_EQ(Value<float>(HAL_ELEMENT_TYPE_F32, "-1.5e-3"), -1.5e-3f);
  EXPECT_EQ(Value<double>(HAL_ELEMENT_TYPE_F64, "1e300"), 1e300);
  EXPECT_TRUE(std::isinf(Value<float>(HAL_ELEMENT_TYPE_F32, "-inf")));
  EXPECT_TRUE(std::isnan(Value<float>(HAL_ELEMENT_TYPE_F32, "nan")));
  EXPECT_EQ(HalfToFloat(Value<uint16_t>(HAL_ELEMENT_TYPE_F16, "65504")), 65504.f);
  EXPECT_EQ(BfloatToFloat(Value<uint16_t>(HAL_ELEMENT_TYPE_BF16, "-2")), -2.f);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F32, "1e39"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F16, "65520"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F32, "1.5x"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F32, " 1"), Failure);
}

TEST(ElementTest, ComplexNumbersHaveTwoParts) {
  using Parts = std::array<float, 2>;
  const auto value = [](const char* text) { return Value<Parts>(HAL_ELEMENT_TYPE_COMPLEX_F32, text); };
  EXPECT_EQ(value("1.5"), (Parts{1.5F, 0}));
  EXPECT_EQ(value("1.5-2i"), (Parts{1.5F, -2}));
  EXPECT_EQ(value("-1e-3+2.5e+1i"), (Parts{-1e-3F, 25}));
  EXPECT_EQ(value("-4i"), (Parts{0, -4}));
  EXPECT_EQ(value("inf-infi"), (Parts{INFINITY, -INFINITY}));
  for (const char* const text : {"", "i", "1+i2", "1+2", "1+2ii", "1++2i", "1.5x-2i", "1e39+1i"}) {
    EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_COMPLEX_F32, text), Failure) << text;
  }
}

TEST(ElementTest, SmallFloatsWithinTheirRange) {
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E4M3FN, "1.5"), 0x3C);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E4M3FN, "1.0625"), 0x38);  // as near to 0x39, which is odd
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E4M3FN, "-448"), 0xFE);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E4M3FN, "nan"), 0x7F);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E5M2, "-inf"), 0xFC);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F8E8M0FNU, "1"), 127);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_F4E2M1FN, "6"), 7);
  EXPECT_EQ(Value<uint16_t>(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E5M2), "1"), 0x3C);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F8E4M3FN, "449"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F8E4M3FN, "inf"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F4E2M1FN, "nan"), Failure);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_F8E8M0FNU, "0"), Failure);
  const NumberReader reader = ReaderFor(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E4M3FN));
  const std::byte minus_two{0xC0};
  EXPECT_EQ(reader.components, 2u);
  EXPECT_EQ(reader.read(&minus_two), -2.0L);
}

TEST(ElementTest, BooleansInWords) {
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_I1, "true"), 1);
  EXPECT_EQ(Value<uint8_t>(HAL_ELEMENT_TYPE_I1, "0"), 0);
  EXPECT_THROW(ParseElement(HAL_ELEMENT_TYPE_I1, "2"), Failure);
}

// Every half is the half nearest to itself, so all of the way there and back is covered.
TEST(SmallFloatTest, EveryHalfSurvives) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = HalfToFloat(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value))));
    } else {
      EXPECT_EQ(FloatToHalf(value), half);
    }
  }
}

TEST(SmallFloatTest, RoundsToEven) {
  EXPECT_EQ(HalfToFloat(FloatToHalf(2049)), 2048);  // between 2048 and 2050
  EXPECT_EQ(HalfToFloat(FloatToHalf(2051)), 2052);
  EXPECT_EQ(FloatToHalf(0x1p-25f), 0);  // between 0 and the smallest
  EXPECT_EQ(FloatToHalf(0x1.8p-24f), 2);
  EXPECT_EQ(BfloatToFloat(FloatToBfloat(257)), 256);
  EXPECT_EQ(BfloatToFloat(FloatToBfloat(259)), 260);
}

}  // namespace
}  // namespace halyard::tools
