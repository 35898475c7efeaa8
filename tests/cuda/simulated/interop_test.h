// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of interoperability share: devices of the CUDA driver on simulated CUDA, and the application's
// objects. The test makes these streams, events and a log of pinned words by calling the same library itself.
#ifndef HALYARD_TESTS_CUDA_SIMULATED_INTEROP_TEST_H_
#define HALYARD_TESTS_CUDA_SIMULATED_INTEROP_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/cuda_interop.h"
#include "halyard/halyard.h"
#include "unit/cuda_api.h"

namespace halyard::interop {

using namespace cuda::abi;

#define ASSERT_CU(call) ASSERT_EQ((call), CUDA_SUCCESS)
#define EXPECT_CU(call) EXPECT_EQ((call), CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()
#define EXPECT_OK(call) EXPECT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()

using Points = std::vector<hal_timeline_point_t>;
inline hal_semaphore_list_t List(const Points& points) { return hal_semaphore_list(points.data(), points.size()); }

/// Holds streams up at a place, until it is opened.
struct Gate {
  uint64_t* word = nullptr;  // pinned
  void Open() const { std::atomic_ref(*word).store(1, std::memory_order_release); }
};

/// The parameter is the completion mode. Every test ends with everything released and nothing reported.
class InteropTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override;
  void TearDown() override;

  const sim::CudaApi& cuda() const { return sim::CudaApi::Get(); }
  /// Opens a further device; the first one is opened by SetUp().
  Ref<hal_device_t> OpenDevice(int ordinal) const;
  const hal_cuda_interop_interface_t& interop() const { return *interop_; }

  /// The test's own, in the primary context of a device; destroyed by TearDown().
  CUstream MakeStream(int ordinal = 0);
  CUevent MakeEvent(int ordinal = 0);
  /// Holds a stream, Halyard's or the test's, up until the gate is opened (TearDown() opens all).
  Gate Close(CUstream stream);
  CUstream QueueStream(const Ref<hal_device_t>& device, uint32_t queue) const;

  /// Puts a number behind the others in the log, in the order of a stream or of a queue.
  void Append(CUstream stream, uint32_t value);
  hal_status_t QueueAppend(const Points& waits, const Points& signals, uint32_t value, hal_queue_mask_t queue = 1);
  std::vector<uint32_t> Log() const;

  Ref<hal_semaphore_t> MakeSemaphore(const Ref<hal_device_t>& device) const;
  Ref<hal_semaphore_t> MakeSemaphore() const { return MakeSemaphore(device_); }
  static hal_status_t Wait(const Ref<hal_semaphore_t>& semaphore, uint64_t value);
  static uint64_t ValueOf(const Ref<hal_semaphore_t>& semaphore);

  /// What the simulation has reported since the test began.
  std::string Report() const;

  Ref<hal_device_t> device_;
  Ref<hal_executable_t> append_;
  Ref<hal_buffer_t> log_buffer_;  // the log, imported

 private:
  void PushContext(int ordinal);
  bool ContextEnds(int ordinal) const;
  void LoadKernels();

  const hal_cuda_interop_interface_t* interop_ = nullptr;
  CUcontext contexts_[2] = {};
  CUmodule module_ = nullptr;
  CUfunction append_function_ = nullptr;
  uint32_t* log_ = nullptr;
  std::vector<std::pair<int, CUstream>> streams_;
  std::vector<std::pair<int, CUevent>> events_;
  std::vector<Gate> gates_;
};

}  // namespace halyard::interop

#endif  // HALYARD_TESTS_CUDA_SIMULATED_INTEROP_TEST_H_
