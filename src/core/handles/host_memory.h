// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host behind buffers that processes share: HAL_EXTERNAL_MEMORY_TYPE_HOST_FD.
#ifndef HALYARD_CORE_HANDLES_HOST_MEMORY_H_
#define HALYARD_CORE_HANDLES_HOST_MEMORY_H_

#include <cstdint>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "core/application_calls.h"
#include "halyard/driver_api.h"
#include "platform/shared_memory.h"

namespace halyard {

/// A file in memory and its mapping, for one buffer. To a driver it is memory of the application: HOST_POINTER. So
/// every device takes it that imports memory of the host, and no driver knows of it.
class SharedHostMemory final : public HostObject {
 public:
  /// Zeroed memory. RESOURCE_EXHAUSTED, UNIMPLEMENTED.
  static Status Create(uint64_t length, uint64_t alignment, std::unique_ptr<SharedHostMemory>* out);
  /// The memory of a handle. `call`, which may be NULL, is called when the memory is released.
  static Status Open(const hal_external_memory_t& given, uint64_t alignment, std::unique_ptr<ReleaseCall> call,
                     std::unique_ptr<SharedHostMemory>* out);
  ~SharedHostMemory();
  SharedHostMemory(const SharedHostMemory&) = delete;
  SharedHostMemory& operator=(const SharedHostMemory&) = delete;

  /// As an import takes it; never empty.
  hal_external_memory_t AsPointer() const;
  /// A hal_memory_release_fn_t.
  static void OnRelease(void* self) noexcept;

  /// A new descriptor of the memory of a buffer. PERMISSION_DENIED if the buffer has other memory.
  static Status Export(hal_buffer_t* allocation, hal_external_memory_t* out_memory);

 private:
  SharedHostMemory(FileDescriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}
  Status Map(uint64_t offset, uint64_t length, uint64_t alignment, bool writes);
  Status Describe(bool read_only, hal_external_memory_t* out_memory) const;

  FileDescriptor file_;
  const uint64_t size_;  // bytes of the file
  SharedRange range_;
  uint64_t offset_ = 0;  // bytes; of the buffer's first byte in the file
  uint64_t length_ = 0;  // bytes of the buffer
  char* data_ = nullptr;
  bool is_known_ = false;
  std::unique_ptr<ReleaseCall> call_;
};

}  // namespace halyard

#endif  // HALYARD_CORE_HANDLES_HOST_MEMORY_H_
