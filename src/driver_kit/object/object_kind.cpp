// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/object_kind.h"

#include <new>

#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/kind_words.h"
#include "driver_kit/object/labels.h"

namespace halyard {
namespace {

// Only validation leaves such objects behind.
Status FailDestroyed(const char* argument, const hal_object_t* object, hal_object_kind_t wanted) noexcept {
  const char* const words = KindWords(KindBefore(object->kind));
  HostString history;
  try {
    history = HandleTable::History(object);
  } catch (const std::bad_alloc&) {  // the message does without it
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is %s that was destroyed%s; expected %s", argument, words,
              history.c_str(), KindWords(wanted));
}

}  // namespace

Status FailKind(const char* argument, const void* object, hal_object_kind_t wanted) noexcept {
  if (!object) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is NULL", argument);
  const hal_object_kind_t kind = static_cast<const hal_object_t*>(object)->kind;
  if (IsDestroyed(kind)) return FailDestroyed(argument, static_cast<const hal_object_t*>(object), wanted);
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is %s%s; expected %s", argument, KindWords(kind),
              LabelWords(object).c_str(), KindWords(wanted));
}

}  // namespace halyard
