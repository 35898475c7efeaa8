// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of simulated CUDA share: a current context, a stream, memory, kernels, and a gate that holds a stream
// up.
#ifndef HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_
#define HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_

#include <atomic>
#include <vector>

#include "cuda_api.h"
#include "sim_test.h"

namespace halyard::cuda::abi {
void PrintTo(CUresult result, std::ostream* out);
}

namespace halyard::sim {

#define EXPECT_CU(call) EXPECT_EQ((call), CUDA_SUCCESS)
#define ASSERT_CU(call) ASSERT_EQ((call), CUDA_SUCCESS)

// Every test ends with everything released and nothing reported except what it took by TakeReports().
class CudaSimTest : public SimTest {
 protected:
  CudaSimTest() : SimTest(CudaApi::Get()) {}

  void SetUp() override;
  void TearDown() override;

  CUstream MakeStream();
  CUevent MakeEvent(CUevent_flags flags = CU_EVENT_DISABLE_TIMING);
  // Memory of the device; freed by TearDown().
  CUdeviceptr MakeMemory(size_t size);
  // Pinned words, zero; freed by TearDown().
  template <typename Element>
  Element* MakePinned(size_t count) {
    return static_cast<Element*>(MakePinnedBytes(count * sizeof(Element)));
  }
  // The module of kernels/sim_kernels.ptx, and a function of it.
  CUmodule LoadModule();
  CUfunction GetFunction(const char* name);

  // Launches `append`, which puts a number behind the others in a log of pinned words.
  CUresult Append(uint32_t* log, uint32_t value, CUstream stream);
  CUDA_KERNEL_NODE_PARAMS AppendParams(void** params);

  // Holds a stream up until Open().
  void Close(CUstream stream);
  void Open();
  // The same once a rule's breach was reported: for a thread beside a call that blocks.
  void OpenWhenReported(const char* rule);

  const CudaApi& api_ = CudaApi::Get();
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::vector<CUmodule> modules_;

 private:
  void* MakePinnedBytes(size_t size);

  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<CUdeviceptr> memory_;
  std::vector<void*> pinned_;
  uint64_t* gate_ = nullptr;
  uint64_t gates_closed_ = 0;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_CUDA_SIM_TEST_H_
