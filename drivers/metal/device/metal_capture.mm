// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_capture.h"

#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

constexpr std::string_view kXcode = "xcode";
constexpr std::string_view kEnding = ".gputrace";

MTLCaptureManager* TheManager() { return [HALYARD_METAL_CLASS(MTLCaptureManager) sharedCaptureManager]; }

hal_status_t StatusOf(NSError* error) {
  switch ([error code]) {
    case MTLCaptureErrorNotSupported:
      return HAL_STATUS_UNAVAILABLE;
    case MTLCaptureErrorAlreadyCapturing:
      return HAL_STATUS_FAILED_PRECONDITION;
    default:
      return HAL_STATUS_INVALID_ARGUMENT;
  }
}

}  // namespace

Status MetalCapture::Start(NativeDevice device, std::string_view destination) {
  const AutoreleaseScope scope;
  const bool to_xcode = destination == kXcode;
  if (!to_xcode && !destination.ends_with(kEnding)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "capture=%.*s: it takes 'xcode', or a file that ends in .gputrace",
                HALYARD_SV(destination));
  }
  MTLCaptureManager* const manager = TheManager();
  const MTLCaptureDestination kind =
      to_xcode ? MTLCaptureDestinationDeveloperTools : MTLCaptureDestinationGPUTraceDocument;
  if (![manager supportsDestination:kind]) {
    return Fail(HAL_STATUS_UNAVAILABLE, "capture=%.*s: Metal takes no such capture here: %s", HALYARD_SV(destination),
                to_xcode ? "run the program from Xcode" : "set MTL_CAPTURE_ENABLED=1");
  }
  MTLCaptureDescriptor* const descriptor = [[[HALYARD_METAL_CLASS(MTLCaptureDescriptor) alloc] init] autorelease];
  [descriptor setCaptureObject:Id(device)];
  [descriptor setDestination:kind];
  if (!to_xcode) [descriptor setOutputURL:[NSURL fileURLWithPath:ToNSString(destination)]];
  NSError* error = nil;
  started_ = [manager startCaptureWithDescriptor:descriptor error:&error];
  if (started_) return kOk;
  const Status status = FailCall(StatusOf(error), "startCaptureWithDescriptor", error);
  return Annotate(status, "capture=", destination, ": ");
}

MetalCapture::~MetalCapture() {
  if (!started_) return;
  const AutoreleaseScope scope;
  [TheManager() stopCapture];
}

}  // namespace halyard::metal
