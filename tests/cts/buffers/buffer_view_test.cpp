// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and buffer views.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"

namespace halyard::cts {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

// --- Element types ---

struct ElementType {
  const char* name;
  hal_element_type_t type;
  const char* text;
  size_t size;  // bytes
};
void PrintTo(const ElementType& type, std::ostream* out) { *out << type.text; }

const ElementType kElementTypes[] = {
    {"I1", HAL_ELEMENT_TYPE_I1, "i1", 1},
    {"I4", HAL_ELEMENT_TYPE_I4, "i4", 1},
    {"I8", HAL_ELEMENT_TYPE_I8, "i8", 1},
    {"I16", HAL_ELEMENT_TYPE_I16, "i16", 2},
    {"I32", HAL_ELEMENT_TYPE_I32, "i32", 4},
    {"I64", HAL_ELEMENT_TYPE_I64, "i64", 8},
    {"SI8", HAL_ELEMENT_TYPE_SI8, "si8", 1},
    {"SI16", HAL_ELEMENT_TYPE_SI16, "si16", 2},
    {"SI32", HAL_ELEMENT_TYPE_SI32, "si32", 4},
    {"SI64", HAL_ELEMENT_TYPE_SI64, "si64", 8},
    {"UI8", HAL_ELEMENT_TYPE_UI8, "ui8", 1},
    {"UI16", HAL_ELEMENT_TYPE_UI16, "ui16", 2},
    {"UI32", HAL_ELEMENT_TYPE_UI32, "ui32", 4},
    {"UI64", HAL_ELEMENT_TYPE_UI64, "ui64", 8},
    {"F16", HAL_ELEMENT_TYPE_F16, "f16", 2},
    {"F32", HAL_ELEMENT_TYPE_F32, "f32", 4},
    {"F64", HAL_ELEMENT_TYPE_F64, "f64", 8},
    {"BF16", HAL_ELEMENT_TYPE_BF16, "bf16", 2},
    {"ComplexF32", HAL_ELEMENT_TYPE_COMPLEX_F32, "complex<f32>", 8},
    {"ComplexF64", HAL_ELEMENT_TYPE_COMPLEX_F64, "complex<f64>", 16},
    {"Index", HAL_ELEMENT_TYPE_INDEX, "index", 8},
};

class ElementTypeTest : public DeviceTestWith<ElementType> {};

TEST_P(ElementTypeTest, HasItsNameAndIsReadFromIt) {
  std::array<char, 24> text;
  ASSERT_OK(hal_element_type_format(GetParam().type, text.data(), text.size()));
  EXPECT_STREQ(text.data(), GetParam().text);
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  ASSERT_OK(hal_element_type_parse(View(GetParam().text), &type));
  EXPECT_EQ(type, GetParam().type);
  // The name needs room for its closing zero.
  const std::string name = GetParam().text;
  std::vector<char> tight(name.size() + 1, '#');
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_element_type_format(GetParam().type, tight.data(), name.size()));
  EXPECT_EQ(tight.back(), '#') << "written past the end";
  EXPECT_OK(hal_element_type_format(GetParam().type, tight.data(), tight.size()));
  EXPECT_EQ(tight.data(), name);
}

TEST_P(ElementTypeTest, HasItsSizeAloneAndInAView) {
  EXPECT_EQ(hal_element_type_size(GetParam().type), GetParam().size);
  const Buffer buffer = CreateBuffer(12 * GetParam().size);
  const std::array<int64_t, 2> sizes = {3, 4};
  BufferView view;
  ASSERT_OK(hal_buffer_view_create(buffer, GetParam().type, sizes.size(), sizes.data(), view.out()));
  EXPECT_EQ(hal_buffer_view_element_count(view), 12u);
  EXPECT_EQ(hal_buffer_view_length(view), 12 * GetParam().size);
  EXPECT_EQ(hal_buffer_view_shape(view).element_type, GetParam().type);
}

INSTANTIATE_TEST_SUITE_P(Types, ElementTypeTest, testing::ValuesIn(kElementTypes), ByName);

class ElementTypeNameTest : public DeviceTest {};

TEST_F(ElementTypeNameTest, UnknownNameIsRefusedWithTheKnownOnes) {
  for (const char* text : {"", "f", "f33", "i", "int32", "F32", "f32 ", " f32", "f32x", "complex", "complex<f32",
                           "complex<f33>", "complex<complex<f32>>", "float", "ui", "tensor<4xf32>"}) {
    hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_element_type_parse(View(text), &type)) << text;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("bf16"));
  }
}

