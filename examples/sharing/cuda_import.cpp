// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sharing/cuda_import.h"

#include <dlfcn.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "halyard/cuda_interop.h"

namespace examples {
namespace {

// As <cuda.h> declares them, which this program does without.
struct ExternalMemoryHandle {  // CUDA_EXTERNAL_MEMORY_HANDLE_DESC
  int type = 1;                // CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
  union {
    int fd;
    void* pointers[2];
  } handle{};
  unsigned long long size = 0;
  unsigned int flags = 0;
  unsigned int reserved[16] = {};
};
struct ExternalMemoryBuffer {  // CUDA_EXTERNAL_MEMORY_BUFFER_DESC
  unsigned long long offset = 0;
  unsigned long long size = 0;
  unsigned int flags = 0;
  unsigned int reserved[16] = {};
};
constexpr unsigned int kDedicated = 1;  // CUDA_EXTERNAL_MEMORY_DEDICATED

struct Cuda {
  int (*push)(void* context);
  int (*pop)(void** context);
  int (*import)(void** memory, const ExternalMemoryHandle* handle);
  int (*map)(unsigned long long* address, void* memory, const ExternalMemoryBuffer* buffer);
  int (*free)(unsigned long long address);
  int (*destroy)(void* memory);
};

template <typename Function>
void Find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  if (!*out) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
}

Cuda LoadCuda() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) throw std::runtime_error(dlerror());
  Cuda cuda{};
  Find(library, "cuCtxPushCurrent_v2", &cuda.push);
  Find(library, "cuCtxPopCurrent_v2", &cuda.pop);
  Find(library, "cuImportExternalMemory", &cuda.import);
  Find(library, "cuExternalMemoryGetMappedBuffer", &cuda.map);
  Find(library, "cuMemFree_v2", &cuda.free);
  Find(library, "cuDestroyExternalMemory", &cuda.destroy);
  return cuda;
}

void CheckCuda(int result, const char* function) {
  if (result != 0) throw std::runtime_error(std::string(function) + " fails with " + std::to_string(result));
}

/// The device's context is the thread's while this lives.
class CurrentContext {
 public:
  CurrentContext(const Cuda& cuda, void* context) : cuda_(cuda) { CheckCuda(cuda.push(context), "cuCtxPushCurrent"); }
  ~CurrentContext() {
    void* popped = nullptr;
    cuda_.pop(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Cuda& cuda_;
};

/// Memory that CUDA has imported and mapped; undoes both.
struct Imported {
  Cuda cuda{};
  void* context = nullptr;
  void* memory = nullptr;
  unsigned long long address = 0;

  ~Imported() {
    if (cuda.push(context) != 0) return;
    if (address != 0) cuda.free(address);
    if (memory) cuda.destroy(memory);
    void* popped = nullptr;
    cuda.pop(&popped);
  }
};

void* ContextOf(hal_device_t* device) {
  const void* table = nullptr;
  Check(hal_device_query_interface(device, hal_string_view(HAL_CUDA_INTEROP_INTERFACE), 1, &table),
        "ask the CUDA device for its context");
  void* context = nullptr;
  int32_t number = 0;
  Check(static_cast<const hal_stream_interop_interface_t*>(table)->native_device(device, &context, &number),
        "ask the CUDA device for its context");
  return context;
}

std::unique_ptr<Imported> Import(hal_device_t* device, const hal_vulkan_memory_t& memory, uint64_t length) {
  auto imported = std::make_unique<Imported>();
  imported->cuda = LoadCuda();
  imported->context = ContextOf(device);
  const CurrentContext current(imported->cuda, imported->context);
  ExternalMemoryHandle handle;
  handle.handle.fd = memory.fd;
  handle.size = memory.allocation_size;
  handle.flags = memory.dedicated_size != 0 ? kDedicated : 0;
  CheckCuda(imported->cuda.import(&imported->memory, &handle), "cuImportExternalMemory");
  ExternalMemoryBuffer range;
  range.offset = memory.offset;
  range.size = length;
  CheckCuda(imported->cuda.map(&imported->address, imported->memory, &range), "cuExternalMemoryGetMappedBuffer");
  return imported;
}

}  // namespace

Buffer ImportIntoCuda(hal_device_t* cuda, const hal_vulkan_memory_t& memory, uint64_t length) {
  std::unique_ptr<Imported> imported = Import(cuda, memory, length);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER;
  external.handle = imported->address;
  external.length = length;
  const auto release = [](void* user_data) { delete static_cast<Imported*>(user_data); };
  Buffer buffer = Create<Buffer>("import the memory into the CUDA device", hal_allocator_import,
                                 hal_device_allocator(cuda), &params, &external,
                                 static_cast<hal_memory_release_fn_t>(release), static_cast<void*>(imported.get()));
  static_cast<void>(imported.release());  // the buffer's now
  return buffer;
}

}  // namespace examples
