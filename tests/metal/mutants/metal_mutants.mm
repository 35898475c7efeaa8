// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal drivers with one defect each. HALYARD_METAL_MUTANT names the defect. Linked with the conformance suite and the
// driver, whose sources stay as they are: most defects are calls that do not arrive, as methods of the simulated Metal
// are exchanged. driver_defects.h has the others.
#import <Metal/Metal.h>

#include <dlfcn.h>
#include <objc/runtime.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "metal/executable/metal_arguments.h"
#include "metal/mutants/driver_defects.h"

namespace halyard::metal {
namespace {

void DropOne(id, SEL, void*) {}
void DropNumber(id, SEL, NSUInteger) {}
void DropNothing(id, SEL) {}
void DropRange(id, SEL, NSRange) {}
void DropUse(id, SEL, void*, NSUInteger) {}

using EncodeEvent = void (*)(id, SEL, id, uint64_t);
EncodeEvent g_wait = nullptr;
EncodeEvent g_signal = nullptr;
bool g_drops_own = false;
std::mutex g_mutex;                // protects what follows
std::map<id, std::set<id>> g_own;  // by queue: the events that it has signalled

void NoteSignal(id commands, SEL selector, id event, uint64_t value) {
  {
    const std::lock_guard lock(g_mutex);
    g_own[[(id<MTLCommandBuffer>)commands commandQueue]].insert(event);
  }
  g_signal(commands, selector, event, value);
}

void FilterWait(id commands, SEL selector, id event, uint64_t value) {
  {
    const std::lock_guard lock(g_mutex);
    if (g_own[[(id<MTLCommandBuffer>)commands commandQueue]].contains(event) == g_drops_own) return;
  }
  g_wait(commands, selector, event, value);
}

using MakeLibrary = id (*)(id, SEL, id, id, void*);
MakeLibrary g_make_library = nullptr;

// The copy kernel writes the byte behind its range.
id MakeWithWideEdges(id device, SEL selector, id source, id options, void* error) {
  NSString* const wide = [(NSString*)source stringByReplacingOccurrencesOfString:@"first + i < end)"
                                                                      withString:@"first + i <= end)"];
  return g_make_library(device, selector, wide, options, error);
}

using Size = NSUInteger (*)(id, SEL);
Size g_size = nullptr;

// The driver does not hear how long the struct of the constants is, and passes what the application gave.
NSUInteger HideConstantsLength(id binding, SEL selector) {
  return [(id<MTLBinding>)binding index] == kConstantsIndex ? 1 : g_size(binding, selector);
}

template <class Function>
Function Exchange(const char* owner, const char* selector, Function replacement) {
  const Class type = objc_getClass(owner);
  const SEL name = sel_registerName(selector);
  Method const method = type ? class_getInstanceMethod(type, name) : nullptr;
  if (!method) {
    std::fprintf(stderr, "no method -[%s %s]\n", owner, selector);
    std::_Exit(2);
  }
  const IMP before = method_getImplementation(method);
  class_replaceMethod(type, name, std::bit_cast<IMP>(replacement), method_getTypeEncoding(method));
  return std::bit_cast<Function>(before);
}

void FilterWaits(bool own) {
  g_drops_own = own;
  g_wait = Exchange("SimCommandBuffer", "encodeWaitForEvent:value:", FilterWait);
  g_signal = Exchange("SimCommandBuffer", "encodeSignalEvent:value:", NoteSignal);
}

constexpr struct {
  std::string_view name;
  void (*make)();
} kMutants[] = {
    {"no_defect", [] {}},
    {"drops_barriers", [] { Exchange("SimComputeEncoder", "memoryBarrierWithScope:", DropNumber); }},
    {"drops_fence_waits", [] { Exchange("SimEncoder", "waitForFence:", DropOne); }},
    {"drops_fence_updates", [] { Exchange("SimEncoder", "updateFence:", DropOne); }},
    {"drops_own_waits", [] { FilterWaits(true); }},
    {"drops_other_waits", [] { FilterWaits(false); }},
    {"drops_residency", [] { Exchange("SimResidencySet", "commit", DropNothing); }},
    {"drops_uses", [] { Exchange("SimComputeEncoder", "useResource:usage:", DropUse); }},
    {"drops_flushes", [] { Exchange("SimBuffer", "didModifyRange:", DropRange); }},
    {"drops_synchronization", [] { Exchange("SimBlitEncoder", "synchronizeResource:", DropOne); }},
    {"copies_too_much",
     [] { g_make_library = Exchange("SimDevice", "newLibraryWithSource:options:error:", MakeWithWideEdges); }},
    {"constants_unpadded", [] { g_size = Exchange("SimBufferBinding", "bufferDataSize", HideConstantsLength); }},
    {"staging_reused_early", [] { SetDefect(DriverDefect::kReusesStagingEarly); }},
    {"in_flight_ignored", [] { SetDefect(DriverDefect::kIgnoresInFlight); }},
    {"cached_block_without_predecessor", [] { SetDefect(DriverDefect::kForgetsPredecessors); }},
};

[[maybe_unused]] const bool g_made = [] {
  const char* const wanted = std::getenv("HALYARD_METAL_MUTANT");
  const char* const library = std::getenv("HALYARD_METAL_LIBRARY");
  for (const auto& mutant : kMutants) {
    if (!wanted || mutant.name != wanted) continue;
    if (library && dlopen(library, RTLD_NOW | RTLD_LOCAL)) return mutant.make(), true;
    break;
  }
  std::fprintf(stderr, "HALYARD_METAL_MUTANT names no mutant, or HALYARD_METAL_LIBRARY no library\n");
  std::_Exit(2);
}();

}  // namespace
}  // namespace halyard::metal
