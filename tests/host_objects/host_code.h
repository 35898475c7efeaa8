// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading and running code of the host.
#ifndef HALYARD_TESTS_HOST_OBJECTS_HOST_CODE_H_
#define HALYARD_TESTS_HOST_OBJECTS_HOST_CODE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"

namespace halyard::testing {

/// The bytes of an object that CMake had compiled.
std::vector<std::byte> ReadObject(const std::string& name);

/// An export of a kernel with `bindings`, and constants of a size.
hal_export_info_t KernelExport(const char* name, std::span<const hal_parameter_t> parameters, uint32_t constants_size);

class HostCodeTest : public ::testing::Test {
 protected:
  void SetUp() override { OpenDevice("local://sync"); }
  void OpenDevice(const char* uri);

  /// Memory of `count` values, which the host can map.
  Ref<hal_buffer_t> Buffer(size_t count);
  template <class T>
  std::vector<T> Read(const Ref<hal_buffer_t>& buffer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(hal_buffer_read(buffer.get(), 0, values.data(), count * sizeof(T)), HAL_STATUS_OK);
    return values;
  }

  /// Parameters for an object.
  hal_executable_params_t ObjectParams(std::span<const std::byte> object);
  hal_status_t Create(const hal_executable_params_t& params) {
    return hal_executable_create(device_.get(), &params, executable_.out());
  }
  /// Runs an export over buffers and waits.
  hal_status_t Run(uint32_t ordinal, std::span<hal_buffer_t* const> buffers, std::span<const std::byte> constants = {});

  Ref<hal_device_t> device_;
  Ref<hal_executable_t> executable_;
};

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_HOST_OBJECTS_HOST_CODE_H_
