// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters with readable names, alone and in combination: `Combine(Routes(), Numbers("From", {0, 1, 3}))` makes the
// cases Queue_From0, Queue_From1, …
#ifndef HALYARD_TESTS_CTS_PARAMETERS_H_
#define HALYARD_TESTS_CTS_PARAMETERS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace halyard::cts {

/// A number that says what it counts.
struct Number {
  std::string name;
  uint64_t value;

  operator uint64_t() const { return value; }  // NOLINT(google-explicit-constructor): that is the point
};
inline std::string NameOf(const Number& number) { return number.name; }
inline void PrintTo(const Number& number, std::ostream* out) { *out << number.name; }

/// Numbers as parameters, named `prefix` and the number.
inline auto Numbers(const std::string& prefix, std::initializer_list<uint64_t> values) {
  std::vector<Number> numbers;
  for (const uint64_t value : values) numbers.push_back({prefix + std::to_string(value), value});
  return testing::ValuesIn(numbers);
}

/// What `NameOf` says of a parameter that is an entry of a table.
template <class T>
requires requires(const T& entry) { std::string(entry.name); }
std::string NameOf(const T& entry) { return entry.name; }

/// A name generator for parameters that are tuples: the names of their parts.
inline constexpr auto ByParts = [](const auto& info) {
  return std::apply(
      [](const auto&... parts) {
        std::string name;
        ((name += (name.empty() ? "" : "_") + NameOf(parts)), ...);
        return name;
      },
      info.param);
};
/// A name generator for parameters that `NameOf` knows.
inline constexpr auto ByNameOf = [](const auto& info) { return NameOf(info.param); };

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_PARAMETERS_H_
