// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the host that leaves as HOST_FD and is imported: by the same device, by another one, with everything wrong
// that can be.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/handles/descriptors.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

constexpr hal_external_memory_type_t kHostFd = HAL_EXTERNAL_MEMORY_TYPE_HOST_FD;

hal_buffer_params_t Shareable() {
  hal_buffer_params_t params = Mappable();
  params.memory_type = HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
  return params;
}

class HostMemoryHandleTest : public DeviceTest {
 protected:
  void SetUp() override {
    hal_peer_properties_t own = HAL_INIT(hal_peer_properties_t);
    ASSERT_OK(hal_device_query_peer(device(), device(), &own));
    supported_ = (own.memory_handles & HAL_PEER_HANDLE_HOST_FD) != 0;
  }
  static hal_buffer_params_t Leaving() {
    hal_buffer_params_t params = Shareable();
    params.handles = HAL_PEER_HANDLE_HOST_FD;
    return params;
  }
  static hal_status_t Import(const Device& by, const hal_external_memory_t& memory, Buffer* out,
                             const hal_buffer_params_t& params = Shareable()) {
    return hal_allocator_import(by.allocator(), &params, &memory, nullptr, nullptr, out->out());
  }
  static hal_external_memory_t Export(const Buffer& buffer) {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    Check(hal_buffer_export(buffer, kHostFd, &memory), "hal_buffer_export");
    return memory;
  }
  /// What an import of `descriptor` as memory of `length` bytes says.
  static hal_status_t Try(int64_t descriptor, uint64_t length = 1, uint64_t offset = 0) {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = kHostFd;
    memory.handle = static_cast<uint64_t>(descriptor);
    memory.length = length;
    memory.offset = offset;
    Buffer buffer;
    return Import(device(), memory, &buffer);
  }

  bool supported_ = false;
};

TEST_F(HostMemoryHandleTest, WhatTheDeviceTellsIsWhatItDoes) {
  const hal_buffer_params_t params = Leaving();
  Buffer buffer;
  EXPECT_STATUS(supported_ ? HAL_STATUS_OK : HAL_STATUS_UNIMPLEMENTED,
                hal_allocator_allocate(device().allocator(), &params, kHandleLength, buffer.out()));
}

TEST_F(HostMemoryHandleTest, BothBuffersAreTheSameMemory) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const hal_external_memory_t memory = Export(mine);
  Descriptor descriptor(static_cast<int>(memory.handle));
  EXPECT_EQ(memory.length, kHandleLength);
  EXPECT_GE(memory.allocation_size, kHandleLength);
  Buffer theirs;
  ASSERT_OK(Import(device(), memory, &theirs));
  descriptor.Close();  // the buffer keeps the memory
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(mine, bytes);
  EXPECT_TRUE(SameElements(Download<uint8_t>(theirs), bytes));
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, Ref(theirs, 4, 8), uint8_t{0xEE}));
  ASSERT_OK(done.Wait(1));
  std::vector<uint8_t> filled = bytes;
  std::fill_n(filled.begin() + 4, 8, uint8_t{0xEE});
  EXPECT_TRUE(SameElements(Download<uint8_t>(mine), filled));
}

TEST_F(HostMemoryHandleTest, OutlivesTheBufferThatItCameFrom) {
  if (!supported_) return;
  Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(mine, bytes);
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  mine.reset();
  Buffer first;
  Buffer second;
  ASSERT_OK(Import(device(), memory, &first));
  ASSERT_OK(Import(device(), memory, &second)) << "a handle is used as often as one likes";
  first.reset();
  EXPECT_TRUE(SameElements(Download<uint8_t>(second), bytes));
}

TEST_F(HostMemoryHandleTest, ASubspanLeavesWithItsOffset) {
  if (!supported_) return;
  const Buffer whole = CreateBuffer(kHandleLength, Leaving());
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(whole, bytes);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(whole, 5'120, 1'024, part.out()));
  const hal_external_memory_t memory = Export(part);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  EXPECT_EQ(memory.offset, 5'120u);
  Buffer theirs;
  ASSERT_OK(Import(device(), memory, &theirs));
  EXPECT_TRUE(SameElements(Download<uint8_t>(theirs), {bytes.begin() + 5'120, bytes.begin() + 6'144}));
}

