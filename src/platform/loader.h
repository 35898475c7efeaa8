// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system's loader of shared libraries.
#ifndef HALYARD_PLATFORM_LOADER_H_
#define HALYARD_PLATFORM_LOADER_H_

#include <cstddef>
#include <cstdint>

namespace halyard {

/// Why a library was not opened.
struct LoadFailure {
  bool is_exhaustion = false;    ///< of memory, mappings or descriptors
  const char* reason = nullptr;  ///< what the loader says, until this thread calls the loader again
};

/// Opens a library by path, or by name through the loader's search; its symbols serve no other one. NULL if it cannot.
/// @param size  bytes, about: what has to have room if it failed for want of memory
void* OpenLibrary(const char* path, size_t size, LoadFailure* out_failure) noexcept;
void CloseLibrary(void* library) noexcept;

/// The address of an exported symbol; NULL if there is none.
void* FindSymbol(void* library, const char* name) noexcept;
/// The same in all that the process began with.
void* FindSymbolOfProcess(const char* name) noexcept;

/// What FindVariable() found.
enum class VariableFound {
  kYes,
  kNo,        ///< the library itself has no variable of that name
  kConstant,  ///< one that the library may not write
  kUnknown,   ///< this loader does not tell sizes
};
/// Where a variable of the library itself is, and its size in bytes.
VariableFound FindVariable(void* library, const char* name, void** out_address, uint64_t* out_size) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_LOADER_H_
