// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which symbols a shared object exports, found without loading it.
#ifndef HALYARD_TOOLS_PACK_ELF_SYMBOLS_H_
#define HALYARD_TOOLS_PACK_ELF_SYMBOLS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// The defined symbols of a 64-bit little-endian ELF file's dynamic symbol table. Nothing if it has none that could be
/// read: another kind of file, no section headers, a table that does not lie inside the file.
std::optional<std::vector<std::string_view>> FindElfSymbols(std::span<const std::byte> image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_ELF_SYMBOLS_H_
