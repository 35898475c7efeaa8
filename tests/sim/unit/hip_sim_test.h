// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of simulated HIP share: a stream, memory, kernels, and a gate that holds a stream up.
#ifndef HALYARD_TESTS_SIM_UNIT_HIP_SIM_TEST_H_
#define HALYARD_TESTS_SIM_UNIT_HIP_SIM_TEST_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "hip_api.h"
#include "sim_test.h"

namespace halyard::hip::abi {
void PrintTo(hipError_t result, std::ostream* out);
}

namespace halyard::sim {

using namespace hip::abi;

#define EXPECT_HIP(call) EXPECT_EQ((call), hipSuccess)
#define ASSERT_HIP(call) ASSERT_EQ((call), hipSuccess)

/// The versions whose rules differ, as hipRuntimeGetVersion() has them.
inline constexpr int kHip57 = 50731921;
inline constexpr int kHip64 = 60443484;
inline constexpr int kHip71 = 70151831;
inline constexpr int kHip715 = 71510100;  // ROCm 10

/// Every test ends with nothing reported except what it took by TakeReports().
class HipSimTest : public SimTest {
 protected:
  HipSimTest() : SimTest(HipApi::Get()) {}
  void SetUp() override;
  void TearDown() override;

  hipStream_t MakeStream();
  hipEvent_t MakeEvent();
  /// Memory of the device, and pinned words that are zero.
  void* MakeMemory(size_t size);
  template <typename Element>
  Element* MakePinned(size_t count) {
    return static_cast<Element*>(MakePinnedBytes(count * sizeof(Element)));
  }

  /// The bytes of kernels/sim_kernels.gfx942.hsaco, and a function of it.
  static std::string CodeObject();
  hipFunction_t GetFunction(const char* name);
  /// Launches `append`, which puts a number behind the others in a log of pinned words.
  hipError_t Append(uint32_t* log, uint32_t value, hipStream_t stream);

  /// Holds a stream up until Open().
  void Close(hipStream_t stream);
  void Open();
  /// Makes a call on another thread while the stream is held up, which is opened once the thread has begun it.
  /// True if the call returned after that alone.
  bool WaitsForStream(const char* name, const std::function<void()>& call);

  const HipApi& api_ = HipApi::Get();
  hipStream_t stream_ = nullptr;

 private:
  void* MakePinnedBytes(size_t size);

  std::vector<hipStream_t> streams_;
  hipModule_t module_ = nullptr;
  std::atomic<bool> open_{true};
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_HIP_SIM_TEST_H_
