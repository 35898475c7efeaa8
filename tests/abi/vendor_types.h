// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates types of our declarations of a vendor's API into the vendor's own, so that whole signatures can be
// compared.
#ifndef HALYARD_TESTS_ABI_VENDOR_TYPES_H_
#define HALYARD_TESTS_ABI_VENDOR_TYPES_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace halyard::abi_test {

// A type that nobody translated stands for itself: numbers, void, characters.
template <typename T>
struct Vendor {
  using type = T;
};
template <typename T>
using VendorType = typename Vendor<T>::type;

template <typename T>
struct Vendor<const T> {
  using type = const VendorType<T>;
};
template <typename T>
struct Vendor<T*> {
  using type = VendorType<T>*;
};
template <typename T, auto kCount>
struct Vendor<T[kCount]> {
  using type = VendorType<T>[kCount];
};
template <typename Result, typename... Arguments>
struct Vendor<Result(Arguments...)> {
  using type = VendorType<Result>(VendorType<Arguments>...);
};

}  // namespace halyard::abi_test

// Says that `ours` is the vendor's `theirs`, and checks that both have one size and one alignment.
#define HALYARD_SAME_TYPE(ours, theirs)                                         \
  template <>                                                                   \
  struct halyard::abi_test::Vendor<ours> {                                      \
    using type = theirs;                                                        \
  };                                                                            \
  static_assert(sizeof(ours) == sizeof(theirs), #ours " has a different size"); \
  static_assert(alignof(ours) == alignof(theirs), #ours " has a different alignment")

// Says that two opaque handles are the same.
#define HALYARD_SAME_HANDLE(ours, theirs)                         \
  template <>                                                     \
  struct halyard::abi_test::Vendor<std::remove_pointer_t<ours>> { \
    using type = std::remove_pointer_t<theirs>;                   \
  };                                                              \
  static_assert(std::is_pointer_v<theirs>, #theirs " is not an opaque pointer")

// Checks that a member lies at the same place and has the same type.
#define HALYARD_SAME_MEMBER(ours, member, theirs, their_member)                                                  \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member), #ours "::" #member " lies elsewhere"); \
  static_assert(std::is_same_v<halyard::abi_test::VendorType<decltype(std::declval<ours&>().member)>,            \
                               decltype(std::declval<theirs&>().their_member)>,                                  \
                #ours "::" #member " has a different type")

#endif  // HALYARD_TESTS_ABI_VENDOR_TYPES_H_
