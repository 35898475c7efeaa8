// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/command_copy.h"

#include <cstddef>
#include <cstring>

#include "driver_kit/object/object.h"

namespace halyard {
namespace {

/// Calls `visit` with each object of a dispatch that the command before it has not at the same place.
template <class Visit>
void VisitDispatch(const hal_command_dispatch_t& dispatch, const hal_command_t* before, const Visit& visit) {
  const bool follows = before && before->type == HAL_COMMAND_TYPE_DISPATCH;
  const hal_dispatch_params_t& params = *dispatch.params;
  if (!follows || before->u.dispatch.executable != dispatch.executable) visit(dispatch.executable);
  if (params.flags & HAL_DISPATCH_INDIRECT) visit(params.indirect.buffer);
  const hal_buffer_ref_list_t earlier = follows ? before->u.dispatch.params->bindings : hal_buffer_ref_list_t{};
  for (size_t i = 0; i < params.bindings.count; ++i) {
    hal_buffer_t* const buffer = params.bindings.refs[i].buffer;
    if (i >= earlier.count || earlier.refs[i].buffer != buffer) visit(buffer);
  }
}

/// Calls `visit` with each object that a command names and has to keep by itself; they may be NULL.
template <class Visit>
void VisitObjects(const hal_command_t& command, const hal_command_t* before, const Visit& visit) {
  switch (command.type) {
    case HAL_COMMAND_TYPE_FILL:
      return visit(command.u.fill.target.buffer);
    case HAL_COMMAND_TYPE_UPDATE:
      return visit(command.u.update.target.buffer);
    case HAL_COMMAND_TYPE_COPY:
      visit(command.u.copy.source.buffer);
      return visit(command.u.copy.target.buffer);
    case HAL_COMMAND_TYPE_COPY_STRIDED:
      visit(command.u.copy_strided.params->source.buffer);
      return visit(command.u.copy_strided.params->target.buffer);
    case HAL_COMMAND_TYPE_DISPATCH:
      return VisitDispatch(command.u.dispatch, before, visit);
    case HAL_COMMAND_TYPE_SIGNAL_EVENT:
    case HAL_COMMAND_TYPE_RESET_EVENT:
      return visit(command.u.event.event);
    case HAL_COMMAND_TYPE_WAIT_EVENTS:
      for (size_t i = 0; i < command.u.wait_events.event_count; ++i) visit(command.u.wait_events.events[i]);
      return;
    default:
      return;
  }
}

const hal_shape_t* CopyShapes(Arena& arena, const hal_shape_t* shapes, size_t count) {
  hal_shape_t* const copies = arena.Copy(shapes, count);
  for (size_t i = 0; i < count; ++i) {
    copies[i].sizes = arena.Copy(shapes[i].sizes, shapes[i].rank);
    if (shapes[i].strides) copies[i].strides = arena.Copy(shapes[i].strides, shapes[i].rank);
  }
  return copies;
}

/// The parameters, the bindings and the constants in one piece. A direct dispatch has no use for `indirect`, so that
/// place has the command itself: of its 72 bytes a dispatch uses as many as a reference has, and the others, which are
/// the parameters' next fields, are not looked at.
const hal_command_t* CopyDispatch(Arena& arena, const hal_command_t& command) {
  static_assert(offsetof(hal_command_t, u) + sizeof(hal_command_dispatch_t) == sizeof(hal_buffer_ref_t));
  static_assert(offsetof(hal_dispatch_params_t, indirect) + sizeof(hal_command_t) <= sizeof(hal_dispatch_params_t));
  static_assert(sizeof(hal_dispatch_params_t) % 16 == 0 && sizeof(hal_buffer_ref_t) % 16 == 0);

  const hal_dispatch_params_t& params = *command.u.dispatch.params;
  const size_t bindings_size = params.bindings.count * sizeof(hal_buffer_ref_t);
  const size_t size = sizeof(params) + bindings_size + params.constants_size;
  char* const memory = static_cast<char*>(arena.Allocate(size, params.constants_size > 8 ? 16 : 8));
  std::memcpy(memory, &params, sizeof(params));
  auto* const copy = reinterpret_cast<hal_dispatch_params_t*>(memory);
  char* const bindings = memory + sizeof(params);
  if (bindings_size > 0) std::memcpy(bindings, params.bindings.refs, bindings_size);
  copy->bindings.refs = bindings_size > 0 ? reinterpret_cast<const hal_buffer_ref_t*>(bindings) : nullptr;
  char* const constants = bindings + bindings_size;
  if (params.constants_size > 0) std::memcpy(constants, params.constants, params.constants_size);
  copy->constants = params.constants_size > 0 ? constants : nullptr;
  if (params.binding_shapes) copy->binding_shapes = CopyShapes(arena, params.binding_shapes, params.bindings.count);

  const bool indirect = (params.flags & HAL_DISPATCH_INDIRECT) != 0;
  void* const place = indirect ? arena.Allocate(sizeof(command)) : &copy->indirect;
  auto* const head = static_cast<hal_command_t*>(place);
  head->type = HAL_COMMAND_TYPE_DISPATCH;
  head->reserved = 0;
  head->u.dispatch = {command.u.dispatch.executable, command.u.dispatch.ordinal, 0, copy};
  return head;
}

const hal_command_t* CopyToArena(Arena& arena, const hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_DISPATCH) return CopyDispatch(arena, command);
  hal_command_t* const copy = arena.Copy(&command, 1);
  switch (command.type) {
    case HAL_COMMAND_TYPE_UPDATE: {
      const hal_command_update_t& update = command.u.update;
      copy->u.update.data =
          arena.Copy(static_cast<const char*>(update.data), static_cast<size_t>(update.target.length));
      break;
    }
    case HAL_COMMAND_TYPE_COPY_STRIDED:
      copy->u.copy_strided.params = arena.Copy(command.u.copy_strided.params, 1);
      break;
    case HAL_COMMAND_TYPE_WAIT_EVENTS:
      copy->u.wait_events.events = arena.Copy(command.u.wait_events.events, command.u.wait_events.event_count);
      break;
    case HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP: {
      const hal_string_view_t& label = command.u.debug_group.label;
      copy->u.debug_group.label.data = arena.Copy(label.data, label.size);
      break;
    }
    default:
      break;
  }
  return copy;
}

}  // namespace

const hal_command_t* CopyCommand(Arena& arena, const hal_command_t& command, const hal_command_t* before) {
  const hal_command_t* const copy = CopyToArena(arena, command);
  VisitObjects(*copy, before, [](auto* object) { Retain(object); });
  return copy;
}

void ReleaseCommand(const hal_command_t& copy, const hal_command_t* before) noexcept {
  VisitObjects(copy, before, [](auto* object) { Release(object); });
}

}  // namespace halyard
