// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A relocatable object that was linked into this process.
#ifndef HALYARD_IMAGE_HOST_OBJECT_LINKED_OBJECT_H_
#define HALYARD_IMAGE_HOST_OBJECT_LINKED_OBJECT_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/host_object/code_arena.h"
#include "image/host_object/object_link.h"

namespace halyard {

/// Where objects of a device go. Thread-safe.
struct CodeArenas {
  CodeArena anywhere;
  CodeArena low = CodeArena(true);  ///< for those with addresses of 32 bits
};

/// What an object defines for others.
struct LinkedSymbol {
  HostString name;
  std::byte* address;
  uint64_t size;  ///< bytes
  CodePart part;
  bool is_variable;
};

/// Immutable once linked. Its memory goes back to the arena, which must outlive it.
class LinkedObject {
 public:
  /// Links an object of this machine. As ObjectFile::Read(), ObjectLink::Plan(), Build() and CodeArena::Allocate();
  /// INCOMPATIBLE for another machine. May throw std::bad_alloc. A failure leaves it as it is.
  Status Link(Bytes image, Externals& externals, CodeArenas& arenas);

  /// NULL if it defines no such symbol.
  const LinkedSymbol* Find(std::string_view name) const;

 private:
  void TakeSymbols(const ObjectFile& file);

  CodeBlock block_;
  HostVector<LinkedSymbol> symbols_;  // in the order of their names
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_LINKED_OBJECT_H_
