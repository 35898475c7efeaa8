// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_FRAMEWORK_CAPTURE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_CAPTURE_H_

namespace halyard::metal_sim {

// Whether a capture was started and not stopped: a leak where a program has released everything.
bool IsCapturing();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_CAPTURE_H_
