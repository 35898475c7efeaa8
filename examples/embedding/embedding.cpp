// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-embedding: Halyard inside an application that wants to know of every allocation and every log line.
///
/// For readers who know Vulkan: the allocator is VkAllocationCallbacks, but set once for the library instead of being
/// passed with every call. The log callback is a debug messenger; drivers write to it. A call that fails
/// does not use it: it returns a status, and hal_last_error_message() has the message.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "support/halyard_handles.h"

namespace examples {
namespace {

constexpr size_t kNumbers = 1024;

/// The application's heap: the system's, with a count kept. Called from many threads at once.
class Heap {
 public:
  void Install() {
    hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
    allocator.user_data = this;
    allocator.allocate = [](void* self, size_t size, size_t alignment) {
      return static_cast<Heap*>(self)->Allocate(size, alignment);
    };
    allocator.free = [](void* self, void* memory, size_t size, size_t alignment) {
      static_cast<Heap*>(self)->Free(memory, size, alignment);
    };
    Check(hal_set_host_allocator(&allocator), "set the allocator");
  }

  void Report() const {
    std::printf("host memory: %zu allocations, %zu bytes in use now\n", count_.load(), bytes_.load());
  }

 private:
  void* Allocate(size_t size, size_t alignment) {
    ++count_;
    bytes_ += size;
    return ::operator new(size, std::align_val_t(alignment), std::nothrow);
  }

  /// Gets size and alignment back, so that a heap need not remember them.
  void Free(void* memory, size_t size, size_t alignment) {
    bytes_ -= size;
    ::operator delete(memory, std::align_val_t(alignment));
  }

  std::atomic<size_t> count_ = 0;
  std::atomic<size_t> bytes_ = 0;
};

/// The application's log. Called from any thread; must not call the library.
void Log(void*, hal_log_level_t level, hal_string_view_t message) {
  constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};
  std::printf("[%s] %.*s\n", kLevels[level], static_cast<int>(message.size), message.data);
}

/// Makes a buffer of memory that the application owns. Nothing is copied: what the device writes is in `numbers`.
Buffer Import(hal_device_t* device, std::vector<uint32_t>& numbers) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(numbers.data());
  memory.length = numbers.size() * sizeof(uint32_t);
  return Create<Buffer>("import memory", hal_allocator_import, hal_device_allocator(device), &params, &memory,
                        hal_memory_release_fn_t{nullptr}, static_cast<void*>(nullptr));
}

/// Has the device fill the application's memory, and counts what it has filled.
void Work(const std::string& uri) {
  const auto device = Create<Device>("open the device", hal_device_create, View(uri));
  std::vector<uint32_t> numbers(kNumbers);
  const Buffer buffer = Import(device.get(), numbers);
  const uint32_t seven = 7;
  Timeline timeline(device.get());
  timeline.Submit("submit a fill", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_fill(device.get(), hal::SubmitParams(waits, signals),
                                 hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE), &seven, sizeof(seven));
  });
  timeline.Wait();
  size_t sevens = 0;
  for (const uint32_t number : numbers) sevens += number == seven ? 1 : 0;
  std::printf("%s: %s, %zu times 7\n", uri.c_str(), hal_device_info(device.get())->name.data, sevens);
}

/// The process' registry keeps its drivers to the end, so the heap must stay as long.
Heap heap;

void Run(const std::string& uri, const char* plugin) {
  heap.Install();  // before anything else: memory is freed with the allocator that is set then
  hal_set_log_callback(Log, nullptr, HAL_LOG_LEVEL_INFO);
  if (plugin) Check(hal_registry_load_plugin(hal_registry_default(), hal_string_view(plugin)), "load the driver");
  Work(uri);
  heap.Report();
}

}  // namespace
}  // namespace examples

// halyard-embedding [URI [PLUGIN]]: on a device; PLUGIN is a shared library with the driver for it.
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local", argc > 2 ? argv[2] : nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-embedding: %s\n", error.what());
    return 1;
  }
}
