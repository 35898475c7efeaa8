// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/command_copy.h"

#include <cstddef>
#include <cstring>
#include <new>

#include "driver_kit/object/object.h"
#include "driver_kit/queue/command.h"

namespace halyard {
namespace {

/// Calls `visit` with each object of a dispatch that the dispatch before it has not at the same place.
template <class Visitor>
void VisitNew(const hal_command_dispatch_t& dispatch, const hal_command_dispatch_t& before, const Visitor& visit) {
  const hal_dispatch_params_t& params = *dispatch.params;
  if (before.executable != dispatch.executable) visit(dispatch.executable);
  const hal_buffer_ref_list_t earlier = before.params->bindings;
  for (size_t i = 0; i < params.bindings.count; ++i) {
    hal_buffer_t* const buffer = params.bindings.refs[i].buffer;
    if (i >= earlier.count || earlier.refs[i].buffer != buffer) visit(buffer);
  }
  if (IsIndirect(dispatch)) visit(params.indirect.buffer);
}

/// Calls `visit` with each object that a command names and has to keep by itself; they may be NULL.
template <class Visitor>
void VisitObjects(const hal_command_t& command, const hal_command_t* before, const Visitor& visit) {
  const bool follows = command.type == HAL_COMMAND_TYPE_DISPATCH && before && before->type == HAL_COMMAND_TYPE_DISPATCH;
  if (follows) return VisitNew(command.u.dispatch, before->u.dispatch, visit);
  ForEachObject(command, visit);
}

const hal_shape_t* CopyShapes(Arena& arena, const hal_shape_t* shapes, size_t count) {
  hal_shape_t* const copies = arena.Copy(shapes, count);
  for (size_t i = 0; i < count; ++i) {
    copies[i].sizes = arena.Copy(shapes[i].sizes, shapes[i].rank);
    if (shapes[i].strides) copies[i].strides = arena.Copy(shapes[i].strides, shapes[i].rank);
  }
  return copies;
}

/// The part of hal_command_t that a dispatch uses.
struct DispatchHead {
  hal_command_type_t type;
  uint32_t reserved;
  hal_command_dispatch_t dispatch;
};
static_assert(offsetof(DispatchHead, dispatch) == offsetof(hal_command_t, u));

/// The parameters of a dispatch, its bindings and its constants, one after the other. The parameters of one without
/// numbers end before those, as those of an earlier version do. Only an indirect dispatch has a use for
/// `params.indirect`: that place is the head of a direct one.
struct DispatchCopy {
  static constexpr size_t kWithoutNumbers = offsetof(hal_dispatch_params_t, numbers);

  hal_dispatch_params_t params;

  void* head() { return &params.indirect; }
};
static_assert(sizeof(DispatchHead) <= sizeof(hal_buffer_ref_t));
static_assert(sizeof(DispatchCopy) % 16 == 0 && DispatchCopy::kWithoutNumbers % 16 == 0 &&
              sizeof(hal_buffer_ref_t) % 16 == 0);

/// @tparam kSize  bytes of the parameters
template <size_t kSize>
[[gnu::always_inline]] inline DispatchCopy* CopyParams(Arena& arena, const hal_dispatch_params_t& params) {
  const hal_buffer_ref_list_t& bindings = params.bindings;
  const size_t rest = bindings.count * sizeof(hal_buffer_ref_t) + params.constants_size;
  auto* const memory = static_cast<std::byte*>(arena.Allocate(kSize + rest, params.constants_size > 8 ? 16 : 8));
  std::memcpy(memory, &params, kSize);
  auto* const copy = reinterpret_cast<DispatchCopy*>(memory);
  copy->params.struct_size = kSize;
  auto* const refs = reinterpret_cast<hal_buffer_ref_t*>(memory + kSize);
  copy->params.bindings.refs = bindings.count > 0 ? refs : nullptr;
  if (bindings.count > 0) std::memcpy(refs, bindings.refs, bindings.count * sizeof(hal_buffer_ref_t));
  copy->params.constants = params.constants_size > 0 ? refs + bindings.count : nullptr;
  if (params.constants_size > 0) std::memcpy(refs + bindings.count, params.constants, params.constants_size);
  return copy;
}

/// Of one that has shapes or numbers.
[[gnu::noinline]] DispatchCopy* CopyUnusualParams(Arena& arena, const hal_dispatch_params_t& params) {
  const auto numbers = NumberRefs(params);
  DispatchCopy* const copy = numbers.empty() ? CopyParams<DispatchCopy::kWithoutNumbers>(arena, params)
                                             : CopyParams<sizeof(params)>(arena, params);
  if (params.binding_shapes) {
    copy->params.binding_shapes = CopyShapes(arena, params.binding_shapes, params.bindings.count);
  }
  if (!numbers.empty()) copy->params.numbers = arena.Copy(numbers.data(), numbers.size());
  return copy;
}

const hal_command_t* CopyDispatch(Arena& arena, const hal_command_dispatch_t& dispatch) {
  const hal_dispatch_params_t& params = *dispatch.params;
  const bool is_plain = !params.binding_shapes && NumberRefs(params).empty();
  DispatchCopy* const copy =
      is_plain ? CopyParams<DispatchCopy::kWithoutNumbers>(arena, params) : CopyUnusualParams(arena, params);
  void* const head = IsIndirect(dispatch) ? arena.Allocate(sizeof(DispatchHead)) : copy->head();
  new (head) DispatchHead{HAL_COMMAND_TYPE_DISPATCH, 0, {dispatch.executable, dispatch.ordinal, 0, &copy->params}};
  return static_cast<const hal_command_t*>(head);
}

}  // namespace

const hal_command_t* CopyCommand(Arena& arena, const hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_DISPATCH) return CopyDispatch(arena, command.u.dispatch);
  hal_command_t* const copy = arena.Copy(&command, 1);
  Visit(command, commands::ArrayCopier{arena, copy});
  return copy;
}

const hal_command_t* FillNumbers(Arena& arena, const hal_command_t& recorded, std::span<const std::byte> block) {
  struct Filled {
    DispatchHead head;
    hal_dispatch_params_t params;
  };
  static_assert(sizeof(Filled) % 16 == 0);
  const hal_command_dispatch_t& dispatch = recorded.u.dispatch;
  void* const memory = arena.Allocate(sizeof(Filled) + dispatch.params->constants_size);
  auto* const filled = new (memory) Filled{{HAL_COMMAND_TYPE_DISPATCH, 0, dispatch}, *dispatch.params};
  hal_dispatch_params_t& params = filled->params;
  auto* const constants = reinterpret_cast<std::byte*>(filled + 1);
  auto* const count = reinterpret_cast<std::byte*>(&params.workgroup_count);
  if (params.constants_size > 0) std::memcpy(constants, params.constants, params.constants_size);
  for (const hal_number_ref_t& ref : NumberRefs(params)) {
    std::byte* const target = ref.kind == HAL_NUMBER_KIND_CONSTANTS ? constants : count;
    std::memcpy(target + ref.target_offset, block.data() + ref.offset, ref.length);
  }
  if (params.constants_size > 0) params.constants = constants;
  params.numbers = nullptr;
  params.number_count = 0;
  filled->head.dispatch.params = &params;
  return reinterpret_cast<const hal_command_t*>(filled);
}

void RetainObjects(const hal_command_t& copy, const hal_command_t* before) noexcept {
  VisitObjects(copy, before, [](auto* object) { Retain(object); });
}

void ReleaseObjects(const hal_command_t& copy, const hal_command_t* before) noexcept {
  VisitObjects(copy, before, [](auto* object) { Release(object); });
}

}  // namespace halyard
