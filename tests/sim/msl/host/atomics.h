// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's atomic types, and its barriers, which the program runs.
#pragma once
#include "library_abi.h"
#include "types.h"

namespace hal_msl {
inline const halyard::msl_host::abi::Host* host = nullptr;
// Both compiles see these through a pointer to any address space.
template <class A>
auto* cell(A* object) {
  return (typename plain<A>::value_type*)&object->value;
}
}  // namespace hal_msl

namespace metal {

enum memory_order {
  memory_order_relaxed,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
enum class mem_flags {
  mem_none = 0,
  mem_device = 1,
  mem_threadgroup = 2,
  mem_texture = 4,
  mem_threadgroup_imageblock = 8
};
constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }
enum thread_scope { thread_scope_thread, thread_scope_threadgroup, thread_scope_device, thread_scope_simdgroup };

template <class T>
struct atomic {
  typedef T value_type;
  T value;
};
typedef atomic<int> atomic_int;
typedef atomic<uint> atomic_uint;
typedef atomic<ulong> atomic_ulong;
typedef atomic<bool> atomic_bool;
typedef atomic<float> atomic_float;

template <class A>
auto atomic_load_explicit(A* object, memory_order) {
  typename hal_msl::plain<A>::value_type value;
  __atomic_load(hal_msl::cell(object), &value, __ATOMIC_RELAXED);
  return value;
}
template <class A>
void atomic_store_explicit(A* object, typename hal_msl::plain<A>::value_type value, memory_order) {
  __atomic_store(hal_msl::cell(object), &value, __ATOMIC_RELAXED);
}
template <class A>
auto atomic_exchange_explicit(A* object, typename hal_msl::plain<A>::value_type value, memory_order) {
  typename hal_msl::plain<A>::value_type before;
  __atomic_exchange(hal_msl::cell(object), &value, &before, __ATOMIC_RELAXED);
  return before;
}
template <class A, class E>
bool atomic_compare_exchange_weak_explicit(A* object, E* expected, typename hal_msl::plain<A>::value_type desired,
                                           memory_order, memory_order) {
  typename hal_msl::plain<A>::value_type before = *expected;
  const bool done =
      __atomic_compare_exchange(hal_msl::cell(object), &before, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (!done) *expected = before;
  return done;
}
#define HAL_MSL_FETCH(NAME)                                                                                    \
  template <class A>                                                                                           \
  auto atomic_fetch_##NAME##_explicit(A* object, typename hal_msl::plain<A>::value_type value, memory_order) { \
    return __atomic_fetch_##NAME(hal_msl::cell(object), value, __ATOMIC_RELAXED);                              \
  }
HAL_MSL_FETCH(add)
HAL_MSL_FETCH(sub)
HAL_MSL_FETCH(and)
HAL_MSL_FETCH(or)
HAL_MSL_FETCH(xor) HAL_MSL_FETCH(min) HAL_MSL_FETCH(max)
#undef HAL_MSL_FETCH

    inline void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void threadgroup_barrier(mem_flags, thread_scope = thread_scope_threadgroup) {
  hal_msl::host->threadgroup_barrier();
}
inline void simdgroup_barrier(mem_flags, thread_scope = thread_scope_simdgroup) { hal_msl::host->simdgroup_barrier(); }

}  // namespace metal
