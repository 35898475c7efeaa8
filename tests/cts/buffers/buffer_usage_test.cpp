// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer is used for what it was made for, and for nothing else: on every route, by every operation.
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "cts/routes.h"

namespace halyard::cts {
namespace {

constexpr uint64_t kUsedLength = 256;

/// A command that uses a buffer in one way; everything else that it needs is as it should be.
struct Use {
  const char* name;
  hal_buffer_usage_t usage;  ///< what the buffer must have
  hal_status_t (*run)(const Device& device, const Submitter& submitter, const Buffer& buffer);
};
void PrintTo(const Use& use, std::ostream* out) { *out << use.name; }

const Use kCommandUses[] = {
    {"FillTarget", HAL_BUFFER_USAGE_TRANSFER_TARGET,
     [](const Device&, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Fill(Ref(buffer, 0, 64), uint32_t{1});
     }},
    {"UpdateTarget", HAL_BUFFER_USAGE_TRANSFER_TARGET,
     [](const Device&, const Submitter& submitter, const Buffer& buffer) {
       const uint32_t data = 1;
       return submitter.Update(&data, Ref(buffer, 0, sizeof(data)));
     }},
    {"CopySource", HAL_BUFFER_USAGE_TRANSFER_SOURCE,
     [](const Device& device, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Copy(buffer, device.CreateBuffer(kUsedLength));
     }},
    {"CopyTarget", HAL_BUFFER_USAGE_TRANSFER_TARGET,
     [](const Device& device, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Copy(device.CreateBuffer(kUsedLength), buffer);
     }},
    {"KernelBinding", HAL_BUFFER_USAGE_STORAGE,
     [](const Device& device, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Dispatch(device.LoadKernels("basic"), "add_one", Dispatch().Bind(buffer));
     }},
    {"KernelSecondBinding", HAL_BUFFER_USAGE_STORAGE,
     [](const Device& device, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Dispatch(device.LoadKernels("basic"), "add_constant",
                                 Dispatch().Constant(uint32_t{1}).Bind(device.CreateBuffer(kUsedLength)).Bind(buffer));
     }},
    {"IndirectCount", HAL_BUFFER_USAGE_INDIRECT,
     [](const Device& device, const Submitter& submitter, const Buffer& buffer) {
       return submitter.Dispatch(device.LoadKernels("basic"), "add_one",
                                 Dispatch().Indirect(Ref(buffer, 0, 12)).Bind(device.CreateBuffer(kUsedLength)));
     }},
};

/// Buffers whose contents are defined, so that an indirect count runs nothing.
Buffer ZeroedBuffer(const Device& device, hal_buffer_usage_t usage) {
  const Buffer buffer = device.CreateBuffer(kUsedLength, Mappable(usage));
  device.Upload(buffer, std::vector<uint8_t>(kUsedLength, 0));
  return buffer;
}

class BufferUsageTest : public DeviceTestWith<std::tuple<Route, Use>> {
 protected:
  hal_status_t RunWith(hal_buffer_usage_t usage) const {
    const auto& [route, use] = GetParam();
    return use.run(device(), Submitter(device(), route), ZeroedBuffer(device(), usage));
  }
  const Use& use() const { return std::get<Use>(GetParam()); }
};

TEST_P(BufferUsageTest, SufficesAlone) { EXPECT_OK(RunWith(use().usage)); }

TEST_P(BufferUsageTest, IsNeeded) {
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED,
                RunWith((HAL_BUFFER_USAGE_ALL & ~use().usage) | HAL_BUFFER_USAGE_MAPPING));
}

INSTANTIATE_TEST_SUITE_P(Commands, BufferUsageTest, testing::Combine(Routes(), testing::ValuesIn(kCommandUses)),
                         ByParts);

// The usage of a subspan is that of its allocation.
class BufferUsageOfPartsTest : public DeviceTest {};

TEST_F(BufferUsageOfPartsTest, IsThatOfTheAllocation) {
  const Buffer whole = ZeroedBuffer(device(), HAL_BUFFER_USAGE_TRANSFER_SOURCE);
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(whole, 64, 64, part.out()));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Submitter(device(), Route::kQueue).Fill(part, uint32_t{1}));
  EXPECT_OK(Submitter(device(), Route::kQueue).Copy(part, CreateBuffer(64)));
}

