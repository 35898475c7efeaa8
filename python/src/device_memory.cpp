// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_memory.h"

#include <algorithm>

#include "device.h"
#include "errors.h"

namespace halyard::python {

namespace {

/// The usages and properties that a device offers beyond those that every buffer has: to be mapped and exported.
struct Offer {
  hal_memory_type_t memory_type;
  hal_buffer_usage_t usage;
};

/// What the first heap with `wanted` properties offers; nothing of a heap that kernels cannot use.
Offer FindOffer(hal_allocator_t* allocator, hal_memory_type_t wanted) {
  size_t count = 0;
  Check(hal_allocator_query_heaps(allocator, &count, nullptr));
  std::vector<hal_memory_heap_t> heaps(count, HAL_INIT(hal_memory_heap_t));
  Check(hal_allocator_query_heaps(allocator, &count, heaps.data()));
  for (const hal_memory_heap_t& heap : heaps) {
    if ((heap.memory_type & wanted) == wanted && (heap.usage & HAL_BUFFER_USAGE_STORAGE)) {
      return {wanted, HAL_BUFFER_USAGE_DEFAULT | (heap.usage & (HAL_BUFFER_USAGE_MAPPING | HAL_BUFFER_USAGE_EXPORT))};
    }
  }
  return {HAL_MEMORY_TYPE_NONE, HAL_BUFFER_USAGE_NONE};
}

}  // namespace

Memory::Memory(std::shared_ptr<DeviceCore> device, BufferRef buffer)
    : device_(std::move(device)), buffer_(std::move(buffer)) {
  Check(hal_buffer_query_info(buffer_.get(), &info_));
  length_ = info_.length;
}

Memory::~Memory() {
  if (mapped_ && buffer_.Alive()) hal_buffer_unmap(buffer_.get());
}

std::byte* Memory::Map() {
  if (!mapped_) {
    const hal_map_access_t access = is_read_only() ? HAL_MAP_ACCESS_READ : HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE;
    Check(hal_buffer_map(buffer_.get(), access, 0, HAL_WHOLE_SIZE, &mapped_));
  }
  return static_cast<std::byte*>(mapped_);
}

void Memory::NoteOther(const std::shared_ptr<Timeline>& timeline, uint64_t value) {
  // What is over need not be waited for any more. What failed before is told by its stream; this work comes after it.
  std::erase_if(uses_, [&](const Use& use) {
    uint64_t reached = 0;
    const hal_status_t code = hal_semaphore_query(use.timeline->semaphore.get(), &reached);
    return use.timeline == timeline || code != HAL_STATUS_OK || reached >= use.value;
  });
  uses_.insert(uses_.begin(), Use{timeline, value});
}

std::vector<hal_timeline_point_t> Memory::Points() const {
  std::vector<hal_timeline_point_t> points;
  for (const Use& use : uses_) points.push_back({use.timeline->semaphore.get(), use.value});
  return points;
}

void Memory::Wait(nb::handle timeout) {
  if (uses_.empty()) return;
  const std::vector<Use> uses = uses_;  // another thread may note more meanwhile
  const std::vector<hal_timeline_point_t> points = Points();
  WaitInSlices(timeout, [&](uint64_t slice) {
    return hal_semaphore_list_wait(hal_semaphore_list(points.data(), points.size()), HAL_WAIT_ALL, slice, nullptr);
  });
}

std::shared_ptr<Memory> Allocate(const std::shared_ptr<DeviceCore>& device, uint64_t length, bool host) {
  hal_allocator_t* const allocator = hal_device_allocator(device->ref.get());
  constexpr hal_memory_type_t kHost = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
  Offer offer = {HAL_MEMORY_TYPE_NONE, HAL_BUFFER_USAGE_NONE};
  if (host) {
    offer = FindOffer(allocator, kHost);
  } else if (device->shares_host_memory) {
    offer = FindOffer(allocator, HAL_MEMORY_TYPE_DEVICE_LOCAL | kHost);
  }
  if (offer.usage == HAL_BUFFER_USAGE_NONE) offer = FindOffer(allocator, HAL_MEMORY_TYPE_DEVICE_LOCAL);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = offer.memory_type;
  params.usage = offer.usage == HAL_BUFFER_USAGE_NONE ? HAL_BUFFER_USAGE_DEFAULT : offer.usage;
  hal_buffer_t* buffer = nullptr;
  Check(hal_allocator_allocate(allocator, &params, length, &buffer));
  return std::make_shared<Memory>(device, BufferRef(buffer));
}

}  // namespace halyard::python
