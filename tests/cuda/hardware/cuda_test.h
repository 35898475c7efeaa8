// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests on a real device share: the device that the variable HALYARD_CUDA_TEST_DEVICE names (cuda://0),
// kernels for it, and its CUDA context.
#ifndef HALYARD_TESTS_CUDA_HARDWARE_CUDA_TEST_H_
#define HALYARD_TESTS_CUDA_HARDWARE_CUDA_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/cuda_library.h"
#include "driver_kit/object/object.h"
#include "halyard/halyard.h"

namespace halyard::cuda {

inline constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds

inline void Check(hal_status_t status) { EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message(); }

/// do_trap; write_far (an illegal address); spin (nanoseconds).
extern const std::string_view kKernels;

/// The device of the tests, with parameters such as "completion=fast".
std::string Uri(const std::string& parameters = "");
hal_status_t Open(const std::string& uri, Ref<hal_device_t>* out);
/// A kernel of an image, whose parameters are at most one constant.
hal_status_t Load(const Ref<hal_device_t>& device, std::string_view image, const char* name, uint32_t constants,
                  Ref<hal_executable_t>* out, const char* format = "ptx");

using Points = std::vector<hal_timeline_point_t>;
inline hal_semaphore_list_t List(const Points& points) { return hal_semaphore_list(points.data(), points.size()); }

/// Submits a dispatch of one workgroup on the first queue.
hal_status_t Dispatch(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                      const Ref<hal_executable_t>& executable, const uint64_t* constant = nullptr);

/// The device's primary context, current on this thread; the destructor restores the one before it.
class ContextScope {
 public:
  explicit ContextScope(const Ref<hal_device_t>& device);
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope();

  const CudaLibrary& cuda() const { return *cuda_; }

 private:
  const CudaLibrary* cuda_ = nullptr;
  CUdevice device_ = 0;
};

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override;
  Ref<hal_semaphore_t> MakeSemaphore() const;
  /// The device's number for CUDA.
  int ordinal() const { return static_cast<int>(hal_device_info(device_.get())->ordinal); }

  Ref<hal_device_t> device_;
};

}  // namespace halyard::cuda

#endif  // HALYARD_TESTS_CUDA_HARDWARE_CUDA_TEST_H_
