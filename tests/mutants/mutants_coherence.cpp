// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory whose mappings the device sees only after a flush, and the host only after an invalidate. The local driver has
// none; here a mapping shows a copy of the buffer, like a cache without snooping.
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "local/memory/local_buffer.h"
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

constexpr hal_memory_type_t kCoherent = HAL_MEMORY_TYPE_HOST_COHERENT;

/// What the host sees of each buffer that was ever mapped.
class HostViews {
 public:
  static HostViews& Get() {
    static auto& views = *new HostViews();  // NOLINT: buffers may outlive main()
    return views;
  }

  /// The host's copy of a buffer; made at first sight.
  char* Of(hal_buffer_t* buffer) {
    const std::lock_guard lock(mutex_);
    View& view = views_[buffer];
    if (!view) {
      view.reset(static_cast<char*>(operator new(buffer->length + 1, kAlignment)));  // + 1: an empty one has an address
      std::memcpy(view.get(), DataOf(buffer), buffer->length);
    }
    return view.get();
  }

  void Forget(hal_buffer_t* buffer) {
    const std::lock_guard lock(mutex_);
    views_.erase(buffer);
  }

  static char* DataOf(hal_buffer_t* buffer) { return static_cast<local::LocalBuffer*>(buffer)->data(); }

 private:
  static constexpr std::align_val_t kAlignment{65'536};  // as much as any test asks for
  struct Free {
    void operator()(char* view) const { operator delete(view, kAlignment); }
  };
  using View = std::unique_ptr<char, Free>;

  std::mutex mutex_;  // protects the map, not what lies in the copies
  std::map<hal_buffer_t*, View> views_;
};

hal_status_t QueryHeaps(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps) {
  const hal_status_t status = Local().allocator->query_heaps(allocator, count, heaps);
  for (size_t i = 0; status == HAL_STATUS_OK && heaps && i < *count; ++i) heaps[i].memory_type &= ~kCoherent;
  return status;
}

hal_status_t Allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                      hal_buffer_t** out_buffer) {
  if (params->memory_type & kCoherent) return ToC(FailWith(HAL_STATUS_INCOMPATIBLE, "no heap is HOST_COHERENT"));
  const hal_status_t status = Local().allocator->allocate(allocator, params, length, out_buffer);
  if (status == HAL_STATUS_OK) (*out_buffer)->memory_type &= ~kCoherent;
  return status;
}

hal_status_t Submit(hal_device_t* device, const hal_queue_operation_t* operation) {
  const hal_status_t status = Local().device->submit(device, operation);
  if (status == HAL_STATUS_OK && operation->type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) {
    (*operation->u.allocate.out_buffer)->memory_type &= ~kCoherent;
  }
  return status;
}

hal_status_t Map(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length, void** out_pointer) {
  const hal_status_t status = Local().buffer->map(buffer, access, offset, length, out_pointer);
  if (status == HAL_STATUS_OK && (buffer->memory_type & kCoherent) == 0)
    *out_pointer = HostViews::Get().Of(buffer) + offset;
  return status;
}

hal_status_t Flush(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  if (length > 0) std::memcpy(HostViews::DataOf(buffer) + offset, HostViews::Get().Of(buffer) + offset, length);
  return HAL_STATUS_OK;
}

hal_status_t Invalidate(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  if (length > 0) std::memcpy(HostViews::Get().Of(buffer) + offset, HostViews::DataOf(buffer) + offset, length);
  return HAL_STATUS_OK;
}

void Destroy(hal_object_t* buffer) {
  HostViews::Get().Forget(reinterpret_cast<hal_buffer_t*>(buffer));
  Local().buffer->destroy(buffer);
}

void PlantIncoherence(Tables& tables) {
  tables.allocator.query_heaps = QueryHeaps;
  tables.allocator.allocate = Allocate;
  tables.device.submit = Submit;
  tables.buffer.map = Map;
  tables.buffer.flush = Flush;
  tables.buffer.invalidate = Invalidate;
  tables.buffer.destroy = Destroy;
}

hal_status_t DoNothing(hal_buffer_t*, uint64_t, uint64_t) { return HAL_STATUS_OK; }

// The first half of the range.
hal_status_t FlushHalf(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return Flush(buffer, offset, length / 2);
}

// More than was asked for: what the device has written beside the range is lost.
hal_status_t FlushAll(hal_buffer_t* buffer, uint64_t, uint64_t) { return Flush(buffer, 0, buffer->length); }

hal_status_t InvalidateHalf(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return Invalidate(buffer, offset, length / 2);
}

// More than was asked for: what the host has written beside the range is lost.
hal_status_t InvalidateAll(hal_buffer_t* buffer, uint64_t, uint64_t) { return Invalidate(buffer, 0, buffer->length); }

/// Incoherent memory with one wrong entry.
template <auto kEntry, hal_status_t (*kMutated)(hal_buffer_t*, uint64_t, uint64_t)>
void PlantMutated(Tables& tables) {
  PlantIncoherence(tables);
  tables.buffer.*kEntry = kMutated;
}

constexpr auto kFlush = &hal_buffer_vtable_t::flush;
constexpr auto kInvalidate = &hal_buffer_vtable_t::invalidate;
constexpr std::string_view kTests = "*BufferMap*:BufferTest.*";

constexpr Mutant kCoherenceMutants[] = {
    {"incoherent", "a control: mapped memory is not coherent", "*Buffer*:*Copy*:*Fill*:*Update*:*Alloca*-*Slow*",
     PlantIncoherence, /*is_mutant=*/false},
    {"flush-ignored", "what the host wrote never reaches the device", kTests, PlantMutated<kFlush, DoNothing>},
    {"flush-half", "only half of a range is flushed", kTests, PlantMutated<kFlush, FlushHalf>},
    {"flush-everything", "a flush overwrites what lies beside its range", kTests, PlantMutated<kFlush, FlushAll>},
    {"invalidate-ignored", "what the device wrote never reaches the host", kTests,
     PlantMutated<kInvalidate, DoNothing>},
    {"invalidate-half", "only half of a range is invalidated", kTests, PlantMutated<kInvalidate, InvalidateHalf>},
    {"invalidate-everything", "an invalidate overwrites what lies beside its range", kTests,
     PlantMutated<kInvalidate, InvalidateAll>},
};

}  // namespace

std::span<const Mutant> CoherenceMutants() { return kCoherenceMutants; }

}  // namespace halyard::mutants