TEST_F(ElementTypeNameTest, NameIsTakenByItsLength) {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  ASSERT_OK(hal_element_type_parse(View(std::string_view("f32xyz").substr(0, 3)), &type));
  EXPECT_EQ(type, HAL_ELEMENT_TYPE_F32);
}

TEST_F(ElementTypeNameTest, UnknownTypeHasNeitherNameNorSize) {
  for (const hal_element_type_t type :
       {HAL_ELEMENT_TYPE_NONE, HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_FLOAT, 17), HAL_ELEMENT_TYPE(99, 32), UINT32_MAX}) {
    std::array<char, 24> text;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_element_type_format(type, text.data(), text.size())) << type;
    EXPECT_EQ(hal_element_type_size(type), 0u) << type;
  }
}

// --- Shapes ---

struct Shape {
  const char* name;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  uint64_t count;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class BufferViewShapeTest : public DeviceTestWith<Shape> {
 protected:
  hal_status_t Create(const Buffer& buffer, BufferView* out) const {
    return hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_F32, GetParam().sizes.size(), GetParam().sizes.data(),
                                  out->out());
  }
};

TEST_P(BufferViewShapeTest, IsDenseRowMajor) {
  const Buffer buffer = CreateBuffer(4096);
  BufferView view;
  ASSERT_OK(Create(buffer, &view));
  const hal_shape_t shape = hal_buffer_view_shape(view);
  ASSERT_EQ(shape.rank, GetParam().sizes.size());
  EXPECT_THAT(std::vector<int64_t>(shape.sizes, shape.sizes + shape.rank), ElementsAreArray(GetParam().sizes));
  EXPECT_THAT(std::vector<int64_t>(shape.strides, shape.strides + shape.rank), ElementsAreArray(GetParam().strides));
  EXPECT_EQ(hal_buffer_view_element_count(view), GetParam().count);
  EXPECT_EQ(hal_buffer_view_length(view), 4 * GetParam().count);
  EXPECT_EQ(hal_buffer_view_buffer(view), buffer.get());
}

TEST_P(BufferViewShapeTest, FitsABufferOfItsLengthAndNoShorter) {
  BufferView view;
  EXPECT_OK(Create(CreateBuffer(4 * GetParam().count), &view));
  if (GetParam().count == 0) return;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Create(CreateBuffer(4 * GetParam().count - 1), &view));
  EXPECT_EQ(view.get(), nullptr);
}

TEST_P(BufferViewShapeTest, OffsetsRunThroughTheElementsInOrder) {
  BufferView view;
  ASSERT_OK(Create(CreateBuffer(4096), &view));
  const std::vector<int64_t>& sizes = GetParam().sizes;
  std::vector<int64_t> indices(sizes.size(), 0);
  for (uint64_t element = 0; element < GetParam().count; ++element) {
    uint64_t offset = UINT64_MAX;
    ASSERT_OK(hal_buffer_view_element_offset(view, indices.size(), indices.data(), &offset));
    EXPECT_EQ(offset, 4 * element);
    for (size_t d = sizes.size(); d-- > 0 && ++indices[d] == sizes[d];) indices[d] = 0;  // the last index is fastest
  }
}

TEST_P(BufferViewShapeTest, IndicesOutsideAreOutOfRange) {
  BufferView view;
  ASSERT_OK(Create(CreateBuffer(4096), &view));
  for (size_t d = 0; d < GetParam().sizes.size(); ++d) {
    for (const int64_t index : {int64_t{-1}, GetParam().sizes[d], INT64_MAX, INT64_MIN}) {
      std::vector<int64_t> indices(GetParam().sizes.size(), 0);
      indices[d] = index;
      uint64_t offset = 0;
      EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE,
                    hal_buffer_view_element_offset(view, indices.size(), indices.data(), &offset));
    }
  }
}

TEST_P(BufferViewShapeTest, NumberOfIndicesMustBeTheRank) {
  BufferView view;
  ASSERT_OK(Create(CreateBuffer(4096), &view));
  const std::vector<int64_t> indices(10, 0);
  const size_t rank = GetParam().sizes.size();
  uint64_t offset = 0;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_view_element_offset(view, rank + 1, indices.data(), &offset));
  if (rank == 0) return;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_view_element_offset(view, rank - 1, indices.data(), &offset));
}