class BufferQueuesTest : public DeviceTest {};

TEST_F(BufferQueuesTest, OtherQueuesAreDenied) {
  if (device().info().queue_count < 2) GTEST_SKIP() << "the device has one queue";
  hal_buffer_params_t params = DeviceLocal();
  params.queues = device().Queue(0);
  const Buffer buffer = CreateBuffer(kUsedLength, params);
  const Semaphore done = CreateSemaphore();
  EXPECT_NE(device().QueueFill(kNoWaits, {{done, 1}}, buffer, uint8_t{1}, device().Queue(1)), HAL_STATUS_OK);
  EXPECT_OK(device().QueueFill(kNoWaits, {{done, 1}}, buffer, uint8_t{1}, device().Queue(0)));
  EXPECT_OK(device().QueueFill({{done, 1}}, {{done, 2}}, buffer, uint8_t{1}, HAL_QUEUE_ANY));
  EXPECT_OK(done.Wait(2));
}

// --- Files ---

class BufferFileUsageTest : public DeviceTest {
 protected:
  BufferFileUsageTest() {
    Check(hal_file_from_memory(bytes_.data(), bytes_.size(), HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE, nullptr,
                               nullptr, file_.out()),
          "hal_file_from_memory");
  }

  std::vector<uint8_t> bytes_ = MixedBytes(kUsedLength);
  File file_;
};

TEST_F(BufferFileUsageTest, ReadNeedsTransferTarget) {
  const Semaphore done = CreateSemaphore();
  const Buffer denied =
      CreateBuffer(kUsedLength, DeviceLocal(HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_TRANSFER_TARGET));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, device().QueueRead(kNoWaits, {{done, 1}}, file_, 0, denied));
  const Buffer allowed = CreateBuffer(kUsedLength, DeviceLocal(HAL_BUFFER_USAGE_TRANSFER_TARGET));
  EXPECT_OK(device().QueueRead(kNoWaits, {{done, 1}}, file_, 0, allowed));
  EXPECT_OK(done.Wait(1));
}

TEST_F(BufferFileUsageTest, WriteNeedsTransferSource) {
  const Semaphore done = CreateSemaphore();
  const Buffer denied =
      CreateBuffer(kUsedLength, DeviceLocal(HAL_BUFFER_USAGE_ALL & ~HAL_BUFFER_USAGE_TRANSFER_SOURCE));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, device().QueueWrite(kNoWaits, {{done, 1}}, denied, file_, 0));
  EXPECT_EQ(bytes_, MixedBytes(kUsedLength));
  const Buffer allowed = ZeroedBuffer(device(), HAL_BUFFER_USAGE_TRANSFER_SOURCE);
  EXPECT_OK(device().QueueWrite(kNoWaits, {{done, 1}}, allowed, file_, 0));
  EXPECT_OK(done.Wait(1));
}

// --- Buffers of another device ---

class ForeignBufferTest : public DeviceTestWith<std::tuple<Route, Use>> {};

TEST_P(ForeignBufferTest, IsForCopiesAlone) {
  const auto& [route, use] = GetParam();
  const Device other = OpenSecondDevice();
  const bool is_copy = route != Route::kTable && std::string_view(use.name).starts_with("Copy");
  EXPECT_STATUS(is_copy ? HAL_STATUS_OK : HAL_STATUS_INVALID_ARGUMENT,
                use.run(device(), Submitter(device(), route), ZeroedBuffer(other, HAL_BUFFER_USAGE_ALL)));
}

INSTANTIATE_TEST_SUITE_P(Commands, ForeignBufferTest, testing::Combine(Routes(), testing::ValuesIn(kCommandUses)),
                         ByParts);

}  // namespace
}  // namespace halyard::cts
