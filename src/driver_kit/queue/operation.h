// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of queue operations.
//
// Code that depends on an operation's kind is a set of overloads that Visit() calls, so that a kind which it has
// forgotten does not compile.
#ifndef HALYARD_DRIVER_KIT_QUEUE_OPERATION_H_
#define HALYARD_DRIVER_KIT_QUEUE_OPERATION_H_

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/overloaded.h"
#include "driver_kit/queue/kinds.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A class for each kind. What several have in common is a base, for which one overload is enough.
namespace operations {

/// What a device does, or would do if it had what it takes.
struct OfDevice {};
struct Barrier : OfDevice {};
/// One command, or those of a command buffer.
struct Commands : OfDevice {};
struct Command : Commands {};
struct Execute : Commands {};
/// Of a queue allocation.
struct Memory : OfDevice {};
struct Alloca : Memory {};
struct Dealloca : Memory {};

/// What a thread of the host does.
struct OfHost {};
/// Moves bytes between a file and a buffer.
struct Io : OfHost {};
struct Read : Io {};
struct Write : Io {};
struct HostCall : OfHost {};

}  // namespace operations

/// X(type, name, what a visitor gets)
#define HALYARD_OPERATIONS(X)                                              \
  X(HAL_QUEUE_OPERATION_TYPE_BARRIER, "barrier", operations::Barrier{})    \
  X(HAL_QUEUE_OPERATION_TYPE_COMMAND, "command", operations::Command{})    \
  X(HAL_QUEUE_OPERATION_TYPE_EXECUTE, "execute", operations::Execute{})    \
  X(HAL_QUEUE_OPERATION_TYPE_ALLOCA, "alloca", operations::Alloca{})       \
  X(HAL_QUEUE_OPERATION_TYPE_DEALLOCA, "dealloca", operations::Dealloca{}) \
  X(HAL_QUEUE_OPERATION_TYPE_READ, "read", operations::Read{})             \
  X(HAL_QUEUE_OPERATION_TYPE_WRITE, "write", operations::Write{})          \
  X(HAL_QUEUE_OPERATION_TYPE_HOST_CALL, "host_call", operations::HostCall{})

/// What records call an operation; empty for a kind that this driver does not know.
inline std::string_view OperationName(hal_queue_operation_type_t type) {
  switch (type) {
    HALYARD_OPERATIONS(HALYARD_RETURN_NAME)
    case HAL_QUEUE_OPERATION_TYPE_FORCE_32:
      break;
  }
  return {};
}

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
/// Calls `visitor` with the class of the kind, and returns what `visitor` returns. The kind is a known one: a device
/// refuses others when they are submitted (SubmitKnown()).
template <class Visitor>
[[gnu::always_inline]] inline decltype(auto) Visit(hal_queue_operation_type_t type, Visitor&& visitor) {
  if (OperationName(type).empty()) __builtin_unreachable();
  switch (type) {
    HALYARD_OPERATIONS(HALYARD_RETURN_VISIT)
    case HAL_QUEUE_OPERATION_TYPE_FORCE_32:
      break;
  }
  __builtin_unreachable();
}
#pragma GCC diagnostic pop

/// EXECUTE: the block of numbers; empty if there is none.
inline std::span<const std::byte> NumbersOf(const hal_queue_operation_t& operation) {
  if (operation.struct_size <= offsetof(hal_queue_operation_t, numbers)) return {};
  return {static_cast<const std::byte*>(operation.numbers), operation.numbers_size};
}

/// Where the application asks for the times of an operation; NULL if it does not.
inline hal_operation_times_t* TimesOf(const hal_queue_operation_t& operation) {
  return operation.struct_size > offsetof(hal_queue_operation_t, out_times) ? operation.out_times : nullptr;
}

/// Whether a kind is a `Base`.
template <class Base>
bool Is(hal_queue_operation_type_t type) {
  return Visit(type, []<class Kind>(Kind) { return std::derived_from<Kind, Base>; });
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_OPERATION_H_
