// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device that leaves by a handle, of each kind that the device has.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/handles/descriptors.h"
#include "cts/other_process.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

struct HandleKind {
  const char* name;
  hal_peer_handles_t handle;
  hal_external_memory_type_t type;
  bool has_uuid;
  bool of_bytes;  ///< no descriptor
  bool is_ipc;    ///< the vendor tells its size, opens none of this process, and needs the memory that it came from
};
void PrintTo(const HandleKind& kind, std::ostream* out) { *out << kind.name; }

constexpr HandleKind kKinds[] = {
    {"OpaqueFd", HAL_PEER_HANDLE_OPAQUE_FD, HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, true, false, false},
    {"DmaBuf", HAL_PEER_HANDLE_DMA_BUF, HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF, false, false, false},
    {"VirtualFd", HAL_PEER_HANDLE_VIRTUAL_FD, HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD, true, false, false},
    {"Fabric", HAL_PEER_HANDLE_FABRIC, HAL_EXTERNAL_MEMORY_TYPE_FABRIC, true, true, false},
    {"Ipc", HAL_PEER_HANDLE_IPC, HAL_EXTERNAL_MEMORY_TYPE_IPC, true, true, true},
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
  ~Exported() {
    if (memory.handle != 0) close(static_cast<int>(memory.handle));
  }

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

  static bool TakesItsOwn() { return !GetParam().is_ipc; }

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
  if (!supported_ || !TakesItsOwn()) return;
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
  if (TakesItsOwn()) {
    ASSERT_OK(Import(exported.memory, &theirs));
  } else {
    ASSERT_OK(hal_buffer_subspan(mine, 0, HAL_WHOLE_SIZE, theirs.out()));
  }
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  const Dispatch dispatch = Dispatch().Workgroups(1'024 / 64).Bind(theirs);
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_one", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(mine), std::vector<uint32_t>(1'024, 42)));
}

TEST_P(DeviceMemoryHandleTest, ASubspanLeavesWithItsOffset) {
  if (!supported_ || !TakesItsOwn()) return;
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
  if (!GetParam().is_ipc) EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer));
  memory = exported.memory;
  memory.uuid[5] ^= 1;
  if (GetParam().has_uuid) EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(memory, &buffer)) << "of another device";
  if (GetParam().of_bytes) {
    std::fill(std::begin(memory.bytes), std::end(memory.bytes), uint8_t{0});
    memory.uuid[5] ^= 1;
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("memory->bytes"));
    std::fill(std::begin(memory.bytes), std::end(memory.bytes), uint8_t{0x5A});
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Import(memory, &buffer)) << "no handle";
    return;
  }
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

TEST_P(DeviceMemoryHandleTest, AnotherProcessHasTheSameMemory) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  Upload(mine, bytes);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(mine, 5'120, 1'024, part.out()));
  const Exported exported(mine, GetParam().type);
  const Exported exported_part(part, GetParam().type);
  OtherProcess other;
  const Imported whole = other.Import(exported.memory, 0x5A);
  ASSERT_EQ(whole.status, HAL_STATUS_OK) << whole.message;
  EXPECT_TRUE(SameElements(whole.bytes, bytes));
  EXPECT_TRUE(SameElements(Download<uint8_t>(mine), std::vector<uint8_t>(kHandleLength, 0x5A)));
  const Imported again = other.Import(exported_part.memory, 0xA5);
  ASSERT_EQ(again.status, HAL_STATUS_OK) << again.message << ": one process may have memory twice";
  EXPECT_TRUE(SameElements(again.bytes, std::vector<uint8_t>(1'024, 0x5A)));
  std::vector<uint8_t> now(kHandleLength, 0x5A);
  std::fill_n(now.begin() + 5'120, 1'024, uint8_t{0xA5});
  EXPECT_TRUE(SameElements(Download<uint8_t>(mine), now)) << "a subspan leaves with its offset";
  other.Release();
  const Imported later = other.Import(exported.memory, 0x77);
  ASSERT_EQ(later.status, HAL_STATUS_OK) << later.message << ": a released handle can be imported again";
  EXPECT_TRUE(SameElements(later.bytes, now));
}

TEST_P(DeviceMemoryHandleTest, WhatAnotherProcessGetsWrongIsRefused) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const Exported exported(mine, GetParam().type);
  OtherProcess other;
  hal_external_memory_t memory = exported.memory;
  memory.length = memory.allocation_size + 1;
  EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_OUT_OF_RANGE);
  memory = exported.memory;
  memory.uuid[5] ^= 1;
  if (GetParam().has_uuid) EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_INCOMPATIBLE) << "of another device";
  memory = exported.memory;
  if (GetParam().of_bytes) {
    std::fill(std::begin(memory.bytes), std::end(memory.bytes), uint8_t{0x5A});
    EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_INVALID_ARGUMENT) << "no handle";
  }
  if (GetParam().is_ipc) {
    memory = exported.memory;
    memory.allocation_size = 0;
    std::fill(std::begin(memory.uuid), std::end(memory.uuid), uint8_t{0});
    EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_OK) << "the vendor knows both";
    memory.offset = exported.memory.allocation_size - memory.length + 1;
    EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_OUT_OF_RANGE) << "and the vendor's size counts";
    memory.allocation_size = 2 * exported.memory.allocation_size;
    EXPECT_EQ(other.Import(memory, 1).status, HAL_STATUS_OUT_OF_RANGE) << "not one that lies";
  }
  EXPECT_EQ(other.Import(exported.memory, 1).status, HAL_STATUS_OK) << "none of this has changed anything";
}

TEST_P(DeviceMemoryHandleTest, MemoryOfAnotherDeviceIsRefusedOrRight) {
  if (!supported_ || GetParam().handle == HAL_PEER_HANDLE_OPAQUE_FD || !GetParam().has_uuid) return;
  const Device other_device = OpenSecondDevice();
  hal_peer_properties_t theirs = HAL_INIT(hal_peer_properties_t);
  ASSERT_OK(hal_device_query_peer(other_device, other_device, &theirs));
  hal_peer_properties_t both = HAL_INIT(hal_peer_properties_t);
  ASSERT_OK(hal_device_query_peer(device(), other_device, &both));
  if ((theirs.memory_handles & GetParam().handle) == 0 || both.relation == HAL_PEER_RELATION_SAME) return;
  if (std::strcmp(hal_device_info(device())->driver.data, hal_device_info(other_device)->driver.data) != 0) return;
  const Buffer there = other_device.CreateBuffer(kHandleLength, Leaving());
  const Exported exported(there, GetParam().type);
  OtherProcess other;
  EXPECT_EQ(other.Import(exported.memory, 1).status, HAL_STATUS_INCOMPATIBLE);
  hal_external_memory_t lying = exported.memory;
  std::fill(std::begin(lying.uuid), std::end(lying.uuid), uint8_t{0});
  const std::vector<uint8_t> bytes = MixedBytes(kHandleLength);
  other_device.Upload(there, bytes);
  const Imported unknown = other.Import(lying, 1);
  if (GetParam().is_ipc && unknown.status == HAL_STATUS_OK) {
    EXPECT_TRUE(SameElements(unknown.bytes, bytes)) << "the vendor opens what the device reaches";
    return;
  }
  EXPECT_EQ(unknown.status, HAL_STATUS_INCOMPATIBLE) << unknown.message;
  EXPECT_NE(unknown.message, "");
}

TEST_P(DeviceMemoryHandleTest, AProcessThatIsKilledLeavesTheMemoryWhole) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const Exported exported(mine, GetParam().type);
  {
    OtherProcess other;
    ASSERT_EQ(other.Import(exported.memory, 0x42).status, HAL_STATUS_OK);
    other.Kill();
  }
  EXPECT_TRUE(SameElements(Download<uint8_t>(mine), std::vector<uint8_t>(kHandleLength, 0x42)));
  OtherProcess next;
  EXPECT_EQ(next.Import(exported.memory, 0x43).status, HAL_STATUS_OK);
}

TEST_P(DeviceMemoryHandleTest, AnIpcHandleIsForOtherProcesses) {
  if (!supported_ || !GetParam().is_ipc) return;
  Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const Exported exported(mine, GetParam().type);
  Buffer buffer;
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Import(exported.memory, &buffer));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("of this process"));
  hal_buffer_params_t params = Leaving();
  params.alignment = HAL_BUFFER_MAX_ALIGNMENT;
  const Buffer aligned = CreateBuffer(kHandleLength, params);
  const Exported padded(aligned, GetParam().type);
  EXPECT_LE(padded.memory.offset + kHandleLength, padded.memory.allocation_size);
  params.handles |= HAL_PEER_HANDLE_VIRTUAL_FD;
  const hal_status_t both = hal_allocator_allocate(device().allocator(), &params, kHandleLength, buffer.out());
  EXPECT_TRUE(both == HAL_STATUS_INCOMPATIBLE || both == HAL_STATUS_UNIMPLEMENTED) << "a plain allocation has no such";
  OtherProcess other;
  mine.reset();
  EXPECT_EQ(other.Import(exported.memory, 1).status, HAL_STATUS_INVALID_ARGUMENT) << "the memory is gone";
}

TEST_P(DeviceMemoryHandleTest, NoDescriptorLeaks) {
  if (!supported_) return;
  const Buffer mine = CreateBuffer(kHandleLength, Leaving());
  const size_t before = CountDescriptors();
  for (int i = 0; i < 10'000; ++i) {
    const Exported exported(mine, GetParam().type);
    if (i % 50 != 0) continue;
    Buffer theirs;
    EXPECT_STATUS(TakesItsOwn() ? HAL_STATUS_OK : HAL_STATUS_INCOMPATIBLE, Import(exported.memory, &theirs));
  }
  ASSERT_OK(hal_device_drain(device(), kForever));
  EXPECT_LT(CountDescriptors(), before + kDescriptorsInPassing);
}

INSTANTIATE_TEST_SUITE_P(Handles, DeviceMemoryHandleTest, testing::ValuesIn(kKinds), ByName);

}  // namespace
}  // namespace halyard::cts
