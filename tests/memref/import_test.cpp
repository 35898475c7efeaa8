// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled functions that call the host's, copy memrefs, and give up.
#include "functions.h"
#include "support/command.h"

namespace halyard::testing {
namespace {

constexpr const char* kModule = R"(
func.func private @twice(memref<?xf32>, f32) -> f32 attributes {llvm.emit_c_interface}
func.func @apply(%x: memref<?xf32>, %f: f32) -> f32 attributes {llvm.emit_c_interface} {
  %r = call @twice(%x, %f) : (memref<?xf32>, f32) -> f32
  return %r : f32
}
func.func @copy(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %y: memref<?x?xf32>) attributes {llvm.emit_c_interface} {
  memref.copy %x, %y : memref<?x?xf32, strided<[?, ?], offset: ?>> to memref<?x?xf32>
  return
}
func.func @check(%ok: i1) attributes {llvm.emit_c_interface} {
  cf.assert %ok, "not ok"
  return
}
)";

struct Memref1 {
  float* allocated;
  float* aligned;
  int64_t offset, size, stride;
};

// The host's `twice`: doubles the elements and the factor.
float Twice(Memref1* x, float factor) {
  for (int64_t i = 0; i < x->size; ++i) x->aligned[i] *= 2;
  return 2 * factor;
}

class ImportTest : public FunctionTest {
 protected:
  hal_status_t LoadModule(const std::vector<hal_function_import_t>& imports) {
    if (!device_) Open("local://sync");
    const std::string path = folder_ / "m.halx";
    tools::RunCommand({HALYARD_PACK, "--mlir=" + folder_.Write("m.mlir", kModule), "--output=" + path}, folder_);
    hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
    params.path = hal_string_view_t{path.data(), path.size()};
    params.imports = imports.data();
    params.import_count = imports.size();
    return hal_executable_create(device_, &params, &executable_);
  }
  const hal_function_t* Named(const char* name) {
    const hal_function_t* function = nullptr;
    EXPECT_EQ(hal_executable_find_function(executable_, hal_string_view(name), &function), HAL_STATUS_OK);
    return function;
  }
  static hal_function_import_t TwiceImport(const char* name) {
    return {hal_string_view(name), reinterpret_cast<void (*)()>(Twice)};
  }
  tools::WorkFolder folder_;
};

TEST_F(ImportTest, ExternalFunctionsReachTheHost) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<float> values = {1, 2, 3};
  hal_memref_t memref = MemrefOf(values, {3});
  const hal_value_t arguments[] = {hal_value_memref(&memref), hal_value_f32(21)};
  hal_value_t result;
  ASSERT_EQ(hal_function_call(Named("apply"), 2, arguments, 1, &result), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(result.as.f32, 42);
  EXPECT_EQ(values, (std::vector<float>{2, 4, 6}));
}

TEST_F(ImportTest, StridedMemrefsAreCopied) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<float> source = {1, 2, 3, 4, 5, 6};
  std::vector<float> target(6);
  hal_memref_t from = MemrefOf(source, {3, 2});
  hal_memref_strides(&from)[0] = 1;  // column-major
  hal_memref_strides(&from)[1] = 3;
  hal_memref_t to = MemrefOf(target, {3, 2});
  const hal_value_t arguments[] = {hal_value_memref(&from), hal_value_memref(&to)};
  ASSERT_EQ(hal_function_call(Named("copy"), 2, arguments, 0, nullptr), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(target, (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(ImportTest, FailedAssertionFailsTheCall) {
  ASSERT_EQ(LoadModule({TwiceImport("twice")}), HAL_STATUS_OK) << hal_last_error_message();
  hal_value_t ok = {};
  for (int i = 0; i < 4; ++i) {
    ok.as.i8 = static_cast<int8_t>(i & 1);
    const hal_status_t expected = ok.as.i8 ? HAL_STATUS_OK : HAL_STATUS_ABORTED;
    EXPECT_EQ(hal_function_call(Named("check"), 1, &ok, 0, nullptr), expected);
  }
  EXPECT_TRUE(MessageHas("'check' gave up: it called abort(), as a failed cf.assert does"));
}

TEST_F(ImportTest, MissingAndUnknownImportsAreNamed) {
  EXPECT_EQ(LoadModule({}), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("calls '_mlir_ciface_twice', which params->imports does not give"));
  EXPECT_EQ(LoadModule({TwiceImport("thrice")}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("calls no function 'thrice'"));
  EXPECT_EQ(LoadModule({{hal_string_view("twice"), nullptr}}), HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard::testing
