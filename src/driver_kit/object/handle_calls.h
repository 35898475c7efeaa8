// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation (HALYARD_VALIDATION=1): what it replaces while it is on. While it is off it costs no instruction on the
// way of a submission, because a jump through a table is as long as a plain one.
#ifndef HALYARD_DRIVER_KIT_OBJECT_HANDLE_CALLS_H_
#define HALYARD_DRIVER_KIT_OBJECT_HANDLE_CALLS_H_

#include <array>
#include <cstddef>

#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// One more than the largest kind of object.
inline constexpr size_t kObjectKinds = HAL_OBJECT_KIND_FILE + 1;

/// What the application's retains and releases, and the last release of all, come to.
struct HandleCalls {
  using Call = void (*)(hal_object_t* object) noexcept;
  std::array<Call, kObjectKinds> retain;   ///< by what the public function takes
  std::array<Call, kObjectKinds> release;  ///< as `retain`
  Call destroy;                            ///< DestroyObject()
};

/// Written within the first allocation of host memory, and when the library is shut down. So all threads that have an
/// object see the same; a plain variable is enough.
extern HandleCalls g_handle_calls;

/// As DestroyObject(), with a look into the table of handles.
void DestroyValidatedObject(hal_object_t* object) noexcept;

/// Whether validation is on. Known once anything was allocated.
inline bool ValidationIsOn() noexcept { return g_handle_calls.destroy != DestroyObject; }
/// The library is shut down: frees what validation keeps. The next use reads HALYARD_VALIDATION again.
void EndValidation() noexcept;

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_HANDLE_CALLS_H_
