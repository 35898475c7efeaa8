// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated framework as a test of libraries and pipelines sees it: a device, and nothing left in the end.
#ifndef HALYARD_SIM_METAL_UNIT_FRAMEWORK_TEST_H_
#define HALYARD_SIM_METAL_UNIT_FRAMEWORK_TEST_H_

#import <Metal/Metal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/temporary_files.h"

namespace halyard::metal_sim {

// A function that the framework exports.
void* FrameworkSymbol(const char* name);
#define FRAMEWORK_CALL(function) reinterpret_cast<decltype(&function)>(halyard::metal_sim::FrameworkSymbol(#function))

// A new object of a class of the framework. The pool of the test owns it.
template <typename Type>
Type* New(NSString* name) {
  return [[[NSClassFromString(name) alloc] init] autorelease];
}
#define NEW(Type) halyard::metal_sim::New<Type>(@ #Type)

std::string TextOf(NSError* error);

class FrameworkTest : public testing::Test {
 protected:
  FrameworkTest();
  ~FrameworkTest() override;

  // The next call of this method fails.
  void FailNext(const char* selector);
  // How many breaches of a rule were reported since the last time; forgets all reports.
  uint64_t TakeReports(const char* rule);
  // The pool of the test owns what these make. They fail the test if there is an error.
  id<MTLLibrary> Library(const char* text);
  id<MTLFunction> Function(const char* text, NSString* name);
  id<MTLFunction> FunctionWith(id<MTLLibrary> library, NSString* name, MTLFunctionConstantValues* values);
  MTLComputePipelineDescriptor* Descriptor(id<MTLFunction> function);
  id<MTLComputePipelineState> Pipeline(id<MTLFunction> function);
  id<MTLBuffer> Buffer(NSUInteger length);
  // Runs one command buffer to its end.
  void Run(void (^encode)(id<MTLCommandBuffer>));
  // A file of this name, which goes away with the test.
  NSURL* File(NSString* name);

  id<MTLDevice> device_ = nil;

 private:
  TemporaryFolder folder_;
  NSAutoreleasePool* pool_;
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_UNIT_FRAMEWORK_TEST_H_