INSTANTIATE_TEST_SUITE_P(Shapes, BufferViewShapeTest,
                         testing::Values(Shape{"Scalar", {}, {}, 1}, Shape{"One", {1}, {1}, 1},
                                         Shape{"Vector", {10}, {1}, 10}, Shape{"Matrix", {3, 5}, {5, 1}, 15},
                                         Shape{"Column", {7, 1}, {1, 1}, 7}, Shape{"Cube", {2, 3, 4}, {12, 4, 1}, 24},
                                         Shape{"Rank4", {2, 1, 3, 2}, {6, 6, 2, 1}, 12},
                                         Shape{"Rank8", {2, 1, 2, 1, 2, 1, 2, 3}, {24, 24, 12, 12, 6, 6, 3, 1}, 48},
                                         Shape{"Empty", {0}, {1}, 0}),
                         ByName);

class BufferViewTest : public DeviceTest {
 protected:
  static hal_status_t Create(const Buffer& buffer, hal_element_type_t type, const std::vector<int64_t>& sizes,
                             BufferView* out) {
    return hal_buffer_view_create(buffer, type, sizes.size(), sizes.data(), out->out());
  }
  static hal_status_t Create(const Buffer& buffer, const std::vector<int64_t>& sizes, BufferView* out) {
    return Create(buffer, HAL_ELEMENT_TYPE_F32, sizes, out);
  }
};

TEST_F(BufferViewTest, EmptyDimensionsHaveNoElements) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{0, 4}, {4, 0}, {2, 0, 3}, {0, 0}}) {
    BufferView view;
    ASSERT_OK(Create(CreateBuffer(0), sizes, &view));
    EXPECT_EQ(hal_buffer_view_element_count(view), 0u);
    EXPECT_EQ(hal_buffer_view_length(view), 0u);
  }
}

TEST_F(BufferViewTest, NegativeSizeIsInvalid) {
  BufferView view;
  const Buffer buffer = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {-1}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {2, -2}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {-2, -2}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {INT64_MIN, INT64_MIN}, &view));
  EXPECT_EQ(view.get(), nullptr);
}

TEST_F(BufferViewTest, ProductThatOverflowsIsInvalid) {
  BufferView view;
  const Buffer buffer = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {INT64_MAX}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {INT64_C(1) << 61}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {INT64_C(1) << 32, INT64_C(1) << 32}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {INT64_C(1) << 31, INT64_C(1) << 31, 2}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, {3, INT64_MAX / 3 + 1}, &view));
}

TEST_F(BufferViewTest, UnknownElementTypeIsInvalid) {
  BufferView view;
  const Buffer buffer = CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, HAL_ELEMENT_TYPE_NONE, {1}, &view));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(buffer, HAL_ELEMENT_TYPE(99, 32), {1}, &view));
}

TEST_F(BufferViewTest, SizesAreCaptured) {
  std::vector<int64_t> sizes = {2, 3};
  BufferView view;
  ASSERT_OK(Create(CreateBuffer(64), sizes, &view));
  sizes = {9, 9};
  EXPECT_EQ(hal_buffer_view_shape(view).sizes[0], 2);
  EXPECT_EQ(hal_buffer_view_shape(view).sizes[1], 3);
}

TEST_F(BufferViewTest, KeepsItsBuffer) {
  BufferView view;
  {
    const Buffer buffer = device().CreateBufferOf(std::vector<float>{1, 2, 3, 4}, Mappable());
    ASSERT_OK(Create(buffer, {4}, &view));
  }
  hal_buffer_t* buffer = hal_buffer_view_buffer(view);
  float value = 0;
  ASSERT_OK(hal_buffer_read(buffer, 8, &value, sizeof(value)));
  EXPECT_EQ(value, 3);
}

TEST_F(BufferViewTest, NullIsNothing) {
  EXPECT_EQ(hal_buffer_view_buffer(nullptr), nullptr);
  EXPECT_EQ(hal_buffer_view_element_count(nullptr), 0u);
  EXPECT_EQ(hal_buffer_view_length(nullptr), 0u);
  const hal_shape_t shape = hal_buffer_view_shape(nullptr);
  EXPECT_EQ(shape.rank, 0u);
  EXPECT_EQ(shape.sizes, nullptr);
  hal_buffer_view_retain(nullptr);
  hal_buffer_view_release(nullptr);
}

// --- Text ---

