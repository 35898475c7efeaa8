// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "control.h"
#include "framework_test.h"
#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

using testing::HasSubstr;

class CaptureTest : public FrameworkTest {
 protected:
  CaptureTest() : manager_([(Class)NSClassFromString(@"MTLCaptureManager") sharedCaptureManager]) {}

  MTLCaptureDescriptor* Capture(NSURL* file) {
    auto* descriptor = NEW(MTLCaptureDescriptor);
    descriptor.captureObject = device_;
    descriptor.destination = MTLCaptureDestinationGPUTraceDocument;
    descriptor.outputURL = file;
    return descriptor;
  }

  // The error's code; 0 if the capture started.
  NSInteger Start(MTLCaptureDescriptor* descriptor) {
    NSError* error = nil;
    const BOOL started = [manager_ startCaptureWithDescriptor:descriptor error:&error];
    EXPECT_EQ(started, error == nil);
    EXPECT_TRUE(started || [error.domain isEqualToString:@"MTLCaptureErrorDomain"]);
    return error.code;
  }

  MTLCaptureManager* manager_;
};

TEST_F(CaptureTest, WritesATrace) {
  NSURL* file = File(@"trace.gputrace");
  ASSERT_TRUE([manager_ supportsDestination:MTLCaptureDestinationGPUTraceDocument]);
  EXPECT_EQ(Start(Capture(file)), 0);
  EXPECT_TRUE(manager_.isCapturing);
  EXPECT_FALSE([NSFileManager.defaultManager fileExistsAtPath:file.path]);
  [manager_ stopCapture];
  EXPECT_FALSE(manager_.isCapturing);
  EXPECT_TRUE([NSFileManager.defaultManager fileExistsAtPath:file.path]);
  EXPECT_EQ(Start(Capture(file)), MTLCaptureErrorInvalidDescriptor);  // there is a file already
}

TEST_F(CaptureTest, RunsOnceAtATimeAndIsAnObject) {
  const uint64_t objects = FRAMEWORK_CALL(halyardSimObjects)();
  EXPECT_EQ(Start(Capture(File(@"first"))), 0);
  EXPECT_EQ(Start(Capture(File(@"second"))), MTLCaptureErrorAlreadyCapturing);
  EXPECT_EQ(FRAMEWORK_CALL(halyardSimObjects)(), objects + 1);
  [manager_ stopCapture];
  EXPECT_EQ(FRAMEWORK_CALL(halyardSimObjects)(), objects);
}

TEST_F(CaptureTest, RefusesBadDescriptors) {
  EXPECT_EQ(Start(Capture(nil)), MTLCaptureErrorInvalidDescriptor);
  EXPECT_EQ(Start(Capture([File(@"folder") URLByAppendingPathComponent:@"trace"])), MTLCaptureErrorInvalidDescriptor);
  MTLCaptureDescriptor* descriptor = Capture(File(@"trace"));
  descriptor.captureObject = nil;
  EXPECT_EQ(Start(descriptor), MTLCaptureErrorInvalidDescriptor);
  descriptor.destination = MTLCaptureDestinationDeveloperTools;
  EXPECT_EQ(Start(descriptor), MTLCaptureErrorNotSupported);
}

TEST_F(CaptureTest, ReportsAStopWithoutAStart) {
  [manager_ stopCapture];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);
}

class LogStateTest : public FrameworkTest {};

TEST_F(LogStateTest, HandlersGetMessagesOfTheirLevel) {
  auto* descriptor = NEW(MTLLogStateDescriptor);
  descriptor.level = MTLLogLevelNotice;
  id<MTLLogState> state = [device_ newLogStateWithDescriptor:descriptor error:nullptr];
  __block std::string received;
  [state addLogHandler:^(NSString*, NSString*, MTLLogLevel level, NSString* message) {
    received += std::to_string(level) + message.UTF8String + ' ';
  }];
  FRAMEWORK_CALL(halyardSimMetalLog)(MTLLogLevelError, "wrong");
  FRAMEWORK_CALL(halyardSimMetalLog)(MTLLogLevelInfo, "unimportant");
  EXPECT_EQ(received, "4wrong ");
  [state release];
  FRAMEWORK_CALL(halyardSimMetalLog)(MTLLogLevelError, "late");
  EXPECT_EQ(received, "4wrong ");
}

TEST_F(LogStateTest, LivesAsLongAsItsQueue) {
  __block int received = 0;
  auto* descriptor = NEW(MTLCommandQueueDescriptor);
  id<MTLLogState> state = [device_ newLogStateWithDescriptor:NEW(MTLLogStateDescriptor) error:nullptr];
  [state addLogHandler:^(NSString*, NSString*, MTLLogLevel, NSString*) {
    ++received;
  }];
  descriptor.logState = state;
  [state release];
  id<MTLCommandQueue> queue = [device_ newCommandQueueWithDescriptor:descriptor];
  descriptor.logState = nil;
  FRAMEWORK_CALL(halyardSimMetalLog)(MTLLogLevelError, "heard");
  [queue release];
  FRAMEWORK_CALL(halyardSimMetalLog)(MTLLogLevelError, "late");
  EXPECT_EQ(received, 1);
}

TEST_F(LogStateTest, FailsWhenATestWantsIt) {
  FailNext("newLogStateWithDescriptor:error:");
  NSError* error = nil;
  EXPECT_EQ([device_ newLogStateWithDescriptor:NEW(MTLLogStateDescriptor) error:&error], nil);
  EXPECT_NE(error, nil);
}

}  // namespace
}  // namespace halyard::metal_sim
