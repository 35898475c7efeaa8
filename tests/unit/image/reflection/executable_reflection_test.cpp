// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of raw images without an export list: what the core hands to drivers, and what the local one runs.
#include "core/executable/executable_reflection.h"

#include <array>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "reflection_images.h"

namespace halyard::testing {
namespace {

using ::testing::HasSubstr;

hal_executable_params_t ParamsOf(const char* format, const ReflectionImage& image) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(format);
  params.data = image.data();
  params.data_size = image.size();
  return params;
}

TEST(ExecutableReflection, GivesWhatCanBeCalled) {
  const ReflectionImage image = ReadReflectionImage("clang19_gfx1100_v5.hsaco");
  hal_executable_params_t params = ParamsOf("hsaco", image);
  ExecutableReflection reflection;
  ASSERT_EQ(reflection.Resolve(&params), kOk) << LastErrorMessage();
  ASSERT_EQ(params.export_count, 3u);  // not the one with an argument for workgroup memory
  EXPECT_EQ(View(params.exports[1].name), "reverse");
  EXPECT_EQ(params.exports[1].workgroup_size.y, 2u);
  EXPECT_EQ(params.exports[1].constants_size, 17u);
  ASSERT_EQ(params.exports[1].parameter_count, 4u);
  EXPECT_EQ(params.exports[1].parameters[3].kind, HAL_PARAMETER_KIND_BINDING);
  EXPECT_EQ(params.exports[0].workgroup_size.x, 0u);
}

TEST(ExecutableReflection, GivesTheKernelsOfSpirv) {
  const ReflectionImage image = ReadReflectionImage("glslang12_two.spv");
  hal_executable_params_t params = ParamsOf("spirv", image);
  ExecutableReflection reflection;
  ASSERT_EQ(reflection.Resolve(&params), kOk) << LastErrorMessage();
  ASSERT_EQ(params.export_count, 2u);
  EXPECT_EQ(View(params.exports[1].name), "sparse");
  EXPECT_EQ(params.exports[1].workgroup_size.y, 4u);
  EXPECT_EQ(params.exports[1].constants_size, 36u);
  ASSERT_EQ(params.exports[1].parameter_count, 4u) << "without 9:4, which the entry point does not list";
  EXPECT_EQ(params.exports[1].parameters[1].set, 9u);
  EXPECT_EQ(params.exports[1].parameters[1].access, HAL_BINDING_ACCESS_WRITE);
  EXPECT_EQ(params.exports[1].parameters[3].offset, 24u);
}

TEST(ExecutableReflection, ReadsAFileOnce) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("ptx");
  params.path = hal_string_view(HALYARD_REFLECTION_IMAGES "/nvcc13_set.ptx");
  ExecutableReflection reflection;
  ASSERT_EQ(reflection.Resolve(&params), kOk) << LastErrorMessage();
  EXPECT_EQ(params.path.size, 0u);
  EXPECT_THAT(std::string(static_cast<const char*>(params.data), params.data_size), HasSubstr(".entry set("));
  EXPECT_EQ(params.export_count, 1u);
}

TEST(ExecutableReflection, LeavesAloneWhatTellsNothingOrIsTold) {
  const ReflectionImage image(8);
  hal_executable_params_t params = ParamsOf("metallib", image);
  ExecutableReflection reflection;
  EXPECT_EQ(reflection.Resolve(&params), kOk);
  EXPECT_EQ(params.export_count, 0u);
  const hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  params = ParamsOf("ptx", image);
  params.exports = &info;
  params.export_count = 1;
  EXPECT_EQ(reflection.Resolve(&params), kOk);
  EXPECT_EQ(params.exports, &info);
}

TEST(ExecutableReflection, AsksForAListIfThereIsNothingToCall) {
  const std::string text = ".version 8.0\n.target sm_70\n.entry f(.param .texref t) { ret; }";
  const auto bytes = std::as_bytes(std::span(text));
  hal_executable_params_t params = ParamsOf("ptx", {bytes.begin(), bytes.end()});
  params.data = text.data();
  ExecutableReflection reflection;
  EXPECT_EQ(Publish(reflection.Resolve(&params)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(LastErrorMessage(),
            "the image has no kernel to call; kernel 'f' cannot be called: parameter 't' is a texture, surface or "
            "sampler");
  const ReflectionImage elf = ReadReflectionImage("clang19_gfx1100_v5.hsaco");
  params = ParamsOf("host-shared-object", elf);
  EXPECT_EQ(Publish(reflection.Resolve(&params)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(std::string(LastErrorMessage()), HasSubstr("give the list in params->exports"));
}

#ifdef HALYARD_RECORDED_KERNELS
/// y = 2 x + y over 100 elements, with a kernel without a description.
TEST(ExecutableReflection, TheLocalDeviceRunsWhatAnObjectTells) {
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), &device), HAL_STATUS_OK) << hal_last_error_message();
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(HALYARD_RECORDED_KERNELS);
  hal_executable_t* executable = nullptr;
  ASSERT_EQ(hal_executable_create(device, &params, &executable), HAL_STATUS_OK) << hal_last_error_message();
  uint32_t ordinal = 0;
  ASSERT_EQ(hal_executable_find_export(executable, hal_string_view("saxpy"), &ordinal), HAL_STATUS_OK);

  std::array<hal_buffer_t*, 2> buffers = {};
  std::array<hal_buffer_ref_t, 2> bindings = {};
  constexpr uint32_t kCount = 100;
  hal_buffer_params_t buffer_params = HAL_BUFFER_PARAMS_INIT;
  buffer_params.usage |= HAL_BUFFER_USAGE_MAPPING;
  for (size_t i = 0; i < buffers.size(); ++i) {
    ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device), &buffer_params, kCount * sizeof(float), &buffers[i]),
              HAL_STATUS_OK);
    const std::vector<float> values(kCount, i == 0 ? 3.0f : 1.0f);
    ASSERT_EQ(hal_buffer_write(buffers[i], 0, values.data(), values.size() * sizeof(float)), HAL_STATUS_OK)
        << hal_last_error_message();
    bindings[i] = hal_buffer_ref(buffers[i], 0, HAL_WHOLE_SIZE);
  }
  struct {
    float a;
    uint32_t n;
  } const constants = {2.0f, kCount};
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_count = hal_dim3(2, 1, 1);
  dispatch.constants = &constants;
  dispatch.constants_size = sizeof(constants);
  dispatch.bindings = {bindings.data(), bindings.size()};
  hal_semaphore_t* done = nullptr;
  ASSERT_EQ(hal_semaphore_create(device, nullptr, &done), HAL_STATUS_OK);
  const hal_timeline_point_t point = {done, 1};
  ASSERT_EQ(hal_device_queue_dispatch(device, hal::SubmitParams({nullptr, 0}, hal_semaphore_list(&point, 1)),
                                      executable, ordinal, &dispatch),
            HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
  std::vector<float> result(kCount);
  ASSERT_EQ(hal_buffer_read(buffers[1], 0, result.data(), result.size() * sizeof(float)), HAL_STATUS_OK);
  EXPECT_THAT(result, ::testing::Each(7.0f));
  for (hal_buffer_t* const buffer : buffers) hal_buffer_release(buffer);
  hal_semaphore_release(done);
  hal_executable_release(executable);
  hal_device_release(device);
}
#endif

}  // namespace
}  // namespace halyard::testing