class BufferViewFormatTest : public BufferViewTest {
 protected:
  template <class T>
  BufferView ViewOf(hal_element_type_t type, const std::vector<int64_t>& sizes, const std::vector<T>& values) const {
    BufferView view;
    Check(Create(device().CreateBufferOf(values, Mappable()), type, sizes, &view), "hal_buffer_view_create");
    return view;
  }
  static std::string Format(const BufferView& view, size_t max_elements = 100) {
    std::array<char, 512> text;
    size_t length = 0;
    Check(hal_buffer_view_format(view, max_elements, text.data(), text.size(), &length), "hal_buffer_view_format");
    EXPECT_EQ(length, std::string(text.data()).size());
    return text.data();
  }
};

TEST_F(BufferViewFormatTest, NestsBracketsByDimension) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(Format(ViewOf(HAL_ELEMENT_TYPE_F32, {2, 2}, values)), "2x2xf32=[1 2][3 4]");
  EXPECT_EQ(Format(ViewOf(HAL_ELEMENT_TYPE_F32, {4}, values)), "4xf32=1 2 3 4");
  EXPECT_EQ(Format(ViewOf(HAL_ELEMENT_TYPE_F32, {}, values)), "f32=1");
  EXPECT_EQ(Format(ViewOf(HAL_ELEMENT_TYPE_F32, {2, 2, 2}, values)), "2x2x2xf32=[[1 2][3 4]][[5 6][7 8]]");
}

TEST_F(BufferViewFormatTest, WritesNumbersOfEveryKind) {
  EXPECT_EQ(Format(ViewOf<int32_t>(HAL_ELEMENT_TYPE_SI32, {3}, {-1, 0, INT32_MAX})), "3xsi32=-1 0 2147483647");
  EXPECT_EQ(Format(ViewOf<uint64_t>(HAL_ELEMENT_TYPE_UI64, {1}, {UINT64_MAX})), "1xui64=18446744073709551615");
  EXPECT_EQ(Format(ViewOf<int8_t>(HAL_ELEMENT_TYPE_SI8, {2}, {-128, 127})), "2xsi8=-128 127");
  EXPECT_EQ(Format(ViewOf<uint8_t>(HAL_ELEMENT_TYPE_UI8, {2}, {200, 1})), "2xui8=200 1");
  EXPECT_EQ(Format(ViewOf<double>(HAL_ELEMENT_TYPE_F64, {2}, {0.5, -1.25})), "2xf64=0.5 -1.25");
  EXPECT_EQ(Format(ViewOf<uint16_t>(HAL_ELEMENT_TYPE_F16, {2}, {0x3C00, 0xC100})), "2xf16=1 -2.5");
  EXPECT_EQ(Format(ViewOf<uint16_t>(HAL_ELEMENT_TYPE_BF16, {2}, {0x3F80, 0xC020})), "2xbf16=1 -2.5");
}

TEST_F(BufferViewFormatTest, MarksWhatItLeavesOut) {
  const BufferView view = ViewOf(HAL_ELEMENT_TYPE_UI32, {10}, Counting(10, 10));
  EXPECT_THAT(Format(view, 9), HasSubstr("..."));
  EXPECT_THAT(Format(view, 9), HasSubstr("18"));
  EXPECT_THAT(Format(view, 9), Not(HasSubstr("19")));
  EXPECT_THAT(Format(view, 0), HasSubstr("..."));
  EXPECT_THAT(Format(view, 0), Not(HasSubstr("10 ")));
  EXPECT_THAT(Format(view, 10), Not(HasSubstr("...")));
}

TEST_F(BufferViewFormatTest, TextThatIsTooLongIsCutAndMeasured) {
  const BufferView view = ViewOf<float>(HAL_ELEMENT_TYPE_F32, {2, 2}, {1, 2, 3, 4});
  const std::string whole = "2x2xf32=[1 2][3 4]";
  for (size_t size = 0; size <= whole.size(); ++size) {
    std::vector<char> text(size + 1, '#');
    size_t length = 0;
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_buffer_view_format(view, 100, text.data(), size, &length)) << size;
    EXPECT_EQ(length, whole.size());
    EXPECT_EQ(text.back(), '#') << "written past the end";
    if (size > 0) {
      EXPECT_EQ(std::string(text.data()), whole.substr(0, size - 1));
    }
  }
  std::vector<char> text(whole.size() + 1);
  EXPECT_OK(hal_buffer_view_format(view, 100, text.data(), text.size(), nullptr));
  EXPECT_EQ(text.data(), whole);
}

TEST_F(BufferViewFormatTest, NeedsAMappableBuffer) {
  BufferView view;
  ASSERT_OK(Create(CreateBuffer(16), {4}, &view));
  std::array<char, 64> text;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_view_format(view, 4, text.data(), text.size(), nullptr));
}

}  // namespace
}  // namespace halyard::cts
