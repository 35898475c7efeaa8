// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_code.h"

#include "base/file/file_contents.h"

namespace halyard::testing {

std::vector<std::byte> ReadObject(const std::string& name) {
  HostVector<std::byte> bytes;
  const std::string path = HALYARD_OBJECTS "/" + name + ".o";
  EXPECT_EQ(Publish(ReadFile(path.c_str(), &bytes)), HAL_STATUS_OK) << hal_last_error_message();
  return {bytes.begin(), bytes.end()};
}

hal_export_info_t KernelExport(const char* name, std::span<const hal_parameter_t> parameters, uint32_t constants_size) {
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(name);
  info.parameters = parameters.data();
  info.parameter_count = static_cast<uint32_t>(parameters.size());
  info.constants_size = constants_size;
  return info;
}

void HostCodeTest::OpenDevice(const char* uri) {
  ASSERT_EQ(hal_device_create(hal_string_view(uri), device_.out()), HAL_STATUS_OK) << hal_last_error_message();
}

Ref<hal_buffer_t> HostCodeTest::Buffer(size_t count) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  Ref<hal_buffer_t> buffer;
  EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, count * 4, buffer.out()),
            HAL_STATUS_OK);
  const std::vector<uint32_t> zeros(count);
  EXPECT_EQ(hal_buffer_write(buffer.get(), 0, zeros.data(), count * 4), HAL_STATUS_OK);
  return buffer;
}

hal_executable_params_t HostCodeTest::ObjectParams(std::span<const std::byte> object) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_OBJECT);
  params.data = object.data();
  params.data_size = object.size();
  return params;
}

hal_status_t HostCodeTest::Run(uint32_t ordinal, std::span<hal_buffer_t* const> buffers,
                               std::span<const std::byte> constants) {
  std::vector<hal_buffer_ref_t> refs;
  for (hal_buffer_t* const buffer : buffers) refs.push_back(hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE));
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = constants.data();
  dispatch.constants_size = static_cast<uint32_t>(constants.size());
  dispatch.bindings = {refs.data(), refs.size()};
  Ref<hal_semaphore_t> done;
  EXPECT_EQ(hal_semaphore_create(device_.get(), nullptr, done.out()), HAL_STATUS_OK);
  const hal_timeline_point_t point = hal_timeline_point(done.get(), 1);
  hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
  submit.signal_list = hal_semaphore_list(&point, 1);
  const hal_status_t status = hal_device_queue_dispatch(device_.get(), &submit, executable_.get(), ordinal, &dispatch);
  return status == HAL_STATUS_OK ? hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE) : status;
}

}  // namespace halyard::testing
