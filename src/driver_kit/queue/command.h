// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of commands: their list, and what each of them refers to and points to.
//
// Code that depends on a command's kind is a set of overloads that Visit() calls, so that a kind which it has forgotten
// does not compile. A new kind is an entry of the list and its overloads here; the compiler names the other places.
#ifndef HALYARD_DRIVER_KIT_QUEUE_COMMAND_H_
#define HALYARD_DRIVER_KIT_QUEUE_COMMAND_H_

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/arena.h"
#include "base/overloaded.h"
#include "driver_kit/queue/kinds.h"
#include "halyard/driver_api.h"

namespace halyard {

/// What a visitor gets of the commands that run nothing. Commands that are work are the structs of driver_api.h.
namespace commands {

struct NoWork {};
/// Orders the work around it.
struct Order : NoWork {};
struct Barrier : Order {};
struct SignalEvent : Order {
  hal_event_t* event;
};
struct WaitEvents : Order {
  hal_event_t* const* events;
  size_t count;
};
/// Names the work around it, for tools.
struct Label : NoWork {};
struct BeginGroup : Label {
  hal_string_view_t label;
};
struct EndGroup : Label {};

template <class Command>
concept Work = !std::derived_from<Command, NoWork>;

}  // namespace commands

/// X(type, name, what a visitor gets of a command `c`)
#define HALYARD_COMMANDS(X)                                                                                   \
  X(HAL_COMMAND_TYPE_BARRIER, "barrier", commands::Barrier{})                                                 \
  X(HAL_COMMAND_TYPE_FILL, "fill", c.u.fill)                                                                  \
  X(HAL_COMMAND_TYPE_UPDATE, "update", c.u.update)                                                            \
  X(HAL_COMMAND_TYPE_COPY, "copy", c.u.copy)                                                                  \
  X(HAL_COMMAND_TYPE_DISPATCH, "dispatch", c.u.dispatch)                                                      \
  X(HAL_COMMAND_TYPE_SIGNAL_EVENT, "signal_event", commands::SignalEvent{{}, c.u.event.event})                \
  X(HAL_COMMAND_TYPE_WAIT_EVENTS, "wait_events",                                                              \
    commands::WaitEvents{{}, c.u.wait_events.events, c.u.wait_events.event_count})                            \
  X(HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP, "begin_debug_group", commands::BeginGroup{{}, c.u.debug_group.label}) \
  X(HAL_COMMAND_TYPE_END_DEBUG_GROUP, "end_debug_group", commands::EndGroup{})                                \
  X(HAL_COMMAND_TYPE_COPY_STRIDED, "copy_strided", *c.u.copy_strided.params)

/// What records call a command; empty for a kind that this driver does not know.
inline std::string_view CommandName(hal_command_type_t type) {
  switch (type) {
    HALYARD_COMMANDS(HALYARD_RETURN_NAME)
    case HAL_COMMAND_TYPE_FORCE_32:
      break;
  }
  return {};
}

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
/// Calls `visitor` with the command as its kind, and returns what `visitor` returns. The kind is a known one: a driver
/// refuses others when the core asks (CheckKnownCommand()).
template <class Visitor>
[[gnu::always_inline]] inline decltype(auto) Visit(const hal_command_t& c, Visitor&& visitor) {
  switch (c.type) {
    HALYARD_COMMANDS(HALYARD_RETURN_VISIT)  // NOLINT(cppcoreguidelines-slicing)
    case HAL_COMMAND_TYPE_FORCE_32:
      break;
  }
  __builtin_unreachable();
}
#pragma GCC diagnostic pop

/// Visit() for a visitor of work only. What runs nothing gives the result's default: kOk, false, nothing.
template <class Visitor>
[[gnu::always_inline]] inline auto VisitWork(const hal_command_t& command, Visitor&& visitor) {
  using Result = decltype(visitor(std::declval<const hal_command_fill_t&>()));
  return Visit(command, [&]<class Command>(const Command& one) -> Result {
    if constexpr (commands::Work<Command>) {
      return visitor(one);
    } else {
      return Result();
    }
  });
}

/// Whether a visitor gets a `Kind`, or what derives from it.
template <class Kind>
bool Is(const hal_command_t& command) {
  return Visit(command, []<class Command>(const Command&) { return std::derived_from<Command, Kind>; });
}

/// How a command uses a range of a buffer.
enum class RangeUse {
  kSource,   // a transfer reads it
  kTarget,   // a transfer writes it
  kBinding,  // a dispatch binds it
  kCounts,   // an indirect dispatch has its workgroup counts there
};

inline bool IsIndirect(const hal_command_dispatch_t& dispatch) {
  return (dispatch.params->flags & HAL_DISPATCH_INDIRECT) != 0;
}

/// What each execution gives of its constants and counts. Parameters may be too short to have any.
inline std::span<const hal_number_ref_t> NumberRefs(const hal_dispatch_params_t& params) {
  if (params.struct_size <= offsetof(hal_dispatch_params_t, numbers)) return {};
  return {params.numbers, params.number_count};
}
inline bool TakesNumbers(const hal_command_dispatch_t& dispatch) { return !NumberRefs(*dispatch.params).empty(); }

namespace commands {

/// A visitor that calls `visit(ref, use)` with the ranges of a command, and `visit(object)` with its other objects.
template <class Visitor>
struct Operands {
  const Visitor& visit;

