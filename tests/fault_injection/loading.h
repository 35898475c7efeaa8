// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading the vendor's library, which a process does once.
#ifndef HALYARD_TESTS_FAULT_INJECTION_LOADING_H_
#define HALYARD_TESTS_FAULT_INJECTION_LOADING_H_

#include <cstdint>
#include <string>

namespace halyard::fault_injection {

/// How a process ends that loads the library.
enum LoadingExit { kLoadedAsItShould = 0, kLoadedWrongly = 40, kNoSuchCall = 41 };

/// Opens a device in this process, whose first call of the vendor's API it is, with the n-th call failing by
/// Injections()[index]; says on stderr what is wrong. Returns a LoadingExit.
int LoadOnce(uint64_t nth, uint64_t index);

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_LOADING_H_
