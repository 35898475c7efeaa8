// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each vendor's layer provides to the parts that it shares with others.
#ifndef HALYARD_TESTS_SIM_ENGINE_VENDOR_H_
#define HALYARD_TESTS_SIM_ENGINE_VENDOR_H_

#include "engine/error.h"

namespace halyard::sim {

// The vendor's number for an answer, and back; kHardware for numbers that the engine has no word for.
int ToVendor(Error error);
Error FromVendor(int result);
// Changes what a device says about itself from now on. False if there is no such device or attribute.
bool SetVendorAttribute(int device, int attribute, int value);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_VENDOR_H_
