// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device that leaves by a descriptor, of each kind that the device has.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/handles/descriptors.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

struct HandleKind {
  const char* name;
  hal_peer_handles_t handle;
  hal_external_memory_type_t type;
  bool has_uuid;
};
void PrintTo(const HandleKind& kind, std::ostream* out) { *out << kind.name; }

constexpr HandleKind kKinds[] = {
    {"OpaqueFd", HAL_PEER_HANDLE_OPAQUE_FD, HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, true},
    {"DmaBuf", HAL_PEER_HANDLE_DMA_BUF, HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF, false},
    {"VirtualFd", HAL_PEER_HANDLE_VIRTUAL_FD, HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD, true},
};

/// An exported handle, whose descriptor it closes.
class Exported {
 public:
  Exported(const Buffer& buffer, hal_external_memory_type_t type) {
    memory = HAL_INIT(hal_external_memory_t);
    Check(hal_buffer_export(buffer, type, &memory), "hal_buffer_export");
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  ~Exported() { close(static_cast<int>(memory.handle)); }

  hal_external_memory_t memory;
};

class DeviceMemoryHandleTest : public DeviceTestWith<HandleKind> {
 protected:
  void SetUp() override {
    hal_peer_properties_t own = HAL_INIT(hal_peer_properties_t);
    ASSERT_OK(hal_device_query_peer(device(), device(), &own));
    supported_ = (own.memory_handles & GetParam().handle) != 0;
  }
  static hal_buffer_params_t Leaving() {
    hal_buffer_params_t params = DeviceLocal();
    params.handles = GetParam().handle;
    return params;
  }
  static hal_status_t Import(const hal_external_memory_t& memory, Buffer* out) {
    const hal_buffer_params_t params = DeviceLocal();
    return hal_allocator_import(device().allocator(), &params, &memory, nullptr, nullptr, out->out());
  }

  bool supported_ = false;
};

TEST_P(DeviceMemoryHandleTest, WhatTheDeviceTellsIsWhatItDoes) {
  const hal_buffer_params_t params = Leaving();
  Buffer buffer;
  EXPECT_STATUS(supported_ ? HAL_STATUS_OK : HAL_STATUS_UNIMPLEMENTED,
                hal_allocator_allocate(device().allocator(), &params, kHandleLength, buffer.out()));
  if (!supported_) EXPECT_THAT(hal_last_error_message(), HasSubstr("does not leave as"));
}

TEST_P(DeviceMemoryHandleTest, BothBuffersAreTheSameMemory) {
  if (!supported_) return;
  Buffer mine = CreateBuffer(kHandleLength, Leaving());
  Buffer theirs;
  {
    const Exported exported(mine, GetParam().type);
    EXPECT_EQ(exported.memory.length, kHandleLength);
    ASSERT_OK(Import(exported.memory, &theirs));
  }
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(mine, bytes);
  EXPECT_TRUE(SameElements(Download<uint8_t>(theirs), bytes));
  mine.reset();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, Ref(theirs, 8, 8), uint8_t{0xEE}));
  ASSERT_OK(done.Wait(1));
  std::vector<uint8_t> filled = bytes;
  std::fill_n(filled.begin() + 8, 8, uint8_t{0xEE});
  EXPECT_TRUE(SameElements(Download<uint8_t>(theirs), filled)) << "the memory outlives the buffer that it came from";
}

TEST_P(DeviceMemoryHandleTest, KernelsUseIt) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(4'096, Leaving());
  Upload(mine, std::vector<uint32_t>(1'024, 41));
  const Exported exported(mine, GetParam().type);
  Buffer theirs;
  ASSERT_OK(Import(exported.memory, &theirs));
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  const Dispatch dispatch = Dispatch().Workgroups(1'024 / 64).Bind(theirs);
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_one", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(mine), std::vector<uint32_t>(1'024, 42)));
}

TEST_P(DeviceMemoryHandleTest, ASubspanLeavesWithItsOffset) {
  if (!supported_) return;
  const Buffer whole = CreateBuffer(kHandleLength, Leaving());
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(whole, bytes);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(whole, 5'120, 1'024, part.out()));
  const Exported exported(part, GetParam().type);
  Buffer theirs;
  ASSERT_OK(Import(exported.memory, &theirs));
  EXPECT_TRUE(SameElements(Download<uint8_t>(theirs), {bytes.begin() + 5'120, bytes.begin() + 6'144}));
}

TEST_P(DeviceMemoryHandleTest, WrongHandlesAreRefused) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const Exported exported(mine, GetParam().type);
  Buffer buffer;
  hal_external_memory_t memory = exported.memory;
  memory.length = memory.allocation_size + 1;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Import(memory, &buffer));
  memory = exported.memory;
  memory.offset = UINT64_MAX - 4'095;  // whatever alignment the device asks for
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer));
  memory = exported.memory;
  memory.allocation_size = 0;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer));
  memory = exported.memory;
  memory.uuid[5] ^= 1;
  if (GetParam().has_uuid) EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(memory, &buffer)) << "of another device";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  memory = exported.memory;
  memory.handle = static_cast<uint64_t>(ends[0]);
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(memory, &buffer));
  for (const int end : ends) close(end);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer)) << "closed";
  memory.handle = UINT64_MAX;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer));
  EXPECT_OK(Import(exported.memory, &buffer)) << "none of this has changed anything";
}

TEST_P(DeviceMemoryHandleTest, OnlyWhatWasMadeToLeaveLeaves) {
  if (!supported_) return;
  const Buffer plain = CreateBuffer(kHandleLength);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_export(plain, GetParam().type, &memory));
}

TEST_P(DeviceMemoryHandleTest, NoDescriptorLeaks) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const size_t before = CountDescriptors();
  for (int i = 0; i < 1'000; ++i) {
    const Exported exported(mine, GetParam().type);
    if (i % 50 != 0) continue;
    Buffer theirs;
    ASSERT_OK(Import(exported.memory, &theirs));
  }
  ASSERT_OK(hal_device_drain(device(), kForever));
  EXPECT_LT(CountDescriptors(), before + kDescriptorsInPassing);
}

INSTANTIATE_TEST_SUITE_P(Handles, DeviceMemoryHandleTest, testing::ValuesIn(kKinds), ByName);

}  // namespace
}  // namespace halyard::cts
