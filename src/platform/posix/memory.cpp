// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace halyard {

size_t PageSize() noexcept { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

uint64_t PhysicalMemory() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  return pages > 0 ? static_cast<uint64_t>(pages) * PageSize() : 0;
}

int MapFile(int file, size_t size, void** out_memory) noexcept {
  *out_memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  return *out_memory == MAP_FAILED ? errno : 0;
}

void UnmapFile(void* memory, size_t size) noexcept { munmap(memory, size); }

void* AllocateAligned(size_t size, size_t alignment) noexcept { return std::aligned_alloc(alignment, size); }

void FreeAligned(void* memory) noexcept { std::free(memory); }

}  // namespace halyard
