// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/binding_table.h"

#include <cinttypes>

namespace halyard {

Status FailEmptySlot(uint32_t slot) {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "the binding table has no buffer in slot %u", slot);
}

Status FailOutsideLife() {
  return FailWith(
      HAL_STATUS_FAILED_PRECONDITION,
      "a queue allocation is used outside its life: order the use after its alloca and before its dealloca");
}

Status ResolveFill(const hal_command_fill_t& fill, BindingTable table, BufferRange* out_target) {
  HAL_TRY(Resolve(fill.target, table, out_target));
  // Only a slot's range can still be uneven here: its length is known from the table alone.
  if (out_target->length % fill.pattern_size == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "fill: %" PRIu64 " bytes are no multiple of the pattern's %u bytes",
              out_target->length, fill.pattern_size);
}

Status ResolveCopy(const hal_command_copy_t& copy, BindingTable table, CopyRanges* out) {
  BufferRange& source = out->source;
  BufferRange& target = out->target;
  HAL_TRY(Resolve(copy.source, table, &source));
  HAL_TRY(Resolve(copy.target, table, &target));
  // A reference that says "the rest of the slot" takes the other side's length.
  if (copy.source.length == HAL_WHOLE_SIZE && target.length < source.length) source.length = target.length;
  if (copy.target.length == HAL_WHOLE_SIZE && source.length < target.length) target.length = source.length;
  if (source.length == target.length) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "copy: the source has %" PRIu64 " bytes, the target %" PRIu64, source.length,
              target.length);
}

Status ResolveCopy(const hal_strided_copy_params_t& copy, BindingTable table, CopyRanges* out) {
  HAL_TRY(Resolve(copy.source, table, &out->source));
  return Resolve(copy.target, table, &out->target);
}

}  // namespace halyard
