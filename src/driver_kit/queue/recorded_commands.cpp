// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/recorded_commands.h"

namespace halyard {

void RecordedCommands::Append(const hal_command_t& command) {
  hal_command_t copy = command;
  switch (copy.type) {
    case HAL_COMMAND_TYPE_FILL:
      Own(copy.u.fill.target);
      break;
    case HAL_COMMAND_TYPE_UPDATE: {
      hal_command_update_t& update = copy.u.update;
      Own(update.target);
      update.data = arena_.Copy(static_cast<const char*>(update.data), static_cast<size_t>(update.target.length));
      break;
    }
    case HAL_COMMAND_TYPE_COPY:
      Own(copy.u.copy.source);
      Own(copy.u.copy.target);
      break;
    case HAL_COMMAND_TYPE_COPY_STRIDED: {
      const hal_strided_copy_params_t*& params = copy.u.copy_strided.params;
      Own(params->source);
      Own(params->target);
      params = arena_.Copy(params, 1);
      break;
    }
    case HAL_COMMAND_TYPE_DISPATCH:
      OwnDispatch(copy.u.dispatch);
      break;
    case HAL_COMMAND_TYPE_SIGNAL_EVENT:
    case HAL_COMMAND_TYPE_RESET_EVENT:
      retained_.Add(copy.u.event.event);
      break;
    case HAL_COMMAND_TYPE_WAIT_EVENTS:
      OwnWaitEvents(copy.u.wait_events);
      break;
    case HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP: {
      hal_string_view_t& label = copy.u.debug_group.label;
      label.data = arena_.Copy(label.data, label.size);
      break;
    }
    default:
      break;
  }
  commands_.push_back(copy);
}

void RecordedCommands::OwnDispatch(hal_command_dispatch_t& dispatch) {
  hal_dispatch_params_t& params = *arena_.Copy(dispatch.params, 1);
  dispatch.params = &params;
  retained_.Add(dispatch.executable);
  if (params.flags & HAL_DISPATCH_INDIRECT) Own(params.indirect);
  params.constants = arena_.Copy(static_cast<const char*>(params.constants), params.constants_size);
  params.bindings.refs = arena_.Copy(params.bindings.refs, params.bindings.count);
  for (size_t i = 0; i < params.bindings.count; ++i) Own(params.bindings.refs[i]);
  if (params.binding_shapes) params.binding_shapes = CopyShapes(params.binding_shapes, params.bindings.count);
}

const hal_shape_t* RecordedCommands::CopyShapes(const hal_shape_t* shapes, size_t count) {
  if (count == 0) return nullptr;
  auto* const copies = static_cast<hal_shape_t*>(arena_.Allocate(count * sizeof(hal_shape_t)));
  for (size_t i = 0; i < count; ++i) {
    copies[i] = shapes[i];
    copies[i].sizes = arena_.Copy(shapes[i].sizes, shapes[i].rank);
    if (shapes[i].strides) copies[i].strides = arena_.Copy(shapes[i].strides, shapes[i].rank);
  }
  return copies;
}

void RecordedCommands::OwnWaitEvents(hal_command_wait_events_t& wait) {
  wait.events = arena_.Copy(wait.events, wait.event_count);
  for (size_t i = 0; i < wait.event_count; ++i) retained_.Add(wait.events[i]);
}

void RecordedCommands::Clear() noexcept {
  commands_.clear();
  arena_.Clear();
  retained_.Clear();
}

}  // namespace halyard
