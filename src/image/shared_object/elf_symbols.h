// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which symbols a shared object exports and takes from others, found without loading it.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_ELF_SYMBOLS_H_
#define HALYARD_IMAGE_SHARED_OBJECT_ELF_SYMBOLS_H_

#include <optional>
#include <string_view>

#include "base/host_memory.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// Names that point into an image.
using ElfNames = HostVector<std::string_view>;

/// The defined symbols of a 64-bit little-endian ELF file's dynamic symbol table. Nothing if it has none that could be
/// read: another kind of file, no section headers, a table that does not lie inside the file, or symbols that share
/// their names so often that these are longer than the file.
std::optional<ElfNames> FindElfSymbols(Bytes image);
/// The symbols that such a file needs of others, except weak ones. Nothing as above.
std::optional<ElfNames> FindElfImports(Bytes image);
/// The libraries that such a file names as those to take symbols from. Nothing as above.
std::optional<ElfNames> FindElfLibraries(Bytes image);

/// What a shared object would miss if it were loaded into this process.
struct UnresolvedImports {
  HostVector<HostString> libraries;    ///< that it names and that cannot be loaded
  HostVector<HostString> symbols;      ///< that neither this process nor its libraries have; weak ones do not count
  static constexpr size_t kMost = 64;  ///< of each: the search ends there

  bool empty() const { return libraries.empty() && symbols.empty(); }
};
/// Looks for all that is missing, up to a limit, where the system's loader stops at the first. Loads the libraries that
/// the object names, not the object. Empty for what is no 64-bit little-endian ELF file.
UnresolvedImports FindUnresolvedImports(Bytes image);

/// "calls 'a', 'b', which nothing provides", "needs 'liba.so', which cannot be loaded", or both.
HostString UnresolvedText(const UnresolvedImports& missing);

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_ELF_SYMBOLS_H_
