// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared libraries that are loaded at run time: plugins, host kernels, vendors' runtimes.
#ifndef HALYARD_BASE_DYNAMIC_LIBRARY_H_
#define HALYARD_BASE_DYNAMIC_LIBRARY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

/// An open shared library. Move-only; closes on destruction unless it was kept.
class DynamicLibrary {
 public:
  DynamicLibrary() = default;
  DynamicLibrary(DynamicLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DynamicLibrary();

  /// Opens a library by path, or by name through the loader's search. NOT_FOUND with the loader's message, or
  /// RESOURCE_EXHAUSTED if memory, mappings or descriptors are at an end.
  Status Open(const char* path);
  /// The same for a caller that knows what a failure means: NOT_FOUND has nothing but the loader's message.
  /// @param size  bytes that the library has, about
  Status Open(const char* path, size_t size);
  /// The address of an exported symbol; NULL if there is none.
  void* Find(const char* symbol) const;
  /// Where a variable of the library itself is, and its size in bytes. NOT_FOUND if it has none of that name;
  /// INCOMPATIBLE if it cannot be written.
  Status FindVariable(const char* symbol, void** out_address, uint64_t* out_size) const;
  /// Never unloads it: for libraries that leave threads or callbacks behind.
  void Keep() { handle_ = nullptr; }

 private:
  void* handle_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_BASE_DYNAMIC_LIBRARY_H_
