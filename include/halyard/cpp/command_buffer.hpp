// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Recordings in C++.
#ifndef HALYARD_CPP_COMMAND_BUFFER_HPP_
#define HALYARD_CPP_COMMAND_BUFFER_HPP_

#include <span>
#include <string_view>

#include "halyard/command_buffer.h"
#include "halyard/cpp/executable.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/memory.hpp"
#include "halyard/event.h"

HAL_CPP_BEGIN

/// A split barrier in a command buffer.
class Event : public Handle<hal_event_t, hal_event_retain, hal_event_release> {
 public:
  using Handle::Handle;
  static Returned<Event> Create(hal_device_t* device) {
    return detail::Make<Event>([&](auto** out) { return hal_event_create(device, out); });
  }
  Event Share() const { return Event(Retained()); }
};

/// Recorded commands.
class CommandBuffer : public Handle<hal_command_buffer_t, hal_command_buffer_retain, hal_command_buffer_release> {
 public:
  using Handle::Handle;
  static Returned<CommandBuffer> Create(
      hal_device_t* device, const hal_command_buffer_params_t& params = HAL_INIT(hal_command_buffer_params_t)) {
    return detail::Make<CommandBuffer>([&](auto** out) { return hal_command_buffer_create(device, &params, out); });
  }
  CommandBuffer Share() const { return CommandBuffer(Retained()); }

  Done Begin() const { return detail::Finish(hal_command_buffer_begin(get())); }
  Done End() const { return detail::Finish(hal_command_buffer_end(get())); }
  Done Barrier() const { return detail::Finish(hal_command_buffer_barrier(get())); }
  /// With a pattern of 1, 2 or 4 bytes.
  template <Plain T>
  Done Fill(const Ref& target, const T& pattern) const {
    return detail::Finish(hal_command_buffer_fill(get(), target, &pattern, sizeof(pattern)));
  }
  /// The length is that of `target`, which `data` must have.
  Done Update(const void* data, const Ref& target) const {
    return detail::Finish(hal_command_buffer_update(get(), data, target));
  }
  Done Copy(const Ref& source, const Ref& target) const {
    return detail::Finish(hal_command_buffer_copy(get(), source, target));
  }
  Done CopyStrided(const hal_strided_copy_params_t& params) const {
    return detail::Finish(hal_command_buffer_copy_strided(get(), &params));
  }
  Done Dispatch(hal_executable_t* executable, uint32_t ordinal, const hal_dispatch_params_t& params) const {
    return detail::Finish(hal_command_buffer_dispatch(get(), executable, ordinal, &params));
  }
  Done Dispatch(hal_executable_t* executable, uint32_t ordinal, const class Dispatch& dispatch) const {
    return Dispatch(executable, ordinal, dispatch.params());
  }
  Done SignalEvent(hal_event_t* event) const { return detail::Finish(hal_command_buffer_signal_event(get(), event)); }
  Done WaitEvents(std::span<hal_event_t* const> events) const {
    return detail::Finish(hal_command_buffer_wait_events(get(), events.size(), events.data()));
  }
  Done BeginDebugGroup(std::string_view label) const {
    return detail::Finish(hal_command_buffer_begin_debug_group(get(), View(label)));
  }
  Done EndDebugGroup() const { return detail::Finish(hal_command_buffer_end_debug_group(get())); }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_COMMAND_BUFFER_HPP_
