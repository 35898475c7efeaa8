// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fake_driver.h"
#include "halyard/buffer_view.h"

namespace halyard {
namespace {

using testing::MessageHas;

std::string Name(hal_element_type_t type) {
  char text[24] = "untouched";
  const hal_status_t status = hal_element_type_format(type, text, sizeof(text));
  EXPECT_EQ(status == HAL_STATUS_OK, text[0] != '\0') << hal_last_error_message();
  return text;
}

hal_element_type_t Parse(const char* text) {
  hal_element_type_t type = 12345;
  const hal_status_t status = hal_element_type_parse(hal_string_view(text), &type);
  EXPECT_EQ(status == HAL_STATUS_OK, type != HAL_ELEMENT_TYPE_NONE);
  return type;
}

TEST(ElementTypeTest, KnowsSizesInMemory) {
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_I1), 1u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_I4), 1u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_UI16), 2u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_BF16), 2u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F64), 8u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX_F64), 16u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_INDEX), 8u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 24)), 3u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 7)), 1u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 9)), 2u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 24)), 4u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 33)), 8u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_I128), 16u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F80), 16u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F128), 16u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX_F16), 4u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX_BF16), 4u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX_F80), 32u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX_F128), 32u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I128)), 32u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_I1)), 2u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 24))), 8u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F8E4M3FN), 1u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F4E2M1FN), 1u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E5M2)), 2u);
}

TEST(ElementTypeTest, UnknownTypesHaveNoSize) {
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_NONE), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_FLOAT, 8)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 12)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(10, 32)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_F8E5M2, 4)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_NONE)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_INDEX)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 8))), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 1)), 0u);  // that is BOOLEAN
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 65)), 0u);
  EXPECT_EQ(hal_element_type_size(HAL_ELEMENT_TYPE_F32 | 0x10000), 0u);
}

TEST(ElementTypeTest, WritesMlirNames) {
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_I1), "i1");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_SI8), "si8");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_UI64), "ui64");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_BF16), "bf16");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_COMPLEX_F32), "complex<f32>");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_UI8)), "complex<ui8>");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_INDEX), "index");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_F8E4M3FN), "f8E4M3FN");
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE_F8E4M3B11FNUZ)), "complex<f8E4M3B11FNUZ>");  // the longest
  EXPECT_EQ(Name(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 248)), "opaque<248>");
}

TEST(ElementTypeTest, EveryNameIsReadBack) {
  int known = 0;
  for (hal_element_type_t type = 0; type < 0x10000; ++type) {
    if (hal_element_type_size(type) == 0) continue;
    ++known;
    EXPECT_EQ(Parse(Name(type).c_str()), type);
  }
  EXPECT_GT(known, 200);
}

TEST(ElementTypeTest, RefusesUnknownTypesAndSmallBuffers) {
  char text[24] = {};
  EXPECT_EQ(hal_element_type_format(0x501, text, sizeof(text)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("0x501"));
  EXPECT_EQ(hal_element_type_format(HAL_ELEMENT_TYPE_F32, nullptr, 24), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_element_type_format(HAL_ELEMENT_TYPE_F32, text, 3), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("take 4"));
  EXPECT_EQ(hal_element_type_format(HAL_ELEMENT_TYPE_F32, text, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_element_type_format(HAL_ELEMENT_TYPE_F32, text, 4), HAL_STATUS_OK);
}

TEST(ElementTypeTest, UnknownNamesAreRefusedWithThoseThatExist) {
  hal_element_type_t type = 1;
  for (const char* text : {"",
                           "f31",
                           "i0",
                           "i01",
                           "i65",
                           "i129",
                           "si",
                           "ui+4",
                           "F32",
                           "f32 ",
                           "i 8",
                           "i4294967304",
                           "f8",
                           "f8e5m2",
                           "complex",
                           "complex<>",
                           "complex<f32",
                           "complex<index>",
                           "complex<i65>",
                           "complex<complex<f32>>",
                           "complex<opaque<8>>",
                           "opaque<7>",
                           "opaque<0>",
                           "opaque<08>",
                           "opaque<"}) {
    EXPECT_EQ(hal_element_type_parse(hal_string_view(text), &type), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_EQ(type, HAL_ELEMENT_TYPE_NONE);
  }
  EXPECT_TRUE(MessageHas("complex<f64>"));
  EXPECT_TRUE(MessageHas("f8E4M3FN"));
  EXPECT_EQ(hal_element_type_parse(hal_string_view("f32"), nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard
