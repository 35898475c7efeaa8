// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of halyard.vulkan.interop: buffers of Vulkan and descriptors, in both directions.
#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr uint32_t kOpaque = HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD;
constexpr hal_buffer_usage_t kExported = HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT;

class MemoryInteropTest : public testing::Test {
 protected:
  template <class Given>
  hal_status_t Import(const Device& device, uint32_t type, const Given& given, uint64_t length, Buffer* out,
                      const hal_buffer_params_t& params = cts::DeviceLocal()) {
    return ImportAt(device, type, reinterpret_cast<uintptr_t>(&given), length, out, params);
  }
  hal_status_t ImportAt(const Device& device, uint32_t type, uint64_t handle, uint64_t length, Buffer* out,
                        const hal_buffer_params_t& params = cts::DeviceLocal()) {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = static_cast<hal_external_memory_type_t>(type);
    memory.handle = handle;
    memory.length = length;
    const auto release = [](void* counter) { static_cast<cts::Counter*>(counter)->Add(); };
    return hal_allocator_import(device.allocator(), &params, &memory, release, &released_, out->out());
  }
  /// Fills with a number on the device.
  static void Fill(const Device& device, const Ref& range, uint8_t value) {
    const Semaphore done = device.CreateSemaphore();
    ASSERT_OK(device.QueueFill(kNoWaits, {{done, 1}}, range, value));
    ASSERT_OK(done.Wait(1));
  }
  static hal_vulkan_buffer_t Tell(const NativeBuffer& native) {
    hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
    told.buffer = Number(native.buffer);
    told.size = native.size;
    told.usage = kUsage;
    told.memory_type_index = native.type;
    told.memory = Number(native.memory);
    told.host_pointer = native.bytes;
    return told;
  }

  static constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  cts::Counter released_;
  const Device device_ = OpenVulkan();
  const hal_vulkan_interop_interface_t& interop_ = InteropOf(device_);
  NativeDevice native_{device_};
  Buffer imported_;
};

TEST_F(MemoryInteropTest, AnImportIsTheApplicationsBuffer) {
  const NativeBuffer native = native_.MakeBuffer(4096, kUsage);
  hal_vulkan_buffer_t told = Tell(native);
  told.offset = 256;
  told.host_pointer = native.bytes + 256;
  std::fill_n(native.bytes, 4096, uint8_t{0});
  ASSERT_OK(Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER, told, 100, &imported_,
                   cts::Mappable(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING)));
  Fill(device_, Ref(imported_, 1, 99), 0xab);
  EXPECT_EQ(native.bytes[256], 0);
  EXPECT_EQ(native.bytes[257], 0xab);
  EXPECT_EQ(native.bytes[355], 0xab);
  EXPECT_EQ(native.bytes[356], 0);
  hal_vulkan_buffer_t again = HAL_INIT(hal_vulkan_buffer_t);
  ASSERT_OK(interop_.export_buffer(imported_, &again));
  EXPECT_EQ(again.buffer, told.buffer);
  EXPECT_EQ(again.offset, told.offset);
  imported_.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

TEST_F(MemoryInteropTest, KernelsUseAnImport) {
  const NativeBuffer native = native_.MakeBuffer(1024, kUsage);
  for (uint32_t i = 0; i < 256; ++i) reinterpret_cast<uint32_t*>(native.bytes)[i] = i;
  ASSERT_OK(Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER, Tell(native), 1024, &imported_));
  const Buffer target = device_.CreateBuffer(1024);
  const cts::Executable kernels = device_.LoadKernels("basic");
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_constant",
                                  cts::Dispatch().Workgroups(4).Constant(uint32_t{7}).Bind(imported_).Bind(target)));
  ASSERT_OK(done.Wait(1));
  EXPECT_EQ(device_.Download<uint32_t>(target)[255], 262u);
}

TEST_F(MemoryInteropTest, AnImportOfABufferThatCannotBeIsRefused) {
  const NativeBuffer native = native_.MakeBuffer(1022, kUsage);
  const auto refused = [&](hal_status_t expected, const hal_vulkan_buffer_t& told, const char* words,
                           uint64_t length = 64, const hal_buffer_params_t& params = cts::DeviceLocal()) {
    EXPECT_STATUS(expected, Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER, told, length, &imported_, params));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
  };
  const auto changed = [&](auto change) {
    hal_vulkan_buffer_t told = Tell(native);
    change(told);
    return told;
  };
  refused(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.struct_size = 8; }), "struct_size is 8");
  refused(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.buffer = 0; }), "no VkBuffer");
  refused(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.memory = 0; }), "no VkDeviceMemory");
  refused(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.memory_type_index = 99; }), "is 99");
  refused(HAL_STATUS_OUT_OF_RANGE, Tell(native), "exceeds the VkBuffer's 1022 bytes", 1023);
  refused(HAL_STATUS_OUT_OF_RANGE, changed([](auto& told) { told.offset = 2000; }), "offset 2000");
  refused(HAL_STATUS_INCOMPATIBLE, Tell(native), "last word", 1022);
  refused(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.offset = 1; }), "binding_alignment");
  refused(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT; }),
          "VK_BUFFER_USAGE_TRANSFER_SRC_BIT");
  refused(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.host_pointer = nullptr; }), "HOST_VISIBLE", 64,
          cts::Mappable());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                ImportAt(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER, 0, 64, &imported_));
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, Import(device_, 0x12345, Tell(native), 64, &imported_));
}

TEST_F(MemoryInteropTest, AnExportIsTheBufferItself) {
  const Buffer buffer = device_.CreateBufferOf(std::vector<uint32_t>(64, 11), cts::Mappable(HAL_BUFFER_USAGE_ALL));
  hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
  ASSERT_OK(interop_.export_buffer(buffer, &told));
  EXPECT_NE(told.buffer, 0u);
  EXPECT_NE(told.memory, 0u);
  EXPECT_GE(told.size, told.offset + 256);
  EXPECT_EQ(static_cast<const uint32_t*>(told.host_pointer)[63], 11u);
  ASSERT_OK(Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER, told, 256, &imported_, cts::Mappable()));
  EXPECT_THAT(device_.Download<uint32_t>(imported_), Each(11u));
}

TEST_F(MemoryInteropTest, ASubspanBeginsWhereItDoes) {
  const Buffer buffer = device_.CreateBuffer(1024);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 512, 256, part.out()));
  hal_vulkan_buffer_t whole = HAL_INIT(hal_vulkan_buffer_t);
  hal_vulkan_buffer_t told = HAL_INIT(hal_vulkan_buffer_t);
  ASSERT_OK(interop_.export_buffer(buffer, &whole));
  ASSERT_OK(interop_.export_buffer(part, &told));
  EXPECT_EQ(told.buffer, whole.buffer);
  EXPECT_EQ(told.offset, whole.offset + 512);
}

// --- Descriptors -----------------------------------------------------------------------------------------------------

class DescriptorTest : public MemoryInteropTest {
 protected:
  void SetUp() override {
    buffer_ = device_.CreateBuffer(kLength, cts::DeviceLocal(kExported));
    const hal_status_t status = interop_.export_memory(buffer_, kOpaque, &told_);
    if (status == HAL_STATUS_UNIMPLEMENTED) GTEST_SKIP() << hal_last_error_message();
    ASSERT_OK(status);
  }
  ~DescriptorTest() override {
    if (told_.fd >= 0) close(told_.fd);
  }
  void Refuse(hal_status_t expected, const hal_vulkan_memory_t& told, const char* words, uint64_t length = 64,
              uint32_t type = kOpaque, const hal_buffer_params_t& params = cts::DeviceLocal()) {
    const size_t before = CountDescriptors();
    EXPECT_STATUS(expected, Import(device_, type, told, length, &imported_, params));
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    EXPECT_EQ(CountDescriptors(), before);
  }
  void RefuseDescriptor(hal_status_t expected, int fd, const char* words) {
    hal_vulkan_memory_t told = told_;
    told.fd = fd;
    Refuse(expected, told, words);
    if (fd >= 0) close(fd);
  }

  static constexpr uint64_t kLength = 64 << 10;
  Buffer buffer_;
  hal_vulkan_memory_t told_ = HAL_VULKAN_MEMORY_INIT;
};

TEST_F(DescriptorTest, TwoDevicesShareMemory) {
  const Device other = OpenVulkan();
  Buffer first;  // after which a driver has opened what it needs for its own purposes
  ASSERT_OK(Import(other, kOpaque, told_, kLength, &first));
  EXPECT_THAT(other.Download<uint8_t>(first), SizeIs(kLength));
  first.reset();
  const size_t before = CountDescriptors();
  ASSERT_OK(Import(other, kOpaque, told_, kLength, &imported_));
  EXPECT_NE(fcntl(told_.fd, F_GETFD), -1);  // the caller's still
  Fill(device_, buffer_, 5);
  EXPECT_THAT(other.Download<uint8_t>(imported_), Each(5));
  Fill(other, Ref(imported_, 100, 1000), 6);
  const std::vector<uint8_t> seen = device_.Download<uint8_t>(buffer_);
  EXPECT_EQ(seen[99], 5);
  EXPECT_EQ(seen[100], 6);
  EXPECT_EQ(seen[1099], 6);
  EXPECT_EQ(seen[1100], 5);
  imported_.reset();
  EXPECT_TRUE(released_.WaitFor(2));
  EXPECT_LE(CountDescriptors(), before);
}

TEST_F(DescriptorTest, APartIsShared) {
  Buffer part;
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  ASSERT_OK(hal_buffer_subspan(buffer_, 4096, 512, part.out()));
  ASSERT_OK(interop_.export_memory(part, kOpaque, &told));
  EXPECT_EQ(told.offset, told_.offset + 4096);
  ASSERT_OK(Import(device_, kOpaque, told, 512, &imported_));
  Fill(device_, buffer_, 1);
  Fill(device_, imported_, 2);
  const std::vector<uint8_t> seen = device_.Download<uint8_t>(buffer_);
  EXPECT_EQ(seen[4095], 1);
  EXPECT_EQ(seen[4096], 2);
  EXPECT_EQ(seen[4607], 2);
  EXPECT_EQ(seen[4608], 1);
  close(told.fd);
}

TEST_F(DescriptorTest, MemoryOutlivesItsBuffer) {
  Fill(device_, buffer_, 9);
  buffer_.reset();
  ASSERT_OK(Import(device_, kOpaque, told_, kLength, &imported_));
  EXPECT_THAT(device_.Download<uint8_t>(imported_), Each(9));
}

TEST_F(DescriptorTest, WhatIsNoMemoryIsRefused) {
  RefuseDescriptor(HAL_STATUS_INVALID_ARGUMENT, -1, "fd is -1, which is no open file descriptor");
  const int closed = dup(told_.fd);
  close(closed);
  hal_vulkan_memory_t told = told_;
  told.fd = closed;
  Refuse(HAL_STATUS_INVALID_ARGUMENT, told, "no open file descriptor");
  RefuseDescriptor(HAL_STATUS_INCOMPATIBLE, open("/dev/null", O_RDWR | O_CLOEXEC), "vkAllocateMemory");
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[1]);
  RefuseDescriptor(HAL_STATUS_INCOMPATIBLE, ends[0], "vkAllocateMemory");
}

TEST_F(DescriptorTest, WhatDoesNotFitIsRefused) {
  const auto changed = [&](auto change) {
    hal_vulkan_memory_t told = told_;
    change(told);
    return told;
  };
  Refuse(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.struct_size = 4; }), "struct_size is 4");
  Refuse(HAL_STATUS_INVALID_ARGUMENT, changed([](auto& told) { told.allocation_size = 0; }), "allocation_size is 0");
  Refuse(HAL_STATUS_OUT_OF_RANGE, changed([](auto& told) { told.dedicated_size = UINT64_MAX; }), "dedicated_size");
  Refuse(HAL_STATUS_OUT_OF_RANGE, told_, "exceeds the memory's", told_.allocation_size + 1);
  Refuse(HAL_STATUS_OUT_OF_RANGE, changed([](auto& told) { told.offset = UINT64_MAX & ~uint64_t{255}; }), "offset");
  const hal_vulkan_memory_t huge = changed([](auto& told) {
    told.allocation_size = UINT64_MAX;
    told.offset = UINT64_MAX & ~uint64_t{255};
  });
  Refuse(HAL_STATUS_RESOURCE_EXHAUSTED, huge, "a buffer of the device has at most", 251);
  Refuse(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.memory_type_index = 31; }), "memory_type_index is 31");
  Refuse(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.offset += 1; }), "binding_alignment");
  hal_buffer_params_t aligned = cts::DeviceLocal();
  aligned.alignment = 1 << 20;
  Refuse(HAL_STATUS_INCOMPATIBLE, changed([](auto& told) { told.offset += 4096; }), "aligned", 64, kOpaque, aligned);
}

TEST_F(DescriptorTest, AnExportThatCannotBeIsRefused) {
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  const Buffer plain = device_.CreateBuffer(64);
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, interop_.export_memory(plain, kOpaque, &told));
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("export_memory: the buffer was made without HAL_BUFFER_USAGE_EXPORT"));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.export_memory(buffer_, 3, &told));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, interop_.export_memory(buffer_, kOpaque, nullptr));
  ASSERT_OK(Import(device_, kOpaque, told_, kLength, &imported_, cts::DeviceLocal(kExported)));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop_.export_memory(imported_, kOpaque, &told));
  EXPECT_EQ(told.fd, -1);
}

TEST_F(DescriptorTest, DmaBufsAreForDevicesThatHaveThem) {
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  const hal_status_t status = interop_.export_memory(buffer_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF, &told);
  if (status == HAL_STATUS_OK) {
    ASSERT_OK(Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF, told, kLength, &imported_));
    Fill(device_, imported_, 4);
    EXPECT_THAT(device_.Download<uint8_t>(buffer_), Each(4));
    close(told.fd);
    return;
  }
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED, status);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("DMA_BUF"));
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED,
                Import(device_, HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF, told_, kLength, &imported_));
}

TEST_F(DescriptorTest, QueueAllocationsAreExportedWhileTheyHaveMemory) {
  const Semaphore gate = device_.CreateSemaphore();
  const Semaphore done = device_.CreateSemaphore();
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  hal_vulkan_buffer_t native = HAL_INIT(hal_vulkan_buffer_t);
  Buffer buffer;
  ASSERT_OK(device_.QueueAlloca({{gate, 1}}, {{done, 1}}, 4096, &buffer, cts::DeviceLocal(kExported)));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop_.export_memory(buffer, kOpaque, &told));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, interop_.export_buffer(buffer, &native));
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  ASSERT_OK(interop_.export_memory(buffer, kOpaque, &told));
  ASSERT_OK(Import(device_, kOpaque, told, 4096, &imported_));
  Fill(device_, buffer, 8);
  EXPECT_THAT(device_.Download<uint8_t>(imported_), Each(8));
  close(told.fd);
}

TEST_F(DescriptorTest, ExportedMemoryIsCounted) {
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  ASSERT_OK(hal_allocator_query_statistics(device_.allocator(), &statistics));
  const uint64_t before = statistics.bytes_in_use;
  buffer_.reset();
  ASSERT_OK(hal_allocator_query_statistics(device_.allocator(), &statistics));
  EXPECT_EQ(before - statistics.bytes_in_use, kLength);
}

}  // namespace
}  // namespace halyard::vulkan
