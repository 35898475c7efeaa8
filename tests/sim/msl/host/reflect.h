// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generated end of a text uses: how kernels get their arguments, and the tables that describe them.
#pragma once
#include "library_abi.h"
#include "types.h"

namespace hal_msl {

namespace abi = halyard::msl_host::abi;

template <class T>
using pointed = __remove_pointer(__remove_reference_t(T));
template <class T>
inline constexpr bool is_pointer = __is_pointer(T) || __is_reference(T);
template <class T>
inline constexpr bool is_writable = !__is_const(pointed<T>);

// The types of a kernel's arguments, without the first, which its text does not have.
template <class F>
struct parameters;
template <class R, class... A>
struct parameters<R (*)(const abi::Item&, A...)> {
  template <int i>
  using at = __type_pack_element<i, A...>;
};

template <class T>
T passed(void* address) {
  if constexpr (__is_reference(T)) {
    return *static_cast<__remove_reference_t(T)*>(address);
  } else {
    return static_cast<T>(address);
  }
}
template <class T>
T place(const unsigned (&values)[3]) {
  if constexpr (Vector<T>) {
    T result;
    for (int i = 0; i < components<T>; ++i) result[i] = static_cast<element<T>>(values[i]);
    return result;
  } else {
    return static_cast<T>(values[0]);
  }
}
inline unsigned threads(const abi::Item& item) { return item.size[0] * item.size[1] * item.size[2]; }

template <class S>
inline constexpr abi::Members members_of = {nullptr, 0};

template <class T>
constexpr unsigned long size_of() {
  if constexpr (__is_void(T))
    return 1;
  else
    return sizeof(T);
}
template <class T>
constexpr unsigned long alignment_of() {
  if constexpr (__is_void(T))
    return 1;
  else
    return alignof(T);
}
template <class T>
constexpr abi::ArgumentEntry argument(const char* name, unsigned space, unsigned index) {
  typedef pointed<T> P;
  return {name, space, index, is_writable<T>, size_of<P>(), alignment_of<P>(), members_of<__remove_cv(P)>};
}
template <class T>
struct held {
  T value;  // of which a reference is as long as a pointer
};
template <class T>
constexpr abi::MemberEntry member(const char* name, unsigned id, unsigned long offset) {
  return {name, id, offset, sizeof(held<T>), alignof(held<T>), is_pointer<T>, is_pointer<T> && is_writable<T>};
}

// Types of function constants, as msl_host.h numbers them.
template <class T, class... Types>
constexpr unsigned place_among() {
  unsigned place = 0;
  (void)((__is_same(T, Types) || (++place, false)) || ...);
  static_assert((__is_same(T, Types) || ...), "a function constant has to be a scalar");
  return place;
}
template <class T>
inline constexpr unsigned constant_type =
    place_among<T, bool, int, uint, short, ushort, char, uchar, float, half, long, ulong>();

// A threadgroup variable of a kernel: its memory is the program's, which learns its size when the library is loaded.
template <int kernel, int variable>
inline unsigned long variable_size = 0;
template <class T, int kernel, int variable>
struct threadgroup_variable {
  static inline const bool counted = [] {
    variable_size<kernel, variable> = sizeof(T);
    return true;
  }();
  static T& in(const abi::Item& item) {
    (void)&counted;
    return *static_cast<T*>(item.threadgroup_variables[variable]);
  }
};

}  // namespace hal_msl
