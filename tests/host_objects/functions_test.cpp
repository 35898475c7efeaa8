// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the process already has, as kernels: in both conventions, kept until the last use has ended.
#include <atomic>

#include "halyard/local_kernel.h"
#include "host_code.h"

namespace halyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int32_t Number(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup) {
  HAL_LOCAL_BINDING(uint32_t, 0)[workgroup->id[0]] = *HAL_LOCAL_CONSTANT(const uint32_t, 0) + workgroup->id[0];
  return 0;
}

void Fill(int32_t* values, int32_t number, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = number;
}

void MemrefFill(const hal_memref_t*) {}

template <class Function>
hal_host_function_t Code(Function function) {
  return reinterpret_cast<hal_host_function_t>(function);
}

class FunctionsTest : public HostCodeTest {
 protected:
  FunctionsTest() {
    arguments_[0].kind = HAL_VALUE_KIND_POINTER;
    arguments_[0].element_type = arguments_[1].element_type = HAL_ELEMENT_TYPE_I32;
    arguments_[2].element_type = HAL_ELEMENT_TYPE_I64;
    signature_.convention = HAL_CALLING_CONVENTION_C;
    signature_.argument_count = 3;
    signature_.arguments = arguments_;
    exports_[0] = KernelExport("number", parameters_, 4);
    exports_[1].name = hal_string_view("fill");
    exports_[1].signature = &signature_;
  }
  hal_executable_params_t Params() {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS);
    params.exports = exports_;
    params.export_count = 2;
    params.functions = functions_;
    params.function_count = 2;
    params.release = [](void* user_data) { ++*static_cast<int*>(user_data); };
    params.release_user_data = &released_;
    return params;
  }
  void ExpectRefused(const hal_executable_params_t& params, const char* words) {
    EXPECT_EQ(Create(params), HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    EXPECT_EQ(released_, 0);
  }

  int released_ = 0;
  const hal_parameter_t parameters_[2] = {hal_parameter_constant(0, 4),
                                          hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)};
  hal_value_type_t arguments_[3] = {};
  hal_function_signature_t signature_ = HAL_INIT(hal_function_signature_t);
  hal_export_info_t exports_[2] = {HAL_EXPORT_INFO_INIT, HAL_EXPORT_INFO_INIT};
  hal_host_function_t functions_[2] = {Code(Number), Code(Fill)};
};

TEST_F(FunctionsTest, RunAsKernelsAndAsPlainFunctions) {
  ASSERT_EQ(Create(Params()), HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_buffer_t> y = Buffer(2);
  hal_buffer_t* const buffers[] = {y.get()};
  const uint32_t seven = 7;
  ASSERT_EQ(Run(0, buffers, std::as_bytes(std::span(&seven, 1))), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(Read<uint32_t>(y, 2), ElementsAre(7, 0));
  struct {
    int32_t number = 5;
    int64_t count = 2;
  } constants;
  ASSERT_EQ(Run(1, buffers, std::as_bytes(std::span(&constants, 1))), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(Read<int32_t>(y, 2), ElementsAre(5, 5));
}

TEST_F(FunctionsTest, AreReleasedOnceNothingUsesThem) {
  ASSERT_EQ(Create(Params()), HAL_STATUS_OK) << hal_last_error_message();
  Ref<hal_command_buffer_t> commands;
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  ASSERT_EQ(hal_command_buffer_create(device_.get(), &params, commands.out()), HAL_STATUS_OK);
  const Ref<hal_buffer_t> y = Buffer(2);
  const hal_buffer_ref_t ref = hal_buffer_ref(y.get(), 0, HAL_WHOLE_SIZE);
  const uint32_t seven = 7;
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = &seven;
  dispatch.constants_size = 4;
  dispatch.bindings = {&ref, 1};
  ASSERT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_dispatch(commands.get(), executable_.get(), 0, &dispatch), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK);
  executable_ = {};
  EXPECT_EQ(released_, 0);
  commands = {};
  EXPECT_EQ(released_, 1);
}

TEST_F(FunctionsTest, AFailedCallReleasesNothing) {
  hal_executable_params_t params = Params();
  functions_[1] = nullptr;
  ExpectRefused(params, "functions[1] is NULL");
  functions_[1] = Code(Fill);
  params.function_count = 1;
  ExpectRefused(params, "function_count is 1, and params->export_count is 2");
  params = Params();
  params.data = functions_;
  params.data_size = 8;
  ExpectRefused(params, "has no image");
  params = Params();
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_OBJECT);
  params.path = hal_string_view("/nowhere");
  ExpectRefused(params, "functions is for the format 'host-functions'");
  params = Params();
  params.format = {nullptr, 0};
  params.functions = nullptr;
  params.function_count = 0;
  params.path = hal_string_view("/nowhere");
  ExpectRefused(params, "release is for the formats of the host");
}

TEST_F(FunctionsTest, HaveNoPlaceInACache) {
  Ref<hal_executable_cache_t> cache;
  ASSERT_EQ(hal_executable_cache_create(device_.get(), nullptr, cache.out()), HAL_STATUS_OK);
  const hal_executable_params_t params = Params();
  EXPECT_EQ(hal_executable_cache_prepare(cache.get(), &params, executable_.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_executable_create()"));
}

TEST_F(FunctionsTest, OfMlirAreTakenByTheirAddress) {
  hal_value_type_t argument = {};
  int64_t sizes[1] = {4};
  argument.kind = HAL_VALUE_KIND_RANKED;
  argument.element_type = HAL_ELEMENT_TYPE_I32;
  argument.rank = 1;
  argument.sizes = sizes;
  signature_.convention = HAL_CALLING_CONVENTION_WRAPPER;
  signature_.argument_count = 1;
  signature_.arguments = &argument;
  functions_[1] = Code(MemrefFill);
  ASSERT_EQ(Create(Params()), HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_buffer_t> y = Buffer(4);
  hal_buffer_t* const buffers[] = {y.get()};
  EXPECT_EQ(Run(1, buffers), HAL_STATUS_OK) << hal_last_error_message();
}

}  // namespace
}  // namespace halyard::testing
