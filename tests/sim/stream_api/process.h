// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the library begins and ends in a process.
#ifndef HALYARD_TESTS_SIM_STREAM_API_PROCESS_H_
#define HALYARD_TESTS_SIM_STREAM_API_PROCESS_H_

#include "stream_api/call.h"

namespace halyard::sim {

// Makes the devices, once, and plans what HALYARD_SIM_FAIL says. Under the runtime's lock.
Error StartLibrary();
// The first piece of work is given to a device.
void NoteFirstWork();
// What the library says of its version: HALYARD_SIM_DRIVER_VERSION, or the vendor's standard.
int LibraryVersion(int standard);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_PROCESS_H_
