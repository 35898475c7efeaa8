// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/thread_end.h"

#include <cxxabi.h>
#include <unwind.h>

#include <cstddef>
#include <cstring>
#include <exception>

namespace halyard {

#if defined(__GLIBC__) && defined(__LP64__)
namespace {

/// The head of a caught exception, up to the unwinder's part, as the Itanium C++ ABI (2.2.1) orders its members.
struct CaughtHead {
#ifdef _LIBCPP_VERSION
  void* reserve;
  size_t reference_count;
#endif
  void* type;
  void* destructor;
  void* unexpected_handler;
  void* terminate_handler;
  void* next;
  int handler_count;
  int handler_switch_value;
  void* action_record;
  void* language_specific_data;
  void* catch_temporary;
  void* adjusted_pointer;
  _Unwind_Exception unwind;
};

/// The exception that the innermost catch block has caught. The first member of the ABI's globals points to its head.
_Unwind_Exception* Caught() noexcept {
  CaughtHead* head = nullptr;
  std::memcpy(&head, abi::__cxa_get_globals(), sizeof(head));
  return head ? &head->unwind : nullptr;
}

}  // namespace

// glibc's is of no language's class, and has a function to stop at, which marks a forced unwind. Its clean-up function,
// which the end of the catch block calls, is what aborts.
bool KeepThread() noexcept {
  if (std::current_exception()) return false;
  _Unwind_Exception* const caught = Caught();
  if (!caught || caught->exception_class != 0 || caught->private_1 == 0) return false;
  caught->exception_cleanup = nullptr;
  return true;
}
#else
// Other C libraries end a thread without unwinding it.
bool KeepThread() noexcept { return false; }
#endif

}  // namespace halyard
