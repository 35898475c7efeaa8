// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One object of every kind, and tables of calls on them that must be refused.
#ifndef HALYARD_TESTS_CTS_API_OBJECTS_H_
#define HALYARD_TESTS_CTS_API_OBJECTS_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {

inline constexpr hal_semaphore_list_t kEmptyList = {nullptr, 0};

/// One good object of every kind, so that a call can be wrong in one argument alone.
struct ApiObjects {
  explicit ApiObjects(const Device& under_test);

  Device device;
  hal_allocator_t* allocator;
  Registry registry = CreateRegistry();
  Driver driver;
  Buffer buffer;  ///< 256 mappable bytes with every usage but EXPORT
  BufferView view;
  Semaphore semaphore;
  Fence fence;
  Event event;
  Executable executable;
  uint32_t add_one;
  CommandBuffer recording;            ///< begun
  CommandBuffer executable_commands;  ///< ended
  ExecutableCache cache;
  DescriptorSetLayout set_layout;
  PipelineLayout layout;
  std::vector<uint8_t> file_bytes;
  File file;

  /// @name Good arguments
  /// @{
  KernelSource kernels;
  hal_buffer_params_t buffer_params = Mappable();
  hal_external_memory_t memory;
  hal_command_buffer_params_t command_buffer_params = HAL_INIT(hal_command_buffer_params_t);
  hal_profiling_sink_t sink;
  uint32_t word = 0x12345678;  ///< a pattern, or data
  int64_t size = 1;            ///< of a shape
  int64_t index = 0;
  /// @}

  /// @name Places for results
  /// @{
  size_t count = 0;
  uint32_t ordinal = 0;
  uint64_t number = 0;
  char text[64] = {};
  void* pointer = nullptr;
  const void* table = nullptr;
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  /// @}
};

/// A call that must be refused with `expected`, without any effect.
struct RefusedCall {
  const char* name;
  hal_status_t expected;
  hal_status_t (*call)(ApiObjects& o);
};
void PrintTo(const RefusedCall& call, std::ostream* out);

/// Runs refused calls as parameters.
class RefusedCallTest : public DeviceTestWith<RefusedCall> {
 protected:
  /// Expects that the call is refused with a message, and that everything works as before.
  void ExpectRefused() const;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_API_OBJECTS_H_