TEST_F(HostMemoryHandleTest, AnotherDeviceTakesIt) {
  if (!supported_) return;
  const Device other = OpenSecondDevice();
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  ASSERT_OK(hal_device_query_peer(other, device(), &peer));
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(mine, bytes);
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  Buffer theirs;
  const hal_status_t status = Import(other, memory, &theirs);
  ASSERT_STATUS(peer.memory_handles & HAL_PEER_HANDLE_HOST_FD ? HAL_STATUS_OK : HAL_STATUS_UNIMPLEMENTED, status);
  if (theirs) EXPECT_TRUE(SameElements(other.Download<uint8_t>(theirs), bytes));
}

TEST_F(HostMemoryHandleTest, IsAlignedAsAskedFor) {
  if (!supported_) return;
  for (uint64_t alignment = 64; alignment <= HAL_BUFFER_MAX_ALIGNMENT; alignment *= 8) {
    hal_buffer_params_t params = Leaving();
    params.alignment = alignment;
    const Buffer buffer = CreateBuffer(100, params);
    void* pointer = nullptr;
    ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_WRITE, 0, 100, &pointer));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % alignment, 0u) << alignment;
    EXPECT_OK(hal_buffer_unmap(buffer));
  }
}

TEST_F(HostMemoryHandleTest, NothingHasNoBytes) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(0, Leaving());
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  EXPECT_EQ(memory.length, 0u);
  Buffer theirs;
  ASSERT_OK(Import(device(), memory, &theirs));
  EXPECT_EQ(hal_buffer_length(theirs), 0u);
}

TEST_F(HostMemoryHandleTest, ReadOnlyMemoryIsNotWritten) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  memory.flags = HAL_EXTERNAL_MEMORY_READ_ONLY;
  hal_buffer_params_t params = Shareable();
  params.usage = HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_MAPPING | HAL_BUFFER_USAGE_EXPORT;
  Buffer theirs;
  if (Import(device(), memory, &theirs, params) != HAL_STATUS_OK) return;  // a vendor may pin writable pages alone
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_map(theirs, HAL_MAP_ACCESS_WRITE, 0, 1, &pointer));
  const hal_external_memory_t again = Export(theirs);
  const Descriptor read_only(static_cast<int>(again.handle));
  EXPECT_EQ(fcntl(read_only.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Try(read_only.get())) << "the descriptor may only be read";
}

TEST_F(HostMemoryHandleTest, OnlyWhatWasMadeToLeaveLeaves) {
  if (!supported_) return;
  hal_buffer_params_t params = Shareable();
  params.usage |= HAL_BUFFER_USAGE_EXPORT;
  const Buffer buffer = CreateBuffer(kHandleLength, params);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_export(buffer, kHostFd, &memory));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("HAL_PEER_HANDLE_HOST_FD"));
}

TEST_F(HostMemoryHandleTest, KindsThatNoMemoryHasAreRefused) {
  struct {
    hal_peer_handles_t handles;
    hal_status_t expected;
  } const cases[] = {
      {HAL_PEER_HANDLE_HOST_FD | HAL_PEER_HANDLE_IPC, HAL_STATUS_INCOMPATIBLE},
      {HAL_PEER_HANDLE_HOST_FD | HAL_PEER_HANDLE_OPAQUE_FD, HAL_STATUS_INCOMPATIBLE},
      {HAL_PEER_HANDLE_WIN32, HAL_STATUS_UNIMPLEMENTED},
      {HAL_PEER_HANDLES_ALL + 1, HAL_STATUS_INVALID_ARGUMENT},
  };
  for (const auto& [handles, expected] : cases) {
    hal_buffer_params_t params = Shareable();
    params.handles = handles;
    Buffer buffer;
    EXPECT_STATUS(expected, hal_allocator_allocate(device().allocator(), &params, 64, buffer.out())) << handles;
  }
  hal_buffer_params_t fabric = Shareable();
  fabric.handles = HAL_PEER_HANDLE_FABRIC;
  Buffer none;
  // Some devices have memory of that kind, but none of it is the host's.
  EXPECT_THAT(hal_allocator_allocate(device().allocator(), &fabric, 64, none.out()),
              testing::AnyOf(HAL_STATUS_UNIMPLEMENTED, HAL_STATUS_INCOMPATIBLE));
  hal_buffer_params_t params = Leaving();
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, device().QueueAlloca(kNoWaits, kNoSignals, 64, &buffer, params));
}

