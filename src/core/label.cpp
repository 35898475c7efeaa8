// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/label.h"

#include "base/text/text_checks.h"
#include "core/public_call.h"
#include "core/thread_labels.h"
#include "core/validation/checks.h"
#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/kind_words.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/trace/nvtx.h"

namespace halyard {
namespace {

bool IsObject(const hal_object_t* object) {
  return object->kind > HAL_OBJECT_KIND_NONE && object->kind <= kLastObjectKind;
}

/// INVALID_ARGUMENT unless it is an object that is alive, as far as that can be told.
Status CheckObject(const void* given) {
  HAL_TRY(CheckNotNull("object", given));
  const auto* const object = static_cast<const hal_object_t*>(given);
  if (IsObject(object)) return kOk;
  if (!IsDestroyed(object->kind)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "object is %s", KindWords(HAL_OBJECT_KIND_NONE));
  }
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "object is %s that was destroyed%s", KindWords(KindBefore(object->kind)),
              HandleTable::History(object).c_str());
}

Status SetLabel(void* object, hal_string_view_t label) {
  HAL_TRY(CheckObject(object));
  HAL_TRY(CheckText("label", label));
  Labels::Set(object, ReadableText(View(label), HAL_LABEL_MAX_SIZE));
  return kOk;
}

Status PushLabel(hal_string_view_t label) {
  HAL_TRY(CheckText("label", label));
  std::string_view text = View(label);
  HostString readable;  // only if that is another text, as memory takes time
  if (text.size() > HAL_LABEL_MAX_SIZE || !IsReadable(text)) {
    readable = ReadableText(text, HAL_LABEL_MAX_SIZE);
    text = readable;
  }
  const Nvtx* const nvtx = text.empty() ? nullptr : Nvtx::Get();
  const char* const kept = ThreadLabels::Get().Push(text, nvtx != nullptr);
  if (nvtx) nvtx->Push(kept);
  return kOk;
}

Status PopLabel() {
  ThreadLabels* const labels = ThreadLabels::Find();
  if (!labels || labels->empty()) return FailWith(HAL_STATUS_FAILED_PRECONDITION, "this thread has no label");
  if (labels->Pop()) Nvtx::Get()->Pop();
  return kOk;
}

}  // namespace

// What does not fit is left out, so that the path never ends within a label's character.
const char* ThreadLabels::Push(std::string_view label, bool has_range) {
  const size_t size = path_.size();
  const std::string_view separator = size == 0 ? "" : "/";
  const bool fits = !label.empty() && size + separator.size() + label.size() <= HAL_LABEL_MAX_SIZE;
  if (fits) path_.reserve(HAL_LABEL_MAX_SIZE);
  levels_.push_back({size, has_range});
  if (!fits) return "";
  path_.append(separator).append(label);
  return path_.c_str() + size + separator.size();
}

bool ThreadLabels::Pop() {
  const Level level = levels_.back();
  levels_.pop_back();
  path_.resize(level.size_before);
  return level.has_range;
}

}  // namespace halyard

hal_status_t hal_object_set_label(void* object, hal_string_view_t label) {
  return halyard::Public([&] { return halyard::SetLabel(object, label); });
}

hal_string_view_t hal_object_label(const void* object) { return halyard::Labels::Of(object); }

hal_status_t hal_push_label(hal_string_view_t label) {
  return halyard::Public([&] { return halyard::PushLabel(label); });
}

hal_status_t hal_pop_label(void) {
  return halyard::Public([] { return halyard::PopLabel(); });
}

uint64_t hal_last_operation(void) {
  const halyard::ThreadLabels* const labels = halyard::ThreadLabels::Find();
  return labels ? labels->last_operation() : 0;
}
