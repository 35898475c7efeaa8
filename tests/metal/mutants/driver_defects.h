// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defects inside the driver, which no call of Metal's shows alone.
#ifndef HALYARD_TESTS_METAL_MUTANTS_DRIVER_DEFECTS_H_
#define HALYARD_TESTS_METAL_MUTANTS_DRIVER_DEFECTS_H_

namespace halyard::metal {

enum class DriverDefect {
  kNone,
  kReusesStagingEarly,   ///< a block of staging is used again while submissions need it
  kIgnoresInFlight,      ///< every operation has room in its queue
  kForgetsPredecessors,  ///< work in a cached block does not come after the block's last use
};

/// Before the first device opens.
void SetDefect(DriverDefect defect);

}  // namespace halyard::metal

#endif  // HALYARD_TESTS_METAL_MUTANTS_DRIVER_DEFECTS_H_
