// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts binary files together.
#ifndef HALYARD_TESTS_UNTRUSTED_BYTES_WRITER_H_
#define HALYARD_TESTS_UNTRUSTED_BYTES_WRITER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace halyard::testing {

/// Appends a number or a plain struct as it lies in memory; tests run on little-endian hosts.
template <class T>
void Append(std::string* out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline void AppendZeros(std::string* out, size_t multiple) {
  out->resize((out->size() + multiple - 1) / multiple * multiple);
}

/// "aaa", "aab": one for each number, without characters that a format could mind.
inline std::string ShortName(size_t number) {
  std::string name(3, 'a');
  for (size_t i = name.size(); i-- > 0; number /= 52) {
    const auto letter = static_cast<char>(number % 52);
    name[i] = static_cast<char>(letter < 26 ? 'a' + letter : 'A' + letter - 26);
  }
  return name;
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNTRUSTED_BYTES_WRITER_H_
