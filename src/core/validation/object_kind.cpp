// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/object_kind.h"

#include "base/log.h"
#include "core/public_call.h"

namespace halyard {

void ReportUnusable(const char* argument, const void* object, hal_object_kind_t wanted, const char* function) noexcept {
  const Failure failure(NameFunction(FailKind(argument, object, wanted), function));
  Publish(failure.Share());
  Log(HAL_LOG_LEVEL_ERROR, failure.message());
}

}  // namespace halyard
