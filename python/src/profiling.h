// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiling sessions: records of what a device did, and a trace for Perfetto.
#ifndef HALYARD_PYTHON_PROFILING_H_
#define HALYARD_PYTHON_PROFILING_H_

#include <halyard/profiling.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device.h"
#include "live.h"

namespace halyard::python {

/// One timing, in nanoseconds of CLOCK_MONOTONIC, as time.monotonic_ns() has it.
struct Record {
  std::string kind;
  std::string name;
  std::string label;
  std::string status;
  uint64_t operation;
  uint32_t queue;
  uint32_t command;
  uint64_t submitted;
  uint64_t started;
  uint64_t ended;
  hal_dim3_t grid;
};

class Profile : Live<Profile> {
 public:
  static constexpr const char* kKind = "profile";

  Profile(std::shared_ptr<DeviceCore> device, nb::handle path);
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void Begin();
  /// Waits until the device is idle, so that all work of the session is in it.
  void End();
  void Write(nb::handle path) const;
  std::vector<Record> records() const;

 private:
  static void Take(void* user_data, const hal_profiling_record_t* record);

  std::shared_ptr<DeviceCore> device_;
  nb::object path_;
  hal_trace_writer_t* writer_ = nullptr;
  hal_profiling_sink_t trace_sink_ = {};
  bool running_ = false;
  mutable std::mutex mutex_;  // protects what threads of the library add
  std::vector<Record> records_;
};

void BindProfiling(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_PROFILING_H_
