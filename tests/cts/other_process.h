// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another process that imports memory. It is this program, started again, because vendors' libraries do not work in a
// child of fork().
#ifndef HALYARD_TESTS_CTS_OTHER_PROCESS_H_
#define HALYARD_TESTS_CTS_OTHER_PROCESS_H_

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cts/device.h"

namespace halyard::cts {

/// What another process has to say of memory that it imported.
struct Imported {
  hal_status_t status = HAL_STATUS_OK;
  std::string message;         ///< if that is a failure
  std::vector<uint8_t> bytes;  ///< what it found there
};

/// A process with a device of the same URI, which keeps all that it imports.
class OtherProcess {
 public:
  OtherProcess();
  /// Waits until the process has released everything and has ended, and fails the test if it did not end well.
  ~OtherProcess();
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  /// Imports memory there, reads it and then fills it with `fill`. The caller's descriptor stays the caller's.
  Imported Import(const hal_external_memory_t& memory, uint8_t fill);
  /// Releases everything there.
  void Release();
  /// Ends it at once, with all that it has.
  void Kill();

 private:
  int socket_ = -1;
  pid_t process_ = -1;
};

/// Whether this process is one of those. Then RunOtherProcess() does what is asked, and ends the process.
bool IsOtherProcess();
[[noreturn]] void RunOtherProcess(Device device);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_OTHER_PROCESS_H_
