// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_traits.h"

#include <algorithm>

#include "metal/native/metal_errors.h"

namespace halyard::metal {
namespace {

uint32_t Clamp(NSUInteger value) { return static_cast<uint32_t>(std::min<NSUInteger>(value, UINT32_MAX)); }

bool HasStageCounters(id<MTLDevice> device) {
  if (![device supportsCounterSampling:MTLCounterSamplingPointAtStageBoundary]) return false;
  for (id<MTLCounterSet> set in [device counterSets]) {
    if ([[set name] isEqualToString:@"timestamp"]) return true;
  }
  return false;
}

}  // namespace

MetalTraits ReadTraits(NativeDevice native) {
  const AutoreleaseScope scope;
  const id<MTLDevice> device = Id(native);
  MetalTraits traits;
  traits.name = FromNSString([device name]);
  traits.registry_id = [device registryID];
  if (@available(macOS 14.0, iOS 17.0, *)) {
    if ([device respondsToSelector:@selector(architecture)]) {
      traits.architecture = FromNSString([[device architecture] name]);
    }
  }
  traits.unified_memory = [device hasUnifiedMemory];
  const MTLSize size = [device maxThreadsPerThreadgroup];
  traits.max_workgroup_size = {Clamp(size.width), Clamp(size.height), Clamp(size.depth)};
  traits.max_local_memory = Clamp([device maxThreadgroupMemoryLength]);
  traits.max_buffer_length = [device maxBufferLength];
  traits.working_set = [device recommendedMaxWorkingSetSize];
  traits.gpu_addresses = [device supportsFamily:MTLGPUFamilyMetal3];
  traits.residency_sets = [device respondsToSelector:@selector(newResidencySetWithDescriptor:error:)];
  traits.log_states = [device respondsToSelector:@selector(newLogStateWithDescriptor:error:)];
  traits.stage_counters = HasStageCounters(device);
  return traits;
}

}  // namespace halyard::metal
