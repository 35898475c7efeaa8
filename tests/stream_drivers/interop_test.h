// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests share: devices of the driver on the simulated library, and the application's objects. The test makes
// these streams, events and a log of pinned words by calling the same library itself.
#ifndef HALYARD_TESTS_STREAM_DRIVERS_INTEROP_TEST_H_
#define HALYARD_TESTS_STREAM_DRIVERS_INTEROP_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"
#include "vendor.h"

namespace halyard::interop {

/// Of the vendor's calls.
#define ASSERT_DONE(call) ASSERT_EQ((call), 0)
#define EXPECT_DONE(call) EXPECT_EQ((call), 0)
#define ASSERT_OK(call) ASSERT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()
#define EXPECT_OK(call) EXPECT_EQ((call), HAL_STATUS_OK) << hal_last_error_message()

inline constexpr uint64_t kTenSeconds = 10'000'000'000;  // nanoseconds
inline constexpr unsigned kPatience = 60;                // seconds after which a process that hangs is ended

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

  const sim::SimControl& sim() const { return vendor::Control(); }
  /// Opens a further device; the first one is opened by SetUp().
  Ref<hal_device_t> OpenDevice(int ordinal, const std::string& parameters = {}) const;
  std::string DeviceUri(int ordinal, const std::string& parameters) const;
  const InteropFunctions& interop() const { return interop_; }

  /// The test's own, of a device; destroyed by TearDown().
  Stream MakeStream(int ordinal = 0);
  Event MakeEvent(int ordinal = 0);
  /// Holds a stream, Halyard's or the test's, up until the gate is opened (TearDown() opens all).
  Gate Close(Stream stream);
  Stream QueueStream(const Ref<hal_device_t>& device, uint32_t queue) const;

  /// Puts a number behind the others in the log, in the order of a stream or of a queue.
  void Append(Stream stream, uint32_t value) { AppendTo(log_, stream, value); }
  /// The same in another log of device 0.
  void AppendTo(void* log, Stream stream, uint32_t value) const;
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
  void LoadKernels();
  void ReleaseMemory();

  InteropFunctions interop_ = {};
  Module module_ = nullptr;
  Kernel append_kernel_ = nullptr;
  uint32_t* log_ = nullptr;
  std::vector<std::pair<int, Stream>> streams_;
  std::vector<std::pair<int, Event>> events_;
  std::vector<Gate> gates_;
};

}  // namespace halyard::interop

#endif  // HALYARD_TESTS_STREAM_DRIVERS_INTEROP_TEST_H_
