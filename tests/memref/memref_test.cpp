// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors by themselves: made of memory, buffers and views, and compared with types.
#include <cstring>
#include <utility>

#include "functions.h"

namespace halyard::testing {
namespace {

class MemrefTest : public FunctionTest {
 protected:
  static hal_status_t Check(hal_memref_t& memref, const char* type) {
    const tools::MlirType owner = tools::ReadMlirType(type);
    const hal_value_type_t view = owner.View();
    return hal_memref_check(&memref, &view);
  }
  hal_buffer_t* NewBuffer(uint64_t length) {
    Open("local://sync");
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    hal_buffer_t* buffer = nullptr;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device_), &params, length, &buffer), HAL_STATUS_OK);
    return buffer;
  }
  static void ExpectSame(const hal_shape_t& shape, const hal_shape_t& expected) {
    EXPECT_EQ(shape.element_type, expected.element_type);
    ASSERT_EQ(shape.rank, expected.rank);
    for (uint32_t i = 0; i < shape.rank; ++i) {
      EXPECT_EQ(shape.sizes[i], expected.sizes[i]) << i;
      EXPECT_EQ(shape.strides[i], expected.strides[i]) << i;
    }
  }
  std::vector<float> values_ = std::vector<float>(24);
};

TEST_F(MemrefTest, InitializeFillsInDenseStrides) {
  hal_memref_t memref = MemrefOf(values_, {2, 3, 4});
  EXPECT_EQ(memref.rank, 3u);
  EXPECT_EQ(memref.offset, 0);
  EXPECT_EQ(memref.owned, 0u);
  EXPECT_EQ(hal_memref_sizes(&memref)[2], 4);
  EXPECT_EQ(hal_memref_strides(&memref)[0], 12);
  EXPECT_EQ(hal_memref_strides(&memref)[2], 1);
}

