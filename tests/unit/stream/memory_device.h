// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices on the native API in memory, behind the public API.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_DEVICE_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_DEVICE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"
#include "unit/stream/memory_api.h"

namespace halyard::stream {

inline constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds

/// Those of a device that can do everything.
NativeTraits AllTraits();

/// Opens `memory://?<parameters>` in a world of its own.
struct MemoryDevice {
  explicit MemoryDevice(const std::string& parameters = "", const NativeTraits& traits = AllTraits());

  std::shared_ptr<MemoryWorld> world = std::make_shared<MemoryWorld>();
  hal_status_t status;  // of opening it
  Ref<hal_device_t> device;
};

using Point = hal_timeline_point_t;
using Points = std::vector<Point>;

Ref<hal_semaphore_t> MakeSemaphore(const Ref<hal_device_t>& device);
Ref<hal_buffer_t> MakeBuffer(const Ref<hal_device_t>& device, uint64_t length, bool mappable = true);

hal_status_t Barrier(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                     hal_queue_mask_t queues = HAL_QUEUE_ANY);
hal_status_t Fill(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                  const Ref<hal_buffer_t>& buffer, uint32_t pattern, hal_queue_mask_t queues = HAL_QUEUE_ANY);
hal_status_t Copy(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                  const Ref<hal_buffer_t>& source, const Ref<hal_buffer_t>& target,
                  hal_queue_mask_t queues = HAL_QUEUE_ANY);

/// Waits for ten seconds at most.
hal_status_t Wait(const Ref<hal_semaphore_t>& semaphore, uint64_t value);
/// The first element of a mappable buffer.
uint32_t First(const Ref<hal_buffer_t>& buffer);
/// Gives threads that are on their way out the time to get there: waits until nothing of the world is alive.
bool BecomesEmpty(const MemoryWorld& world);

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_DEVICE_H_
