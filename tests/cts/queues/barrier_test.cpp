// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers between each two kinds of work.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

class BarrierTest : public DeviceTest {
 protected:
  void Run(const CommandBuffer& commands) const {
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
  }

  const Buffer first_ = device().CreateBufferOf(std::vector<uint32_t>(64, 1));
  const Buffer second_ = device().CreateBufferOf(std::vector<uint32_t>(64, 2));
};

TEST_F(BarrierTest, TransferComesBeforeTransfer) {
  Run(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Fill(first_, uint32_t{7}));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Copy(first_, second_));
  }));
  EXPECT_EQ(Download<uint32_t>(second_), std::vector<uint32_t>(64, 7));
}

TEST_F(BarrierTest, TransferComesBeforeDispatch) {
  const Executable kernels = LoadKernels("basic");
  Run(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Fill(first_, uint32_t{7}));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Dispatch(kernels, "add_one", Dispatch().Bind(first_)));
  }));
  EXPECT_EQ(Download<uint32_t>(first_), std::vector<uint32_t>(64, 8));
}

TEST_F(BarrierTest, DispatchComesBeforeTransfer) {
  const Executable kernels = LoadKernels("basic");
  Run(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Dispatch(kernels, "add_one", Dispatch().Bind(first_)));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Copy(first_, second_));
  }));
  EXPECT_EQ(Download<uint32_t>(second_), std::vector<uint32_t>(64, 2));
}

TEST_F(BarrierTest, DispatchComesBeforeDispatch) {
  const Executable kernels = LoadKernels("basic");
  Run(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Dispatch(kernels, "add_one", Dispatch().Bind(first_)));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Dispatch(kernels, "add_constant", Dispatch().Constant(uint32_t{5}).Bind(first_).Bind(second_)));
  }));
  EXPECT_EQ(Download<uint32_t>(second_), std::vector<uint32_t>(64, 7));
}

/// A dispatch whose count is 0 until another command writes it.
class BarrierIndirectTest : public BarrierTest {
 protected:
  void RunCounted(const CommandBuffer& commands) const {
    Run(commands);
    std::vector<uint32_t> expected(64, 0);
    std::fill_n(expected.begin(), 24, 1);
    EXPECT_EQ(Download<uint32_t>(visits_), expected);
  }
  Dispatch Counted() const { return Dispatch().Indirect(counts_).Constant(uint32_t{64}).Bind(visits_); }

  const Executable kernels_ = LoadKernels("dispatch");
  const Buffer counts_ = device().CreateBufferOf(std::vector<uint32_t>(3, 0));
  const Buffer visits_ = device().CreateBufferOf(std::vector<uint32_t>(64, 0));
};

TEST_F(BarrierIndirectTest, DispatchComesBeforeTheCountIsRead) {
  const Dispatch write = Dispatch().Constant(uint32_t{2}).Constant(uint32_t{3}).Constant(uint32_t{4}).Bind(counts_);
  RunCounted(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Dispatch(kernels_, "constants_12", write));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Dispatch(kernels_, "count_visits", Counted()));
  }));
}

TEST_F(BarrierIndirectTest, TransferComesBeforeTheCountIsRead) {
  const uint32_t counts[] = {2, 3, 4};
  RunCounted(device().Record([&](const CommandBuffer& commands) {
    ASSERT_OK(commands.Update(counts, counts_));
    ASSERT_OK(commands.Barrier());
    ASSERT_OK(commands.Dispatch(kernels_, "count_visits", Counted()));
  }));
}

}  // namespace
}  // namespace halyard::cts
