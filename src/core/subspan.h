// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of allocations.
#ifndef HALYARD_CORE_SUBSPAN_H_
#define HALYARD_CORE_SUBSPAN_H_

#include <cstdint>
#include <memory>

#include "core/application_calls.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Makes a buffer that is a part of another, which it retains; the application gets it.
/// @param release  called when the part is gone; may be NULL
hal_buffer_t* MakeSubspan(const hal_buffer_t& parent, uint64_t offset, uint64_t length,
                          std::unique_ptr<ReleaseCall> release);

}  // namespace halyard

#endif  // HALYARD_CORE_SUBSPAN_H_