  void operator()(Barrier) const {}
  void operator()(Label) const {}
  void operator()(SignalEvent one) const { visit(one.event); }
  void operator()(WaitEvents one) const {
    for (size_t i = 0; i < one.count; ++i) visit(one.events[i]);
  }
  void operator()(const hal_command_fill_t& one) const { visit(one.target, RangeUse::kTarget); }
  void operator()(const hal_command_update_t& one) const { visit(one.target, RangeUse::kTarget); }
  void operator()(const hal_command_copy_t& one) const { VisitSides(one); }
  void operator()(const hal_strided_copy_params_t& one) const { VisitSides(one); }
  void operator()(const hal_command_dispatch_t& one) const {
    const hal_dispatch_params_t& params = *one.params;
    visit(one.executable);
    for (size_t i = 0; i < params.bindings.count; ++i) visit(params.bindings.refs[i], RangeUse::kBinding);
    if (IsIndirect(one)) visit(params.indirect, RangeUse::kCounts);
  }

  template <class Copy>
  void VisitSides(const Copy& copy) const {
    visit(copy.source, RangeUse::kSource);
    visit(copy.target, RangeUse::kTarget);
  }
};

/// A visitor that gives `copy`, which has the same fields, copies in `arena` of what the command points to. A dispatch
/// is copied as a whole (command_copy.cpp).
struct ArrayCopier {
  Arena& arena;
  hal_command_t* copy;

  void operator()(Order) const {}
  void operator()(EndGroup) const {}
  void operator()(const hal_command_fill_t&) const {}
  void operator()(const hal_command_copy_t&) const {}
  void operator()(const hal_command_dispatch_t&) const {}
  void operator()(WaitEvents one) const { copy->u.wait_events.events = arena.Copy(one.events, one.count); }
  void operator()(BeginGroup one) const { copy->u.debug_group.label.data = arena.Copy(one.label.data, one.label.size); }
  void operator()(const hal_command_update_t& one) const {
    copy->u.update.data = arena.Copy(static_cast<const char*>(one.data), static_cast<size_t>(one.target.length));
  }
  void operator()(const hal_strided_copy_params_t& one) const { copy->u.copy_strided.params = arena.Copy(&one, 1); }
};

}  // namespace commands

/// Calls `use(ref, RangeUse)` with each range of a command.
template <class Use>
void ForEachRange(const hal_command_t& command, const Use& use) {
  const Overloaded visit{[&](const hal_buffer_ref_t& ref, RangeUse how) { use(ref, how); }, [](auto*) {}};
  Visit(command, commands::Operands<decltype(visit)>{visit});
}

/// Calls `visit` with each object that a recording of the command retains: buffers, which may be NULL, and others.
template <class Visitor>
void ForEachObject(const hal_command_t& command, const Visitor& visitor) {
  const Overloaded visit{[&](const hal_buffer_ref_t& ref, RangeUse) { visitor(ref.buffer); },
                         [&](auto* object) { visitor(object); }};
  Visit(command, commands::Operands<decltype(visit)>{visit});
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_COMMAND_H_
