// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clang's blocks need of a runtime: copies on the heap with a count. The layouts are those of the specification
// of blocks (clang/docs/Block-ABI-Apple).
#include <objc/blocks_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

using id = struct objc_object*;  // as the runtime declares it

namespace {

constexpr int kNeedsFree = 1 << 24;
constexpr int kHasHelpers = 1 << 25;
constexpr int kGlobal = 1 << 28;
constexpr int kCount = 0xfffe;  // in steps of 2

enum Field { kObject = 3, kBlock = 7, kByref = 8, kByrefCaller = 128 };

struct Descriptor {
  unsigned long reserved;
  unsigned long size;
  void (*copy)(void* target, const void* source);
  void (*dispose)(const void* block);
};

struct Layout {
  void* isa;
  int flags;
  int reserved;
  void (*invoke)(void*, ...);
  Descriptor* descriptor;
};

struct Byref {
  void* isa;
  Byref* forwarding;
  int flags;
  int size;
  void (*keep)(Byref* target, Byref* source);
  void (*destroy)(Byref* byref);
};

// Other threads may change the count meanwhile.
bool Has(int& flags, int flag) { return (std::atomic_ref(flags).load(std::memory_order_relaxed) & flag) != 0; }

int Add(int* flags, int change) {
  return std::atomic_ref(*flags).fetch_add(change, std::memory_order_acq_rel) + change;
}

void CopyByref(Byref** target, Byref* source) {
  Byref* shared = source->forwarding;
  if (!Has(shared->flags, kNeedsFree)) {
    auto* const copy = static_cast<Byref*>(std::malloc(static_cast<size_t>(source->size)));
    std::memcpy(copy, source, static_cast<size_t>(source->size));
    copy->forwarding = copy;
    copy->flags = (source->flags & ~kCount) | kNeedsFree | 2;  // the frame's own
    source->forwarding = copy;
    if (Has(source->flags, kHasHelpers)) source->keep(copy, source);
    shared = copy;
  }
  Add(&shared->flags, 2);
  *target = shared;
}

void DisposeByref(Byref* byref) {
  Byref* const shared = byref->forwarding;
  if (!Has(shared->flags, kNeedsFree) || (Add(&shared->flags, -2) & kCount) != 0) return;
  if (Has(shared->flags, kHasHelpers)) shared->destroy(shared);
  std::free(shared);
}

}  // namespace

extern "C" {

id objc_retain_for_block(id object);
void objc_release_for_block(id object);

// A class of block_classes.mm; the name is clang's.
extern void* _NSConcreteMallocBlock[];  // NOLINT(readability-identifier-naming)

__attribute__((visibility("default"))) void* _Block_copy(const void* block) {
  auto* const source = static_cast<Layout*>(const_cast<void*>(block));
  if (!source || Has(source->flags, kGlobal)) return source;
  if (Has(source->flags, kNeedsFree)) {
    Add(&source->flags, 2);
    return source;
  }
  auto* const copy = static_cast<Layout*>(std::malloc(source->descriptor->size));
  std::memcpy(copy, source, source->descriptor->size);
  copy->isa = static_cast<void*>(_NSConcreteMallocBlock);
  copy->flags = (source->flags & ~kCount) | kNeedsFree | 2;
  if (Has(copy->flags, kHasHelpers)) copy->descriptor->copy(copy, source);
  return copy;
}

__attribute__((visibility("default"))) void _Block_release(const void* block) {
  auto* const layout = static_cast<Layout*>(const_cast<void*>(block));
  if (!layout || !Has(layout->flags, kNeedsFree) || (Add(&layout->flags, -2) & kCount) != 0) return;
  if (Has(layout->flags, kHasHelpers)) layout->descriptor->dispose(layout);
  std::free(layout);
}

__attribute__((visibility("default"))) void _Block_object_assign(void* target, const void* object, int flags) {
  if ((flags & kByref) != 0)
    return CopyByref(static_cast<Byref**>(target), static_cast<Byref*>(const_cast<void*>(object)));
  if ((flags & kByrefCaller) != 0) {
    *static_cast<const void**>(target) = object;
  } else if ((flags & kBlock) == kBlock) {
    *static_cast<void**>(target) = _Block_copy(object);
  } else {
    *static_cast<id*>(target) = objc_retain_for_block(reinterpret_cast<id>(const_cast<void*>(object)));
  }
}

__attribute__((visibility("default"))) void _Block_object_dispose(const void* object, int flags) {
  if ((flags & kByref) != 0) return DisposeByref(static_cast<Byref*>(const_cast<void*>(object)));
  if ((flags & kByrefCaller) != 0) return;
  if ((flags & kBlock) == kBlock) return _Block_release(object);
  objc_release_for_block(reinterpret_cast<id>(const_cast<void*>(object)));
}

}  // extern "C"
