// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework_test.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>

#include "control.h"

namespace halyard::metal_sim {

void* FrameworkSymbol(const char* name) {
  static void* library = dlopen(HALYARD_SIM_METAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol != nullptr) return symbol;
  std::fprintf(stderr, "%s\n", dlerror());
  std::abort();
}

std::string TextOf(NSError* error) { return error == nil ? "" : error.localizedDescription.UTF8String; }

FrameworkTest::FrameworkTest() : pool_([[NSAutoreleasePool alloc] init]) {
  FRAMEWORK_CALL(halyardSimReset)();
  device_ = FRAMEWORK_CALL(MTLCreateSystemDefaultDevice)();
}

FrameworkTest::~FrameworkTest() {
  [device_ release];
  [pool_ release];
  // The framework's threads release what a handler was given after it has returned.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (FRAMEWORK_CALL(halyardSimObjects)() > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(FRAMEWORK_CALL(halyardSimObjects)(), 0u);
  EXPECT_EQ(TakeReports(nullptr), 0u);
}

void FrameworkTest::FailNext(const char* selector) { FRAMEWORK_CALL(halyardSimFail)(selector, 1, 1); }

uint64_t FrameworkTest::TakeReports(const char* rule) {
  const uint64_t reports = FRAMEWORK_CALL(halyardSimReports)(rule);
  FRAMEWORK_CALL(halyardSimReset)();
  return reports;
}

id<MTLLibrary> FrameworkTest::Library(const char* text) {
  NSError* error = nil;
  id<MTLLibrary> library = [device_ newLibraryWithSource:[NSString stringWithUTF8String:text] options:nil error:&error];
  EXPECT_NE(library, nil) << TextOf(error);
  return [library autorelease];
}

id<MTLFunction> FrameworkTest::Function(const char* text, NSString* name) {
  id<MTLFunction> function = [Library(text) newFunctionWithName:name];
  EXPECT_NE(function, nil);
  return [function autorelease];
}

id<MTLFunction> FrameworkTest::FunctionWith(id<MTLLibrary> library, NSString* name, MTLFunctionConstantValues* values) {
  NSError* error = nil;
  id<MTLFunction> function = [library newFunctionWithName:name constantValues:values error:&error];
  EXPECT_NE(function, nil) << TextOf(error);
  return [function autorelease];
}

MTLComputePipelineDescriptor* FrameworkTest::Descriptor(id<MTLFunction> function) {
  auto* descriptor = NEW(MTLComputePipelineDescriptor);
  descriptor.computeFunction = function;
  return descriptor;
}

id<MTLComputePipelineState> FrameworkTest::Pipeline(id<MTLFunction> function) {
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline = [device_ newComputePipelineStateWithFunction:function error:&error];
  EXPECT_NE(pipeline, nil) << TextOf(error);
  return [pipeline autorelease];
}

id<MTLBuffer> FrameworkTest::Buffer(NSUInteger length) {
  return [[device_ newBufferWithLength:length options:MTLResourceStorageModeShared] autorelease];
}

void FrameworkTest::Run(void (^encode)(id<MTLCommandBuffer>)) {
  id<MTLCommandQueue> queue = [[device_ newCommandQueue] autorelease];
  id<MTLCommandBuffer> commands = [queue commandBuffer];
  encode(commands);
  std::promise<void> completed;
  auto* const promise = &completed;
  [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
    promise->set_value();
  }];
  [commands commit];
  completed.get_future().wait();
  EXPECT_EQ(commands.status, MTLCommandBufferStatusCompleted) << TextOf(commands.error);
}

NSURL* FrameworkTest::File(NSString* name) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:(folder_ / name.UTF8String).c_str()]];
}

}  // namespace halyard::metal_sim
