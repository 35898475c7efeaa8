// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/memory.h"

#include <io.h>
#include <malloc.h>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {

size_t PageSize() noexcept {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

uint64_t PhysicalMemory() noexcept {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

int MapFile(int file, size_t size, void** out_memory) noexcept {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
  const HANDLE mapping = CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (!mapping) return LastErrno();
  *out_memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  const int error = *out_memory ? 0 : LastErrno();
  CloseHandle(mapping);  // the view keeps it
  return error;
}

void UnmapFile(void* memory, size_t) noexcept { UnmapViewOfFile(memory); }

void* AllocateAligned(size_t size, size_t alignment) noexcept { return _aligned_malloc(size, alignment); }

void FreeAligned(void* memory) noexcept { _aligned_free(memory); }

}  // namespace halyard
