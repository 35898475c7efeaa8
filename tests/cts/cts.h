// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a conformance test includes. README.md says how to write one.
#ifndef HALYARD_TESTS_CTS_CTS_H_
#define HALYARD_TESTS_CTS_CTS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cts/callbacks.h"
#include "cts/device.h"
#include "cts/handles.h"
#include "cts/kernel_library.h"
#include "cts/options.h"
#include "halyard/halyard.h"

/// Expects that a call returns OK; says the status and the library's message if not.
#define EXPECT_OK(expression) EXPECT_PRED_FORMAT1(halyard::cts::StatusIsOk, expression)
#define ASSERT_OK(expression) ASSERT_PRED_FORMAT1(halyard::cts::StatusIsOk, expression)
/// Expects that a call returns a certain status.
#define EXPECT_STATUS(expected, expression) EXPECT_PRED_FORMAT2(halyard::cts::StatusIs, expected, expression)
#define ASSERT_STATUS(expected, expression) ASSERT_PRED_FORMAT2(halyard::cts::StatusIs, expected, expression)

/// Lets GoogleTest print statuses by name.
void PrintTo(hal_status_t status, std::ostream* out);

namespace halyard::cts {

testing::AssertionResult StatusIsOk(const char* expression, hal_status_t actual);
testing::AssertionResult StatusIs(const char* expected_text, const char* expression, hal_status_t expected,
                                  hal_status_t actual);

/// The registry that knows the plugins of the command line.
hal_registry_t* SuiteRegistry();
/// A new registry that knows the same.
Registry CreateRegistry();
/// Opens a device by URI; throws if that fails.
Device OpenDevice(const std::string& uri);

/// Opens the device under test. Says why and returns false if there is none.
bool OpenDeviceUnderTest();
void CloseDeviceUnderTest();
/// How long opening the device under test took.
std::chrono::nanoseconds OpeningTime();

/// Random numbers that can be had again: seeded from --seed= and the name of the running test, so that a failing case
/// can be repeated alone. A failure prints the seed.
class SeededRandom {
 public:
  SeededRandom();
  /// A number of 0 … `bound` - 1.
  uint64_t Below(uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(engine_); }
  /// A number of `low` … `high`.
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }
  bool OneIn(uint64_t chances) { return Below(chances) == 0; }
  std::vector<uint8_t> Bytes(size_t count);
  std::mt19937_64& engine() { return engine_; }

 private:
  testing::ScopedTrace trace_;
  std::mt19937_64 engine_;
};

/// A test with the device under test, which all tests of the process share. At its end every callback that it handed
/// to the library must have been called, exactly once.
class DeviceTest : public testing::Test {
 protected:
  ~DeviceTest() override;  // after a derived fixture has released its objects

  static const Device& device();
  /// Another device, of another driver or mode than the one under test.
  static Device OpenSecondDevice() { return OpenDevice(SecondDeviceUri()); }

  Semaphore CreateSemaphore(uint64_t initial = 0) const { return device().CreateSemaphore(initial); }
  Buffer CreateBuffer(uint64_t length, const hal_buffer_params_t& params = DeviceLocal()) const {
    return device().CreateBuffer(length, params);
  }
  Executable LoadKernels(std::string_view set) const { return device().LoadKernels(set); }
  hal_status_t Barrier(const Points& waits, const Points& signals) const {
    return device().QueueBarrier(waits, signals);
  }
  template <class T>
  void Upload(const Buffer& buffer, const std::vector<T>& values, uint64_t offset = 0) const {
    device().Upload(buffer, values, offset);
  }
  template <class T>
  std::vector<T> Download(const Buffer& buffer, uint64_t offset = 0, uint64_t count = UINT64_MAX) const {
    return device().Download<T>(buffer, offset, count);
  }
};

/// A DeviceTest for INSTANTIATE_TEST_SUITE_P.
template <class T>
class DeviceTestWith : public DeviceTest, public testing::WithParamInterface<T> {};

/// A name generator for parameters that have a `name`.
inline constexpr auto ByName = [](const auto& info) { return std::string(info.param.name); };
/// A name generator for numbers.
inline constexpr auto ByNumber = [](const auto& info) { return std::to_string(info.param); };

/// Every status but OK, and the name generator for statuses.
inline constexpr hal_status_t kFailures[] = {HAL_STATUS_CANCELLED,           HAL_STATUS_INVALID_ARGUMENT,
                                             HAL_STATUS_OUT_OF_RANGE,        HAL_STATUS_NOT_FOUND,
                                             HAL_STATUS_ALREADY_EXISTS,      HAL_STATUS_PERMISSION_DENIED,
                                             HAL_STATUS_FAILED_PRECONDITION, HAL_STATUS_RESOURCE_EXHAUSTED,
                                             HAL_STATUS_DEADLINE_EXCEEDED,   HAL_STATUS_ABORTED,
                                             HAL_STATUS_UNIMPLEMENTED,       HAL_STATUS_UNAVAILABLE,
                                             HAL_STATUS_INCOMPATIBLE,        HAL_STATUS_DATA_LOSS,
                                             HAL_STATUS_DEVICE_LOST,         HAL_STATUS_INTERNAL};
/// What a wait returns for a semaphore that failed so: DEADLINE_EXCEEDED would say that the wait took too long.
inline hal_status_t Awaited(hal_status_t failure) {
  return failure == HAL_STATUS_DEADLINE_EXCEEDED ? HAL_STATUS_ABORTED : failure;
}
inline constexpr auto ByStatus = [](const auto& info) { return std::string(hal_status_name(info.param)); };

/// Runs `function(index)` on `count` threads that begin together, and waits for them.
void OnThreads(size_t count, const std::function<void(size_t index)>& function);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_CTS_H_