TEST_F(HostMemoryHandleTest, WhatIsNoMemoryIsRefused) {
  if (!supported_) return;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const Descriptor file(open("/proc/self/exe", O_RDONLY));
  const Descriptor device_file(open("/dev/null", O_RDWR));
  const Descriptor folder(open("/", O_RDONLY | O_DIRECTORY));
  for (const int descriptor : {read_end.get(), write_end.get(), file.get(), device_file.get(), folder.get()}) {
    EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Try(descriptor)) << descriptor;
  }
  Descriptor closed(dup(file.get()));
  const int number = closed.get();
  closed.Close();
  for (const int64_t none : {int64_t{-1}, int64_t{number}, int64_t{1} << 31, INT64_MAX}) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Try(none)) << none;
  }
}

TEST_F(HostMemoryHandleTest, MemoryThatCouldShrinkIsRefused) {
  if (!supported_) return;
  const Descriptor memory(memfd_create("unsealed", MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(memory.get(), 8'192), 0);
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Try(memory.get()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("F_SEAL_SHRINK"));
  ASSERT_EQ(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_OK(Try(memory.get(), 8'192)) << "of whichever program";
}

TEST_F(HostMemoryHandleTest, MemoryThatIsTooShortIsRefused) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  const uint64_t size = memory.allocation_size;
  EXPECT_OK(Try(descriptor.get(), size));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Try(descriptor.get(), size + 1));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Try(descriptor.get(), 1, size));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Try(descriptor.get(), 0, size + 1));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Try(descriptor.get(), 2, UINT64_MAX));
  hal_external_memory_t lies = memory;
  lies.allocation_size = UINT64_MAX;
  lies.length = size + 1;
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Import(device(), lies, &buffer)) << "the system knows the size";
}

TEST_F(HostMemoryHandleTest, MemoryOfAnotherUserIsRefused) {
  if (!supported_ || geteuid() != 0) return;  // no other process can give a file away
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  ASSERT_EQ(fchown(descriptor.get(), 12'345, 12'345), 0);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Try(descriptor.get()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("12345"));
}

TEST_F(HostMemoryHandleTest, AnOlderCallerIsTold) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.struct_size = offsetof(hal_external_memory_t, offset);
  const size_t before = CountDescriptors();
  for (int i = 0; i < 100; ++i) {
    ASSERT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_buffer_export(mine, kHostFd, &memory));
  }
  EXPECT_LT(CountDescriptors(), before + kDescriptorsInPassing);
  EXPECT_OK(hal_buffer_export(mine, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
}

TEST_F(HostMemoryHandleTest, NoDescriptorLeaks) {
  if (!supported_) return;
  Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const size_t before = CountDescriptors();
  for (int i = 0; i < 10'000; ++i) {
    const hal_external_memory_t memory = Export(mine);
    const Descriptor descriptor(static_cast<int>(memory.handle));
    if (i % 100 != 0) continue;
    Buffer theirs;
    ASSERT_OK(Import(device(), memory, &theirs));
    ASSERT_STATUS(HAL_STATUS_OUT_OF_RANGE, Try(descriptor.get(), UINT64_MAX / 4));
  }
  ASSERT_OK(hal_device_drain(device(), kForever));
  EXPECT_LT(CountDescriptors(), before + kDescriptorsInPassing);
}

TEST_F(HostMemoryHandleTest, ReleasesAsAnyImport) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const hal_external_memory_t memory = Export(mine);
  const Descriptor descriptor(static_cast<int>(memory.handle));
  Counter released;
  void* const release = AddCallback([&released](hal_status_t, const std::string&) {
    released.Add();
    return HAL_STATUS_OK;
  });
  const hal_buffer_params_t params = Shareable();
  Buffer theirs;
  ASSERT_OK(hal_allocator_import(device().allocator(), &params, &memory, CallRelease, release, theirs.out()));
  EXPECT_EQ(released.count(), 0u);
  theirs.reset();
  EXPECT_TRUE(released.WaitFor(1));
}

}  // namespace
}  // namespace halyard::cts
