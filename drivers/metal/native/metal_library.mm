// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

using CreateDefaultFunction = id<MTLDevice> (*)(void);
using CopyAllFunction = NSArray* (*)(void);

// Classes that every supported version has.
constexpr const char* kClasses[] = {
    "MTLCompileOptions",        "MTLComputePipelineDescriptor", "MTLFunctionConstantValues",
    "MTLComputePassDescriptor", "MTLSharedEventListener",       "MTLBinaryArchiveDescriptor",
    "MTLCaptureManager",        "MTLCaptureDescriptor",         "MTLCounterSampleBufferDescriptor"};

}  // namespace

Status MetalLibrary::Load() {
  static constexpr const char* kFiles[] = {"/System/Library/Frameworks/Metal.framework/Metal"};
  HAL_TRY(file_.Open("Metal framework", "HALYARD_METAL_LIBRARY", kFiles));
  const AutoreleaseScope scope;
  for (const char* name : {"MTLCreateSystemDefaultDevice"}) {
    if (!file_.Find(name)) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no function %s", path().c_str(), name);
  }
  for (const char* name : kClasses) {
    if (NSClassFromString([NSString stringWithUTF8String:name])) continue;
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no class %s: macOS 13 or iOS 16 is needed", path().c_str(), name);
  }
  return kOk;
}

// iOS has one device, and no function that lists them.
Status MetalLibrary::CopyDevices(HostVector<Owned<NativeDevice>>* out_devices) const {
  const AutoreleaseScope scope;
  const auto create = reinterpret_cast<CreateDefaultFunction>(file_.Find("MTLCreateSystemDefaultDevice"));
  const auto copy_all = reinterpret_cast<CopyAllFunction>(file_.Find("MTLCopyAllDevices"));
  const id<MTLDevice> first = create();
  if (first) out_devices->push_back(Owned<NativeDevice>::Adopting(ToNative<NativeDevice>(first)));
  NSArray* const all = copy_all ? copy_all() : nil;
  for (id<MTLDevice> device in all) {
    if (device != first) out_devices->push_back(Owned<NativeDevice>::Retaining(ToNative<NativeDevice>(device)));
  }
  [all release];
  if (!out_devices->empty()) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' finds no device", path().c_str());
}

}  // namespace halyard::metal
