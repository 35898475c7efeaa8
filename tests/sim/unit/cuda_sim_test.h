// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of simulated CUDA share: a current context, a stream, memory, kernels, and a gate that holds a stream
// up.
#ifndef HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_
#define HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "cuda_api.h"

namespace halyard::cuda::abi {
void PrintTo(Result result, std::ostream* out);
}

namespace halyard::sim {

#define EXPECT_CU(call) EXPECT_EQ((call), cu::Result::kSuccess)
#define ASSERT_CU(call) ASSERT_EQ((call), cu::Result::kSuccess)

// Every test ends with all given back and nothing reported but what it took by TakeReports().
class CudaSimTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  cu::Stream MakeStream();
  cu::Event MakeEvent(cu::EventFlags flags = cu::EventFlags::kDisableTiming);
  // Memory of the device; freed by TearDown().
  cu::DevicePtr MakeMemory(size_t size);
  // Pinned words, zero; freed by TearDown().
  template <typename Element>
  Element* MakePinned(size_t count) {
    return static_cast<Element*>(MakePinnedBytes(count * sizeof(Element)));
  }
  // The module of kernels/sim_kernels.ptx, and a function of it.
  cu::Module LoadModule();
  cu::Function GetFunction(const char* name);

  // Launches `append`, which puts a number behind the others in a log of pinned words.
  cu::Result Append(uint32_t* log, uint32_t value, cu::Stream stream);
  cu::KernelNodeParams AppendParams(void** params);

  // Holds a stream up until Open().
  void Close(cu::Stream stream);
  void Open();
  // The same once a rule's breach was reported: for a thread beside a call that blocks.
  void OpenWhenReported(const char* rule);

  // How many breaches of a rule were reported since the last time; forgets all reports.
  uint64_t TakeReports(const char* rule);
  std::string Report();

  const CudaApi& api_ = CudaApi::Get();
  cu::Context context_ = nullptr;
  cu::Stream stream_ = nullptr;
  std::vector<cu::Module> modules_;

 private:
  void* MakePinnedBytes(size_t size);

  std::vector<cu::Stream> streams_;
  std::vector<cu::Event> events_;
  std::vector<cu::DevicePtr> memory_;
  std::vector<void*> pinned_;
  uint64_t* gate_ = nullptr;
  uint64_t gates_closed_ = 0;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_
