// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain calls of functions, results and their ownership, and what is refused.
#include "functions.h"

namespace halyard::testing {
namespace {

class FunctionCallTest : public FunctionTest {};

constexpr FunctionSpec kScale = {"scale", "(memref<?x?xf32, strided<[?, ?], offset: ?>>, f32) -> ()"};
constexpr FunctionSpec kFirst = {"first", "(memref<?x?xf32>) -> f32"};
constexpr FunctionSpec kMixed = {
    "mixed", "(memref<?xf32>, index) -> (i1, f64, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)"};
constexpr FunctionSpec kMake = {"make", "(index) -> memref<?xf32>"};

TEST_F(FunctionCallTest, StridedMemrefIsReadInPlace) {
  const hal_function_t* const scale = Find(kScale);
  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  hal_memref_t memref = MemrefOf(values, {2, 2});
  memref.offset = 1;
  hal_memref_strides(&memref)[0] = 4;
  hal_memref_strides(&memref)[1] = 2;
  const hal_value_t arguments[] = {hal_value_memref(&memref), hal_value_f32(10)};
  ASSERT_EQ(hal_function_call(scale, 2, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(values, (std::vector<float>{1, 20, 3, 40, 5, 60, 7, 80}));
}

TEST_F(FunctionCallTest, OffsetIsFoldedWhereTheTypeHasNone) {
  const hal_function_t* const first = Find(kFirst);
  std::vector<float> values = {1, 2, 3, 4, 5};
  hal_memref_t memref = MemrefOf(values, {2, 2});
  memref.offset = 1;
  const hal_value_t argument = hal_value_memref(&memref);
  hal_value_t result;
  ASSERT_EQ(hal_function_call(first, 1, &argument, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.f32, 2);
  EXPECT_EQ(memref.offset, 1);  // the caller's own is untouched
}

TEST_F(FunctionCallTest, ResultsSayWhoOwnsTheirMemory) {
  const hal_function_t* const mixed = Find(kMixed);
  std::vector<float> values = {1, 2};
  hal_memref_t x = MemrefOf(values, {2});
  const hal_value_t arguments[] = {hal_value_memref(&x), hal_value_index(5)};
  hal_memref_t made, alias, global, same;
  hal_value_t results[6] = {};
  hal_memref_t* const memrefs[] = {&made, &alias, &global, &same};
  for (int i = 0; i < 4; ++i) results[2 + i] = hal_value_memref(memrefs[i]);
  ASSERT_EQ(hal_function_call(mixed, 2, arguments, 6, results), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(results[0].as.i8, 1);
  EXPECT_EQ(results[1].as.f64, 0.25);
  EXPECT_EQ(made.owned, 1u);
  EXPECT_EQ(static_cast<float*>(made.aligned)[4], 3);
  EXPECT_EQ(alias.owned, 0u);
  EXPECT_EQ(alias.aligned, values.data());
  EXPECT_EQ(global.owned, 0u);
  EXPECT_EQ(static_cast<float*>(global.aligned)[1], 2.5f);
  EXPECT_EQ(same.owned, 0u);  // the first of the two owns what they share
  for (hal_memref_t* const memref : memrefs) hal_memref_release(memref);
  hal_memref_release(&made);  // once more does nothing
}

TEST_F(FunctionCallTest, ResultBecomesBufferViewThatFreesIt) {
  const hal_function_t* const make = Find(kMake);
  const hal_value_t argument = hal_value_index(3);
  hal_memref_t made;
  hal_value_t result = hal_value_memref(&made);
  ASSERT_EQ(hal_function_call(make, 1, &argument, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  hal_buffer_view_t* view = nullptr;
  ASSERT_EQ(hal_memref_to_buffer_view(hal_device_allocator(device_), &params, &made, &view), HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(made.owned, 0u);
  char text[64];
  ASSERT_EQ(hal_buffer_view_format(view, 10, text, sizeof(text), nullptr), HAL_STATUS_OK);
  EXPECT_STREQ(text, "3xf32=7 7 7");
  hal_buffer_view_release(view);
}

TEST_F(FunctionCallTest, StridedResultIsNoBufferViewAndKeepsItsMemory) {
  const hal_function_t* const make = Find(kMake);
  const hal_value_t argument = hal_value_index(4);
  hal_memref_t made;
  hal_value_t result = hal_value_memref(&made);
  ASSERT_EQ(hal_function_call(make, 1, &argument, 1, &result), HAL_STATUS_OK);
  hal_memref_sizes(&made)[0] = 2;
  hal_memref_strides(&made)[0] = 2;
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  hal_buffer_view_t* view = nullptr;
  EXPECT_EQ(hal_memref_to_buffer_view(hal_device_allocator(device_), &params, &made, &view), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("memref<2xf32, strided<[2]>>, but buffer views are dense, with strides [1]"));
  EXPECT_EQ(made.owned, 1u);
  hal_memref_release(&made);
}

// Under AddressSanitizer, whatever is not freed is a leak.
TEST_F(FunctionCallTest, FailedCallHandsNothingOut) {
  const hal_function_t* const broken = Find({"broken", "(index) -> (memref<?xf32>, memref<*xf32>, memref<?xf32>)"});
  const hal_value_t size = hal_value_index(4);
  hal_memref_t memrefs[3];
  hal_value_t results[3] = {};
  for (int i = 0; i < 3; ++i) results[i] = hal_value_memref(&memrefs[i]);
  EXPECT_EQ(hal_function_call(broken, 1, &size, 3, results), HAL_STATUS_INTERNAL);
  EXPECT_TRUE(MessageHas("'broken': result 1: the function returned an unranked memref of rank -1"));
  for (hal_memref_t& memref : memrefs) {
    EXPECT_EQ(memref.owned, 0u);
    EXPECT_EQ(memref.allocated, nullptr);
    hal_memref_release(&memref);
  }
}

TEST_F(FunctionCallTest, UnrankedMemrefsOfAnyRank) {
  const hal_function_t* const reranked = Find({"reranked", "(memref<*xf32>) -> memref<*xf32>"});
  std::vector<float> values(256, 1);
  for (uint32_t rank = 0; rank <= 8; ++rank) {
    hal_memref_t memref = MemrefOf(values, std::vector<int64_t>(rank, 2));
    const hal_value_t argument = hal_value_memref(&memref);
    hal_memref_t back;
    hal_value_t result = hal_value_memref(&back);
    ASSERT_EQ(hal_function_call(reranked, 1, &argument, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(back.rank, rank);
    EXPECT_EQ(back.owned, 0u);
    if (rank > 0) EXPECT_EQ(hal_memref_sizes(&back)[0], 1);
    if (rank > 1) EXPECT_EQ(hal_memref_sizes(&back)[rank - 1], 2);
  }
}

TEST_F(FunctionCallTest, ExpandedConventionSpillsToTheStack) {
  const hal_function_t* const expanded =
      Find({"expanded", "(i8, memref<?x?xf32>, f64, f32, memref<*xf32>) -> f64", HAL_CALLING_CONVENTION_EXPANDED});
  std::vector<float> values = {0.5f, 1, 2, 3, 4, 5};
  hal_memref_t m = MemrefOf(values, {2, 3});
  hal_memref_t n = MemrefOf(values, {6});
  hal_value_t arguments[5] = {};
  arguments[0].as.i8 = -4;
  arguments[1] = hal_value_memref(&m);
  arguments[2].as.f64 = 0.125;
  arguments[3] = hal_value_f32(0.25f);
  arguments[4] = hal_value_memref(&n);
  hal_value_t result;
  ASSERT_EQ(hal_function_call(expanded, 5, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.f64, -4 + 0.5 + 2331 + 0.125 + 0.25 + 1 + 0.5);
}

TEST_F(FunctionCallTest, BarePointer) {
  const hal_function_t* const bare =
      Find({"bare", "(memref<2x3xf32>, f32) -> ()", HAL_CALLING_CONVENTION_BARE_POINTER});
  std::vector<float> values(6);
  hal_memref_t m = MemrefOf(values, {2, 3});
  const hal_value_t arguments[] = {hal_value_memref(&m), hal_value_f32(4)};
  ASSERT_EQ(hal_function_call(bare, 2, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(values, std::vector<float>(6, 4));
}

TEST_F(FunctionCallTest, ComplexArgumentsAndVectorSpills) {
  const hal_function_t* const wide =
      Find({"wide", "(complex<f32>, complex<f64>, f64, f64, f64, f64, f64, f64) -> f64"});
  hal_value_t arguments[8] = {};
  double expected = 0;
  arguments[0].as.complex_f32[0] = 1;
  arguments[0].as.complex_f32[1] = 2;
  arguments[1].as.complex_f64[0] = 3;
  arguments[1].as.complex_f64[1] = 4;
  for (int i = 2; i < 8; ++i) arguments[i].as.f64 = i + 3;
  for (int i = 1; i <= 10; ++i) expected += i * i;
  hal_value_t result;
  ASSERT_EQ(hal_function_call(wide, 8, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.f64, expected);
}

TEST_F(FunctionCallTest, WhatAValueHasNoRoomForLiesElsewhere) {
  const hal_function_t* const turned = Find({"turned", kTurned});
  long double z[2] = {3, -4};
  long double product[2] = {};
  hal_value_t arguments[2] = {};
  hal_value_t result;
  arguments[0].as.complex_wide = z;
  arguments[1].as.f8 = 200;
  result.as.complex_wide = product;
  ASSERT_EQ(hal_function_call(turned, 2, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(product[0], 800);
  EXPECT_EQ(product[1], 600);
  EXPECT_EQ(result.as.complex_wide, product);
  result.as.complex_wide = nullptr;
  EXPECT_EQ(hal_function_call(turned, 2, arguments, 1, &result), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'turned': result 0: the address of " + std::string(kComplexLongDouble) + " is NULL"));
  arguments[0].as.complex_wide = nullptr;
  EXPECT_EQ(hal_function_call(turned, 2, arguments, 1, &result), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'turned': argument 0: the address of " + std::string(kComplexLongDouble) + " is NULL"));
}

#if !defined(__x86_64__)
// Registers of 80 bits are x86-64's.
TEST_F(FunctionCallTest, FloatsOf80BitsAreRefusedElsewhere) {
  for (const char* const type : {"(f80) -> f32", "(complex<f80>) -> f32"}) {
    EXPECT_EQ(Load({"wide", type}), HAL_STATUS_UNIMPLEMENTED);
    EXPECT_TRUE(MessageHas("argument 0: this host's processors have no")) << hal_last_error_message();
  }
  EXPECT_EQ(Load({"wide", "(f32) -> f80"}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("result 0: this host's processors have no f80, which is x86-64's"));
}
#endif

class FunctionRefusalTest : public FunctionTest {
 protected:
  hal_status_t CallFirst(hal_memref_t* memref) {
    const hal_function_t* const first = Find(kFirst);
    const hal_value_t argument = hal_value_memref(memref);
    hal_value_t result;
    return hal_function_call(first, 1, &argument, 1, &result);
  }
  std::vector<float> values_ = std::vector<float>(16);
};

TEST_F(FunctionRefusalTest, WrongRankElementsLayoutAndAddress) {
  hal_memref_t memref = MemrefOf(values_, {4});
  EXPECT_EQ(CallFirst(&memref), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("'first': argument 0: the function takes memref<?x?xf32>, given is memref<4xf32>: the ranks"));
  memref = MemrefOf(values_, {2, 2});
  memref.element_type = HAL_ELEMENT_TYPE_F64;
  EXPECT_EQ(CallFirst(&memref), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("given is memref<2x2xf64>: the element types differ"));
  memref = MemrefOf(values_, {2, 2});
  hal_memref_strides(&memref)[0] = 4;
  EXPECT_EQ(CallFirst(&memref), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("given is memref<2x2xf32, strided<[4, 1]>>: the layout cannot express these strides"));
  memref = MemrefOf(values_, {2, 2});
  memref.aligned = nullptr;
  EXPECT_EQ(CallFirst(&memref), HAL_STATUS_INVALID_ARGUMENT);
  memref.aligned = reinterpret_cast<char*>(values_.data()) + 1;
  EXPECT_EQ(CallFirst(&memref), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("not aligned to the 4 bytes of f32"));
  EXPECT_EQ(CallFirst(nullptr), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(FunctionRefusalTest, StaticSizesAndCounts) {
  const hal_function_t* const bare =
      Find({"bare", "(memref<2x3xf32>, f32) -> ()", HAL_CALLING_CONVENTION_BARE_POINTER});
  hal_memref_t memref = MemrefOf(values_, {3, 2});
  const hal_value_t arguments[] = {hal_value_memref(&memref), hal_value_f32(4)};
  EXPECT_EQ(hal_function_call(bare, 2, arguments, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("the function takes memref<2x3xf32>, given is memref<3x2xf32>: the sizes differ"));
  EXPECT_EQ(hal_function_call(bare, 1, arguments, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("argument_count is 1, but 'bare' has 2 arguments"));
  hal_value_t result;
  EXPECT_EQ(hal_function_call(bare, 2, arguments, 1, &result), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("result_count is 1, but 'bare' has 0 results"));
}

#if defined(__x86_64__)  // the rules of AArch64 are those of all versions
TEST_F(FunctionRefusalTest, WhatLlvmPutsElsewhereInOtherVersionsIsNamed) {
  const auto expanded = HAL_CALLING_CONVENTION_EXPANDED;
  EXPECT_EQ(Load({"expanded", "(i64, i64, i64, i64, i64, i128) -> ()", expanded}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("'expanded': argument 5: where this i128 lies depends on LLVM's version"));
  EXPECT_EQ(Load({"expanded", "(i64, i64, i64, i64, i64, i64, i64, i128) -> ()", expanded}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("'expanded': argument 7: where this i128"));
  EXPECT_EQ(Load({"expanded", "(i64, i64, i64, i64, i64, i64, i128) -> ()", expanded}), HAL_STATUS_OK);
  EXPECT_EQ(Load({"expanded", "() -> (f32, f32, bf16)", expanded}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("'expanded': result 2: where this bf16 lies depends on LLVM's version; compile the function"));
  EXPECT_EQ(Load({"expanded", "() -> (f32, complex<bf16>)", expanded}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_EQ(Load({"first", "() -> (i64, i128)"}), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("'first': result 1: where this i128"));
  EXPECT_EQ(Load({"expanded", "() -> (i64, i128)", expanded}), HAL_STATUS_OK) << hal_last_error_message();
}
#endif

TEST_F(FunctionRefusalTest, MissingSymbolsAndSignatures) {
  EXPECT_EQ(Load({"absent", "() -> ()"}), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("function 'absent': the shared object has no symbol"));
  EXPECT_TRUE(MessageHas("no symbol '_mlir_ciface_absent'; compile the function with the attribute"));
  EXPECT_EQ(Load({"bare", "(memref<?xf32>) -> ()", HAL_CALLING_CONVENTION_BARE_POINTER}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("arguments[0].sizes[0]: -9223372036854775808; bare pointers need static shapes"));
  hal_export_info_t kernel = HAL_EXPORT_INFO_INIT;
  kernel.name = hal_string_view("bare");
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(FUNCTIONS_PATH);
  params.exports = &kernel;
  params.export_count = 1;
  ASSERT_EQ(hal_executable_create(device_, &params, &executable_), HAL_STATUS_OK) << hal_last_error_message();
  const hal_function_t* function = nullptr;
  EXPECT_EQ(hal_executable_function(executable_, 0, &function), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("'bare' has no signature"));
  EXPECT_EQ(hal_executable_function(executable_, 1, &function), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view("bear"), &function), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("no export 'bear'; known: bare"));
}

}  // namespace
}  // namespace halyard::testing
