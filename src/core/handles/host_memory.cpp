// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/handles/host_memory.h"

#include <algorithm>
#include <cinttypes>
#include <mutex>
#include <utility>

#include "base/process_wide.h"
#include "base/round_up.h"
#include "core/handles/shared_file.h"
#include "driver_kit/object/vtable.h"
#include "platform/memory.h"

namespace halyard {
namespace {

/// All of the process, by the address that drivers know. What a lost device never gives back stays mapped, so that no
/// other memory gets the address.
struct SharedMemories : HostObject {
  std::mutex mutex;  // protects the map; taken with no other lock of the library held under it
  HostMap<const void*, const SharedHostMemory*> by_address;
};

}  // namespace

Status SharedHostMemory::Create(uint64_t length, uint64_t alignment, std::unique_ptr<SharedHostMemory>* out) {
  HAL_TRY(CheckSharesHostMemory());
  if (length > PhysicalMemory()) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "the machine has no %" PRIu64 " bytes of memory", length);
  }
  const uint64_t size = RoundUp(std::max<uint64_t>(length, 1), PageSize());
  FileDescriptor file;
  if (const int error = CreateSharedFile("halyard-buffer", size, &file)) {
    return FailWithErrno(error, "making memory that processes share");
  }
  std::unique_ptr<SharedHostMemory> made(new SharedHostMemory(std::move(file), size));
  HAL_TRY(made->Map(0, length, alignment, /*writes=*/true));
  *out = std::move(made);
  return kOk;
}

Status SharedHostMemory::Open(const hal_external_memory_t& given, uint64_t alignment, std::unique_ptr<ReleaseCall> call,
                              std::unique_ptr<SharedHostMemory>* out) {
  const bool writes = (given.flags & HAL_EXTERNAL_MEMORY_READ_ONLY) == 0;
  int descriptor = -1;
  SharedFileFacts facts;
  HAL_TRY(ReadHostFile("memory->handle", given.handle, writes, &descriptor, &facts));
  const uint64_t size = given.allocation_size != 0 ? std::min(given.allocation_size, facts.size) : facts.size;
  if (given.offset > size || given.length > size - given.offset) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "memory->offset %" PRIu64 " + length %" PRIu64 " exceeds the %" PRIu64 " bytes of the memory",
                given.offset, given.length, size);
  }
  FileDescriptor file;
  if (const int error = file.Duplicate(descriptor)) return FailWithErrno(error, "keeping memory->handle open");
  std::unique_ptr<SharedHostMemory> made(new SharedHostMemory(std::move(file), facts.size));
  HAL_TRY(made->Map(given.offset, given.length, alignment, writes));
  made->call_ = std::move(call);
  *out = std::move(made);
  return kOk;
}

// With a large alignment the file is mapped from its beginning, which is what is aligned.
Status SharedHostMemory::Map(uint64_t offset, uint64_t length, uint64_t alignment, bool writes) {
  const uint64_t page = PageSize();
  const uint64_t begin = alignment > page ? 0 : offset / page * page;
  const uint64_t end = RoundUp(offset + std::max<uint64_t>(length, 1), page);
  if (const int error = MapShared(file_, begin, end - begin, std::max(alignment, page), writes, &range_)) {
    return FailWithErrno(error, "mapping memory that processes share");
  }
  offset_ = offset;
  length_ = length;
  data_ = range_.begin + (offset - begin);
  SharedMemories& all = ProcessWide<SharedMemories>::Get();
  const std::lock_guard lock(all.mutex);
  all.by_address.insert_or_assign(data_, this);
  is_known_ = true;
  return kOk;
}

SharedHostMemory::~SharedHostMemory() {
  if (is_known_) {
    SharedMemories& all = ProcessWide<SharedMemories>::Get();
    const std::lock_guard lock(all.mutex);
    all.by_address.erase(data_);
  }
  UnmapShared(range_);
}

hal_external_memory_t SharedHostMemory::AsPointer() const {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(data_);
  memory.length = std::max<uint64_t>(length_, 1);
  return memory;
}

void SharedHostMemory::OnRelease(void* self) noexcept {
  auto* const memory = static_cast<SharedHostMemory*>(self);
  std::unique_ptr<ReleaseCall> call = std::move(memory->call_);
  delete memory;
  if (call) ReleaseCall::OnRelease(call.release());
}

Status SharedHostMemory::Describe(bool read_only, hal_external_memory_t* out_memory) const {
  FileDescriptor copy;
  const int error = read_only ? Reopen(file_.get(), FileUse::kRead, &copy) : copy.Duplicate(file_.get());
  if (error != 0) return FailWithErrno(error, "opening a descriptor of the memory");
  out_memory->type = HAL_EXTERNAL_MEMORY_TYPE_HOST_FD;
  out_memory->length = length_;
  out_memory->offset = offset_;
  out_memory->allocation_size = size_;
  out_memory->handle = static_cast<uint64_t>(copy.Release());
  return kOk;
}

Status SharedHostMemory::Export(hal_buffer_t* allocation, hal_external_memory_t* out_memory) {
  hal_external_memory_t pointer = HAL_INIT(hal_external_memory_t);
  const bool is_on_host =
      Succeeds(FromC(VtableOf(allocation)->export_memory(allocation, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &pointer)));
  if (is_on_host) {
    SharedMemories& all = ProcessWide<SharedMemories>::Get();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_address.find(reinterpret_cast<const void*>(static_cast<uintptr_t>(pointer.handle)));
    if (found != all.by_address.end()) {
      return found->second->Describe((allocation->usage & HAL_BUFFER_USAGE_READ_ONLY) != 0, out_memory);
    }
  }
  return FailWith(HAL_STATUS_PERMISSION_DENIED,
                  "the buffer's memory cannot leave as HOST_FD: allocate it with HAL_PEER_HANDLE_HOST_FD among "
                  "hal_buffer_params_t::handles");
}

}  // namespace halyard
