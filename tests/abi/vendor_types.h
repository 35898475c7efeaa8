// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates types of our declarations of a vendor's API into the vendor's own, so that whole signatures can be
// compared.
#ifndef HALYARD_TESTS_ABI_VENDOR_TYPES_H_
#define HALYARD_TESTS_ABI_VENDOR_TYPES_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace halyard::abi_test {

// A type without a translation stands for itself: numbers, void, characters.
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

// Says that `ours::type` is the vendor's `type`, and checks that both have one size and one alignment.
#define HALYARD_SAME_TYPE(ours, name)                                                 \
  template <>                                                                         \
  struct halyard::abi_test::Vendor<ours::name> {                                      \
    using type = ::name;                                                              \
  };                                                                                  \
  static_assert(sizeof(ours::name) == sizeof(::name), #name " has a different size"); \
  static_assert(alignof(ours::name) == alignof(::name), #name " has a different alignment")

// Says that two opaque handles are the same.
#define HALYARD_SAME_HANDLE(ours, name)                                 \
  template <>                                                           \
  struct halyard::abi_test::Vendor<std::remove_pointer_t<ours::name>> { \
    using type = std::remove_pointer_t<::name>;                         \
  };                                                                    \
  static_assert(std::is_pointer_v<::name>, #name " is not an opaque pointer")

// Checks that a member lies at the same place and has the same type.
#define HALYARD_SAME_MEMBER(ours, name, member)                                                                  \
  static_assert(offsetof(ours::name, member) == offsetof(::name, member), #name "::" #member " lies elsewhere"); \
  static_assert(std::is_same_v<halyard::abi_test::VendorType<decltype(std::declval<ours::name&>().member)>,      \
                               decltype(std::declval<::name&>().member)>,                                        \
                #name "::" #member " has a different type");

// The same for a list of members. The preprocessor expands no macro inside itself: so each member leaves the name of
// the macro for the next one behind, and HALYARD_SCAN_27 has it read as often as it says.
#define HALYARD_SAME_MEMBERS(ours, name, ...)                    \
  HALYARD_SCAN_27(HALYARD_FIRST_MEMBER(ours, name, __VA_ARGS__)) \
  static_assert(true)
#define HALYARD_FIRST_MEMBER(ours, name, member, ...) \
  HALYARD_SAME_MEMBER(ours, name, member)             \
  __VA_OPT__(HALYARD_OTHER_MEMBERS HALYARD_PARENTHESES(ours, name, __VA_ARGS__))
#define HALYARD_OTHER_MEMBERS() HALYARD_FIRST_MEMBER
#define HALYARD_PARENTHESES ()
#define HALYARD_SCAN_27(...) HALYARD_SCAN_9(HALYARD_SCAN_9(HALYARD_SCAN_9(__VA_ARGS__)))
#define HALYARD_SCAN_9(...) HALYARD_SCAN_3(HALYARD_SCAN_3(HALYARD_SCAN_3(__VA_ARGS__)))
#define HALYARD_SCAN_3(...) HALYARD_SCAN(HALYARD_SCAN(HALYARD_SCAN(__VA_ARGS__)))
#define HALYARD_SCAN(...) __VA_ARGS__

#define HALYARD_SAME_STRUCT(ours, name, ...) \
  HALYARD_SAME_TYPE(ours, name);             \
  HALYARD_SAME_MEMBERS(ours, name, __VA_ARGS__)

#endif  // HALYARD_TESTS_ABI_VENDOR_TYPES_H_
