// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/cts.h"

#include <barrier>
#include <cstdio>
#include <exception>
#include <thread>
#include <utility>

#include "cts/other_process.h"
#include "support/joining_thread.h"

void PrintTo(hal_status_t status, std::ostream* out) { *out << hal_status_name(status); }

namespace halyard::cts {
namespace {

Device device_under_test;
std::chrono::nanoseconds opening_time{0};

std::string RunningTest() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  return test ? std::string(test->test_suite_name()) + "." + test->name() : std::string();
}

void LoadPlugins(hal_registry_t* registry) {
  for (const std::string& plugin : options().plugins) {
    Check(hal_registry_load_plugin(registry, View(plugin)), plugin.c_str());
  }
}

}  // namespace

Options& options() {
  static Options instance;
  return instance;
}

std::string SecondDeviceUri() {
  if (!options().second_device.empty()) return options().second_device;
  return options().device.rfind("local://sync", 0) == 0 ? "local://task" : "local://sync";
}

testing::AssertionResult StatusIsOk(const char* expression, hal_status_t actual) {
  if (actual == HAL_STATUS_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression << "\n  returned " << hal_status_name(actual)
                                     << "\n  last error of this thread: " << hal_last_error_message();
}

testing::AssertionResult StatusIs(const char* expected_text, const char* expression, hal_status_t expected,
                                  hal_status_t actual) {
  if (actual == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << expression << "\n  returned " << hal_status_name(actual) << ", expected "
                                     << hal_status_name(expected) << " (" << expected_text
                                     << ")\n  last error of this thread: " << hal_last_error_message();
}

hal_registry_t* SuiteRegistry() { return hal_registry_default(); }

Registry CreateRegistry() {
  Registry registry;
  Check(hal_registry_create(registry.out()), "hal_registry_create");
  LoadPlugins(registry);
  return registry;
}

Device OpenDevice(const std::string& uri) {
  Device device;
  Check(hal_registry_create_device(SuiteRegistry(), View(uri), 0, nullptr, device.out()), uri.c_str());
  return device;
}

bool OpenDeviceUnderTest() try {
  LoadPlugins(SuiteRegistry());
  const auto begin = std::chrono::steady_clock::now();
  device_under_test = OpenDevice(options().device);
  opening_time = std::chrono::steady_clock::now() - begin;
#if !defined(_WIN32)  // which has no descriptors to give away
  if (IsOtherProcess()) RunOtherProcess(std::move(device_under_test));
#endif
  return true;
} catch (const std::exception& error) {
  std::fprintf(stderr, "halyard-cts: no device to test: %s\n", error.what());
  return false;
}

void CloseDeviceUnderTest() { device_under_test.reset(); }
std::chrono::nanoseconds OpeningTime() { return opening_time; }

SeededRandom::SeededRandom()
    : trace_(__FILE__, __LINE__, "repeat this case with --seed=" + std::to_string(options().seed)) {
  const std::string name = RunningTest();
  std::seed_seq sequence(name.begin(), name.end());
  std::vector<uint32_t> mixed(2);
  sequence.generate(mixed.begin(), mixed.end());
  engine_.seed(options().seed ^ (uint64_t{mixed[0]} << 32 | mixed[1]));
}

std::vector<uint8_t> SeededRandom::Bytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(engine_());
  return bytes;
}

const Device& DeviceTest::device() { return device_under_test; }

DeviceTest::~DeviceTest() { ExpectAllCallbacksCalled(); }

void OnThreads(size_t count, const std::function<void(size_t index)>& function) {
  std::barrier start(static_cast<ptrdiff_t>(count));
  std::vector<JoiningThread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        function(i);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "on thread " << i << ": " << error.what();
      }
    });
  }
}

}  // namespace halyard::cts