TEST_F(MemrefTest, InitializeRefusesWhatReachesPastItsMemory) {
  const int64_t sizes[] = {5};
  const int64_t strides[] = {6};
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 1, sizes, strides};
  hal_memref_t memref;
  EXPECT_EQ(hal_memref_initialize(&shape, values_.data(), 99, &memref), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("reaches over 100 bytes, but there are 99"));
  EXPECT_EQ(hal_memref_initialize(&shape, nullptr, 100, &memref), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_memref_initialize(nullptr, values_.data(), 100, &memref), HAL_STATUS_INVALID_ARGUMENT);
  hal_shape_t untyped = shape;
  untyped.element_type = HAL_ELEMENT_TYPE_NONE;
  EXPECT_EQ(hal_memref_initialize(&untyped, values_.data(), 100, &memref), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(MemrefTest, TypesAndWhatFitsThem) {
  hal_memref_t dense = MemrefOf(values_, {2, 3});
  for (const char* const type : {"memref<2x3xf32>", "memref<?x3xf32>", "memref<?x?xf32>", "memref<*xf32>",
                                 "memref<2x3xf32, strided<[3, 1]>>", "memref<2x3xf32, strided<[?, ?], offset: ?>>"}) {
    EXPECT_EQ(Check(dense, type), HAL_STATUS_OK) << type << ": " << hal_last_error_message();
  }
  for (const char* const type :
       {"memref<2x4xf32>", "memref<6xf32>", "memref<2x3xi32>", "memref<*xbf16>", "memref<2x3xf32, strided<[4, 1]>>"}) {
    EXPECT_NE(Check(dense, type), HAL_STATUS_OK) << type;
    EXPECT_TRUE(MessageHas(type));
    EXPECT_TRUE(MessageHas("memref<2x3xf32>"));
  }
}

TEST_F(MemrefTest, StridesOfSingleAndEmptyDimensionsDoNotMatter) {
  hal_memref_t memref = MemrefOf(values_, {1, 3});
  hal_memref_strides(&memref)[0] = 77;
  EXPECT_EQ(Check(memref, "memref<1x3xf32>"), HAL_STATUS_OK) << hal_last_error_message();
  memref = MemrefOf(values_, {0, 3});
  hal_memref_strides(&memref)[1] = 5;
  memref.aligned = nullptr;
  EXPECT_EQ(Check(memref, "memref<?x3xf32>"), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(MemrefTest, SignlessTypesTakeAnySign) {
  std::vector<float> memory(4);
  hal_memref_t memref = MemrefOf(memory, {4});
  memref.element_type = HAL_ELEMENT_TYPE_UI32;
  EXPECT_EQ(Check(memref, "memref<4xi32>"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Check(memref, "memref<4xsi32>"), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(MemrefTest, FormatWritesTypesAsMlirDoes) {
  for (const char* const type : {"f32", "index", "complex<f64>", "memref<*xbf16>", "memref<f16>", "memref<4x?xi1>",
                                 "memref<?xf32, strided<[?], offset: ?>>", "memref<2x2xi8, strided<[4, 2], offset: 1>>",
                                 "memref<f32, strided<[], offset: ?>>"}) {
    const tools::MlirType owner = tools::ReadMlirType(type);
    const hal_value_type_t view = owner.View();
    char text[80];
    ASSERT_EQ(hal_value_type_format(&view, text, sizeof(text), nullptr), HAL_STATUS_OK);
    EXPECT_STREQ(text, type);
    size_t length = 0;
    EXPECT_EQ(hal_value_type_format(&view, text, 3, &length), HAL_STATUS_OUT_OF_RANGE);
    EXPECT_EQ(length, std::string(type).size());
  }
}

TEST_F(MemrefTest, BufferPartsAreMappedWithStrides) {
  hal_buffer_t* const buffer = NewBuffer(64);
  const int64_t sizes[] = {2, 2};
  const int64_t strides[] = {4, 1};
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, 2, sizes, strides};
  hal_memref_t memref;
  ASSERT_EQ(hal_memref_map_buffer(buffer, HAL_MAP_ACCESS_WRITE, 40, &shape, &memref), HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(hal_memref_strides(&memref)[0], 4);
  hal_buffer_unmap(buffer);
  EXPECT_EQ(hal_memref_map_buffer(buffer, HAL_MAP_ACCESS_WRITE, 44, &shape, &memref), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("reaches over 24 bytes, but there are 20"));
  EXPECT_EQ(hal_memref_map_buffer(buffer, HAL_MAP_ACCESS_WRITE, 2, &shape, &memref), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_FAILED_PRECONDITION);  // a refusal leaves nothing mapped
  hal_buffer_release(buffer);
}

/// Every element type, by name.
std::vector<std::string> ElementNames() {
  std::vector<std::string> parts = {"f16",           "bf16",      "f32",      "f64",      "f80",        "f128",
                                    "f8E5M2",        "f8E4M3",    "f8E3M4",   "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
                                    "f8E4M3B11FNUZ", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"};
  for (const char* const kind : {"i", "si", "ui"}) {
    for (int bits = 1; bits <= 64; ++bits) parts.push_back(kind + std::to_string(bits));
    parts.push_back(kind + std::string("128"));
  }
  std::vector<std::string> names = {"index"};
  for (const std::string& part : parts) {
    names.push_back(part);
    names.push_back("complex<" + part + ">");
  }
  return names;
}

hal_element_type_t ElementType(const std::string& name) {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  EXPECT_EQ(hal_element_type_parse({name.data(), name.size()}, &type), HAL_STATUS_OK) << hal_last_error_message();
  return type;
}

TEST_F(MemrefTest, ElementNamesAreAllThatThereAre) {
  size_t count = 0;
  for (hal_element_type_t type = 1; type < 0x10000; ++type) {
    const bool is_opaque = (type & 0x7F00) == HAL_NUMERIC_KIND_OPAQUE;
    if (!is_opaque && hal_element_type_size(type) > 0) ++count;
  }
  EXPECT_EQ(count, ElementNames().size());
}

TEST_F(MemrefTest, BufferViewsOfEveryTypeBecomeMemrefsAndViewsAgain) {
  Open("local://sync");
  hal_allocator_t* const allocator = hal_device_allocator(device_);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  const std::vector<int64_t> sizes = {2, 1, 3};
  for (const std::string& name : ElementNames()) {
    SCOPED_TRACE(name);
    const hal_element_type_t type = ElementType(name);
    std::vector<unsigned char> bytes(6 * hal_element_type_size(type));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i + 1);
    hal_buffer_t* buffer = nullptr;
    ASSERT_EQ(hal_allocator_allocate(allocator, &params, bytes.size(), &buffer), HAL_STATUS_OK);
    ASSERT_EQ(hal_buffer_write(buffer, 0, bytes.data(), bytes.size()), HAL_STATUS_OK);
    hal_buffer_view_t* view = nullptr;
    ASSERT_EQ(hal_buffer_view_create(buffer, type, sizes.size(), sizes.data(), &view), HAL_STATUS_OK);
    hal_memref_t memref;
    ASSERT_EQ(hal_memref_map_buffer_view(view, HAL_MAP_ACCESS_READ, &memref), HAL_STATUS_OK);
    EXPECT_EQ(memref.element_type, type);
    EXPECT_EQ(memref.offset, 0);
    EXPECT_EQ(std::vector<int64_t>(memref.dimensions, memref.dimensions + 2 * memref.rank),
              (std::vector<int64_t>{2, 1, 3, 3, 3, 1}));
    hal_buffer_view_t* back = nullptr;
    ASSERT_EQ(hal_memref_to_buffer_view(allocator, &params, &memref, &back), HAL_STATUS_OK) << hal_last_error_message();
    ExpectSame(hal_buffer_view_shape(back), hal_buffer_view_shape(view));
    std::vector<unsigned char> read(hal_buffer_view_length(back));
    EXPECT_EQ(hal_buffer_read(hal_buffer_view_buffer(back), 0, read.data(), read.size()), HAL_STATUS_OK);
    EXPECT_EQ(read, bytes);
    hal_buffer_view_release(back);
    hal_buffer_unmap(buffer);
    hal_buffer_view_release(view);
    hal_buffer_release(buffer);
  }
}

// A view has no offset: its buffer begins with the first element.
TEST_F(MemrefTest, OffsetsOfEveryTypeMoveTheViewsBuffer) {
  Open("local://sync");
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  alignas(64) char memory[4 * 32];
  for (size_t i = 0; i < sizeof(memory); ++i) memory[i] = static_cast<char>(i + 1);
  const int64_t sizes[] = {4};
  for (const std::string& name : ElementNames()) {
    SCOPED_TRACE(name);
    const hal_shape_t shape = {ElementType(name), 1, sizes, nullptr};
    const size_t size = hal_element_type_size(shape.element_type);
    hal_memref_t memref;
    ASSERT_EQ(hal_memref_initialize(&shape, memory, 4 * size, &memref), HAL_STATUS_OK) << hal_last_error_message();
    memref.offset = 1;
    hal_memref_sizes(&memref)[0] = 3;
    hal_buffer_view_t* view = nullptr;
    ASSERT_EQ(hal_memref_to_buffer_view(hal_device_allocator(device_), &params, &memref, &view), HAL_STATUS_OK)
        << hal_last_error_message();
    EXPECT_EQ(hal_buffer_view_element_count(view), 3u);
    ASSERT_EQ(hal_buffer_view_length(view), 3 * size);
    char read[sizeof(memory)];
    EXPECT_EQ(hal_buffer_read(hal_buffer_view_buffer(view), 0, read, 3 * size), HAL_STATUS_OK);
    EXPECT_EQ(std::memcmp(read, memory + size, 3 * size), 0);
    hal_buffer_view_release(view);
  }
}

TEST_F(MemrefTest, MismatchOfElementTypesNamesBoth) {
  alignas(64) char memory[32] = {};
  const int64_t sizes[] = {1};
  for (const std::string& name : ElementNames()) {
    SCOPED_TRACE(name);
    const std::string other = name == "f32" ? "f64" : "f32";
    const std::pair<std::string, std::string> pairs[] = {{name, other}, {other, name}};
    for (const auto& [given, taken] : pairs) {
      const hal_shape_t shape = {ElementType(given), 1, sizes, nullptr};
      hal_memref_t memref;
      ASSERT_EQ(hal_memref_initialize(&shape, memory, sizeof(memory), &memref), HAL_STATUS_OK);
      EXPECT_EQ(Check(memref, ("memref<1x" + given + ">").c_str()), HAL_STATUS_OK) << hal_last_error_message();
      EXPECT_EQ(Check(memref, ("memref<?x" + taken + ">").c_str()), HAL_STATUS_INVALID_ARGUMENT);
      EXPECT_TRUE(MessageHas("memref<?x" + taken + ">, given is memref<1x" + given + ">: the element types differ"));
    }
  }
}

TEST_F(MemrefTest, BufferViewsAreMapped) {
  hal_buffer_t* const buffer = NewBuffer(24);
  const int64_t sizes[] = {3, 2};
  hal_buffer_view_t* view = nullptr;
  ASSERT_EQ(hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_F32, 2, sizes, &view), HAL_STATUS_OK);
  hal_memref_t memref;
  ASSERT_EQ(hal_memref_map_buffer_view(view, HAL_MAP_ACCESS_READ, &memref), HAL_STATUS_OK);
  EXPECT_EQ(Check(memref, "memref<3x2xf32>"), HAL_STATUS_OK) << hal_last_error_message();
  hal_buffer_unmap(buffer);
  hal_buffer_view_release(view);
  hal_buffer_release(buffer);
  EXPECT_EQ(hal_memref_map_buffer_view(nullptr, HAL_MAP_ACCESS_READ, &memref), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard::testing
