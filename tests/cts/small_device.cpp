// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/small_device.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

uint64_t CapacityOf(const Device& device) {
  size_t count = 0;
  Check(hal_allocator_query_heaps(device.allocator(), &count, nullptr), "hal_allocator_query_heaps");
  std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
  Check(hal_allocator_query_heaps(device.allocator(), &count, heaps.data()), "hal_allocator_query_heaps");
  uint64_t capacity = 0;
  for (const hal_memory_heap_t& heap : heaps) {
    if (heap.memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL) capacity = std::max(capacity, heap.capacity);
  }
  if (capacity == 0) throw std::runtime_error("no device-local heap says how much memory it has");
  return capacity;
}

}  // namespace

SmallDevice OpenSmallDevice() {
  const hal_key_value_t memory = {View("memory"), View("16MiB")};
  SmallDevice small;
  const hal_status_t status =
      hal_registry_create_device(SuiteRegistry(), View(options().device), 1, &memory, small.device.out());
  if (status != HAL_STATUS_OK) small.device = OpenDevice(options().device);
  small.capacity = CapacityOf(small.device);
  return small;
}

hal_allocator_statistics_t StatisticsOf(const Device& device) {
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  Check(hal_allocator_query_statistics(device.allocator(), &statistics), "hal_allocator_query_statistics");
  return statistics;
}

}  // namespace halyard::cts
