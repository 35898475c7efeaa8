// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for code that is made at run time. No mapping of it can be written and executed, neither now nor later.
#ifndef HALYARD_PLATFORM_CODE_MEMORY_H_
#define HALYARD_PLATFORM_CODE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "platform/file_descriptor.h"

namespace halyard {

/// What a byte of code memory is for.
enum class CodePart : uint8_t {
  kCode,       ///< executed and read
  kConstants,  ///< read
  kData,       ///< read and written, zero at first
};
inline constexpr size_t kCodeParts = 3;

/// Three parts of the same size, one behind the other. Code and constants are those of a file without a name, through
/// which they are written: bytes of the constants have the offset `part_size` and on.
struct CodeMapping {
  FileDescriptor file;
  std::byte* base = nullptr;
  size_t part_size = 0;  ///< bytes, whole pages

  std::byte* PartBegin(CodePart part) const { return base + static_cast<size_t>(part) * part_size; }
};

/// Whether this system has such memory.
bool HasCodeMemory() noexcept;

/// 0 or an error number; ENOSYS if the system has no such memory.
/// @param low  below the address 2^31, which only x86-64 has
int MapCode(size_t part_size, bool low, CodeMapping* out) noexcept;
void UnmapCode(CodeMapping* mapping) noexcept;

/// Threads that learn of new code from now on find it, and not what their processors fetched before.
void PublishCode(std::byte* code, size_t size) noexcept;
/// Makes data zero again, and gives whole pages of it back.
void ClearData(std::byte* data, size_t size) noexcept;

/// Whether a loaded library has code at an address.
bool IsCodeOfLibrary(const void* address) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_CODE_MEMORY_H_
