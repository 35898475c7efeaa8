// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading numbers and texts from bytes that may be anything.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_BYTES_H_
#define HALYARD_IMAGE_SHARED_OBJECT_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace halyard {

using Bytes = std::span<const std::byte>;

/// Whether `size` bytes from `offset` on lie inside, whatever the two numbers are.
inline bool IsInside(Bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// A little-endian number, from any address. It must lie inside.
template <class T>
T ReadUint(Bytes bytes, uint64_t offset) {
  T value = 0;
  for (size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(static_cast<uint64_t>(value) << 8 | std::to_integer<uint64_t>(bytes[offset + i]));
  }
  return value;
}

inline std::string_view AsText(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The text from `offset` to its zero byte; nothing if it has none within 64 KiB.
inline std::optional<std::string_view> TextAt(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const std::string_view rest = AsText(bytes.subspan(offset)).substr(0, size_t{1} << 16);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_BYTES_H_
