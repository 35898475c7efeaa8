// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The capture manager. A trace document is a folder with one file, which says what was captured.
#include <filesystem>
#include <string>
#include <system_error>

#include "framework/refusal.h"
#include "msl/files.h"

using namespace halyard::metal_sim;

NSString* const MTLCaptureErrorDomain = @"MTLCaptureErrorDomain";

namespace {

// What is wrong with a place for a trace; empty if nothing is.
std::string FaultOfPlace(NSURL* url) {
  if (!url.isFileURL) return "expected the URL of a file for the trace";
  NSFileManager* files = NSFileManager.defaultManager;
  if ([files fileExistsAtPath:url.path]) return std::string("there is a file already: ") + url.path.UTF8String;
  NSString* folder = [url.path stringByDeletingLastPathComponent];
  if (![files isWritableFileAtPath:folder]) return std::string("cannot write to the folder ") + folder.UTF8String;
  return {};
}

std::string FaultOf(MTLCaptureDescriptor* descriptor) {
  if (descriptor.captureObject == nil) return "expected an object to capture";
  if (descriptor.destination != MTLCaptureDestinationGPUTraceDocument) return {};
  return FaultOfPlace(descriptor.outputURL);
}

}  // namespace

// A capture that runs. It counts as an object: a leak where a program has released everything.
@interface SimCapture : SimObject {
 @private
  MTLCaptureDescriptor* descriptor_;
}
@end

@implementation SimCapture

- (instancetype)initWithDescriptor:(MTLCaptureDescriptor*)descriptor {
  self = [super init];
  descriptor_ = [descriptor copy];
  return self;
}

- (void)dealloc {
  [descriptor_ release];
  [super dealloc];
}

- (void)writeTrace {
  if (descriptor_.destination != MTLCaptureDestinationGPUTraceDocument) return;
  const std::filesystem::path folder = descriptor_.outputURL.path.UTF8String;
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  halyard::msl_host::WriteFile(folder / "capture", [descriptor_.captureObject description].UTF8String);
}
@end

@implementation MTLCaptureDescriptor
@synthesize captureObject = captureObject_;
@synthesize destination = destination_;
@synthesize outputURL = outputURL_;

- (instancetype)init {
  self = [super init];
  destination_ = MTLCaptureDestinationDeveloperTools;
  return self;
}

- (void)dealloc {
  [captureObject_ release];
  [outputURL_ release];
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLCaptureDescriptor* copy = [[MTLCaptureDescriptor allocWithZone:zone] init];
  copy.captureObject = captureObject_;
  copy.destination = destination_;
  copy.outputURL = outputURL_;
  return copy;
}
@end

@implementation MTLCaptureManager

+ (MTLCaptureManager*)sharedCaptureManager {
  static MTLCaptureManager* manager = [[MTLCaptureManager alloc] init];
  return manager;
}

- (BOOL)supportsDestination:(MTLCaptureDestination)destination {
  return (TheSettings().captures & (1u << (destination - 1))) != 0;
}

- (BOOL)startCaptureWithDescriptor:(MTLCaptureDescriptor*)descriptor error:(NSError**)error {
  if (Refused(_cmd, error, MTLCaptureErrorDomain, MTLCaptureErrorNotSupported)) return NO;
  @synchronized(self) {
    if (running_ != nil) {
      SetError(error, MTLCaptureErrorDomain, MTLCaptureErrorAlreadyCapturing, "a capture is running already");
      return NO;
    }
    if (![self supportsDestination:descriptor.destination]) {
      SetError(error, MTLCaptureErrorDomain, MTLCaptureErrorNotSupported, "the destination is not supported");
      return NO;
    }
    const std::string fault = FaultOf(descriptor);
    if (!fault.empty()) {
      SetError(error, MTLCaptureErrorDomain, MTLCaptureErrorInvalidDescriptor, fault);
      return NO;
    }
    running_ = [[SimCapture alloc] initWithDescriptor:descriptor];
  }
  return YES;
}

- (void)stopCapture {
  @synchronized(self) {
    if (Misused(running_ == nil, _cmd, "no capture is running")) return;
    [static_cast<SimCapture*>(running_) writeTrace];
    [running_ release];
    running_ = nil;
  }
}

- (BOOL)isCapturing {
  @synchronized(self) {
    return running_ != nil;
  }
}
@end
