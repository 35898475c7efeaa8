// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the Metal driver share: devices on the simulated Metal, and what that counts and reports.
#ifndef HALYARD_TESTS_METAL_METAL_TEST_H_
#define HALYARD_TESTS_METAL_METAL_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "control.h"
#include "cts/cts.h"
#include "halyard/metal_interop.h"
#include "metal/library_control.h"

namespace halyard::metal {

/// The functions of control.h and library_control.h, in the library that the driver loads.
struct MetalSim {
  decltype(&halyardSimReset) Reset = nullptr;
  decltype(&halyardSimFail) Fail = nullptr;
  decltype(&halyardSimCalls) Calls = nullptr;
  decltype(&halyardSimObjects) Objects = nullptr;
  decltype(&halyardSimReport) Report = nullptr;
  decltype(&halyardSimMetalCompiledFunctions) CompiledFunctions = nullptr;
  decltype(&halyardSimMetalLibrary) Library = nullptr;
  decltype(&halyardSimMetalLog) Log = nullptr;
  decltype(&halyardSimMetalHoldPipelines) HoldPipelines = nullptr;
  decltype(&halyardSimMetalFastLibraries) FastLibraries = nullptr;
  decltype(&halyardSimMetalLoggingLibraries) LoggingLibraries = nullptr;

  static const MetalSim& Get();
  /// What was reported since the last reset.
  std::string Reports() const;
  /// The image of a library of Metal's compiler, as the simulation knows those.
  std::string MakeLibrary(const std::string& source) const;
};

/// A test of the driver; nothing that it does may break a rule of Metal's.
class MetalTest : public testing::Test {
 protected:
  ~MetalTest() override;

  static const MetalSim& sim() { return MetalSim::Get(); }
  /// The first device. `parameters` as in a URI: "queues=4&dispatch=serial".
  static cts::Device Open(const std::string& parameters = "");
  /// Waits until no object of Metal's is left: a device may close on a thread of the library.
  static void AwaitNothingLeft();
};

/// What the library writes to the log while this exists.
class LogRecorder {
 public:
  struct Line {
    hal_log_level_t level;
    std::string text;
    bool operator==(const Line&) const = default;
  };

  LogRecorder();
  ~LogRecorder();
  LogRecorder(const LogRecorder&) = delete;
  LogRecorder& operator=(const LogRecorder&) = delete;

  std::vector<Line> lines() const;
  /// Waits for so many lines.
  bool WaitFor(size_t count) { return count_.WaitFor(count); }

 private:
  mutable std::mutex mutex_;  // protects lines_
  std::vector<Line> lines_;
  cts::Counter count_;
};
void PrintTo(const LogRecorder::Line& line, std::ostream* out);

/// A kernel of Metal's language, ready for hal_executable_create().
class MetalSource {
 public:
  explicit MetalSource(std::string text, const char* format = "msl") : text_(std::move(text)), format_(format) {}
  MetalSource(const MetalSource&) = delete;
  MetalSource& operator=(const MetalSource&) = delete;

  MetalSource& Export(const char* name, std::vector<hal_parameter_t> parameters, uint32_t constants_size = 0);
  MetalSource& Specialize(uint32_t id, uint32_t size, uint64_t value);
  /// Points into this object.
  hal_executable_params_t params() const;
  hal_status_t Create(const cts::Device& device, cts::Executable* out_executable) const;
  /// The status alone, for kernels that cannot be used.
  hal_status_t Create(const cts::Device& device) const;

 private:
  const std::string text_;
  const char* const format_;
  std::vector<std::vector<hal_parameter_t>> parameters_;
  std::vector<hal_export_info_t> exports_;
  std::vector<hal_specialization_t> specializations_;
};

/// A dispatch that ends when the test says so: it keeps a queue of the device busy.
class HeldDispatch {
 public:
  explicit HeldDispatch(const cts::Device& device);
  ~HeldDispatch();
  HeldDispatch(const HeldDispatch&) = delete;
  HeldDispatch& operator=(const HeldDispatch&) = delete;

  /// Reached once it has ended.
  hal_timeline_point_t end() const { return {done_, 1}; }
  void Release();

 private:
  cts::Executable kernel_;
  cts::Buffer flag_;
  cts::Semaphore done_;
  uint32_t* mapped_ = nullptr;
};

/// A name generator for parameters of a device: "queues_4" for "queues=4".
inline constexpr auto ByParameters = [](const auto& info) {
  std::string name = *info.param ? info.param : "default";
  std::replace(name.begin(), name.end(), '=', '_');
  return name;
};

const hal_metal_interop_interface_t& InteropOf(const cts::Device& device);

}  // namespace halyard::metal

#endif  // HALYARD_TESTS_METAL_METAL_TEST_H_
