// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/code_memory.h"

#include <link.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "platform/memory.h"

namespace halyard {
namespace {

int MapPart(const CodeMapping& mapping, CodePart part, int protection) noexcept {
  const bool is_data = part == CodePart::kData;
  const int flags = MAP_FIXED | (is_data ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED);
  const auto offset = is_data ? 0 : static_cast<off_t>(static_cast<size_t>(part) * mapping.part_size);
  void* const memory =
      mmap(mapping.PartBegin(part), mapping.part_size, protection, flags, is_data ? -1 : mapping.file.get(), offset);
  return memory == MAP_FAILED ? errno : 0;
}

int MapParts(const CodeMapping& mapping) noexcept {
  if (ftruncate(mapping.file.get(), static_cast<off_t>(2 * mapping.part_size)) != 0) return errno;
  if (const int error = MapPart(mapping, CodePart::kCode, PROT_READ | PROT_EXEC); error != 0) return error;
  if (const int error = MapPart(mapping, CodePart::kConstants, PROT_READ); error != 0) return error;
  return MapPart(mapping, CodePart::kData, PROT_READ | PROT_WRITE);
}

long Membarrier(int command) noexcept { return syscall(__NR_membarrier, command, 0, 0); }

struct AddressQuestion {
  ElfW(Addr) address;
  bool is_code;
};

int LookForCode(dl_phdr_info* library, size_t, void* data) {
  auto& question = *static_cast<AddressQuestion*>(data);
  for (size_t i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    const ElfW(Addr) first = library->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || question.address < first || question.address - first >= segment.p_memsz) continue;
    question.is_code = (segment.p_flags & PF_X) != 0;
    return 1;
  }
  return 0;
}

}  // namespace

bool HasCodeMemory() noexcept { return true; }

int MapCode(size_t part_size, bool low, CodeMapping* out) noexcept {
  CodeMapping mapping;
  const int number = memfd_create("halyard-code", MFD_CLOEXEC);
  if (number < 0) return errno;
  mapping.file = FileDescriptor(number);
  mapping.part_size = part_size;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined(__x86_64__)
  if (low) flags |= MAP_32BIT;
#else
  static_cast<void>(low);
#endif
  void* const reserved = mmap(nullptr, kCodeParts * part_size, PROT_NONE, flags, -1, 0);
  if (reserved == MAP_FAILED) return errno;
  mapping.base = static_cast<std::byte*>(reserved);
  if (const int error = MapParts(mapping); error != 0) {
    UnmapCode(&mapping);
    return error;
  }
  *out = static_cast<CodeMapping&&>(mapping);
  return 0;
}

void UnmapCode(CodeMapping* mapping) noexcept {
  munmap(mapping->base, kCodeParts * mapping->part_size);
  mapping->base = nullptr;
  mapping->file.Close();
}

// The architectures want each processor to forget what it fetched; systems before Linux 4.16 cannot ask for that, and
// there switching to the thread that runs the code does.
void PublishCode(std::byte* code, size_t size) noexcept {
  __builtin___clear_cache(reinterpret_cast<char*>(code), reinterpret_cast<char*>(code + size));
  static constinit std::atomic<bool> is_registered{false};
  if (!is_registered.load(std::memory_order_relaxed)) {
    if (Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) != 0) return;
    is_registered.store(true, std::memory_order_relaxed);
  }
  Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}

void ClearData(std::byte* data, size_t size) noexcept {
  const size_t page = PageSize();
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first_page = (begin + page - 1) / page * page;
  const uintptr_t last_page = (begin + size) / page * page;
  if (first_page >= last_page ||
      madvise(reinterpret_cast<void*>(first_page), last_page - first_page, MADV_DONTNEED) != 0) {
    std::memset(data, 0, size);
    return;
  }
  std::memset(data, 0, first_page - begin);
  std::memset(reinterpret_cast<void*>(last_page), 0, begin + size - last_page);
}

bool IsCodeOfLibrary(const void* address) noexcept {
  AddressQuestion question = {reinterpret_cast<ElfW(Addr)>(address), false};
  dl_iterate_phdr(LookForCode, &question);
  return question.is_code;
}

}  // namespace halyard
