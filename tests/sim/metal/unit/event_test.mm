// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events between queues and the host, and what a fault does to them.
#include <thread>

#include "control.h"
#include "work_test.h"

namespace halyard::metal_sim {
namespace {

class EventTest : public WorkTest {
 protected:
  // Commits a command buffer that signals a value.
  Done Signal(id<MTLSharedEvent> event, uint64_t value) {
    id<MTLCommandBuffer> commands = [queue_ commandBuffer];
    [commands encodeSignalEvent:event value:value];
    return Commit(commands);
  }
};

TEST_F(EventTest, OrderQueues) {
  id<MTLCommandQueue> other = [[device_ newCommandQueue] autorelease];
  for (int i = 0; i < kAttempts; ++i) {
    id<MTLSharedEvent> event = Event();
    id<MTLBuffer> buffer = Buffer(4);
    Word(buffer) = 0;
    id<MTLCommandBuffer> first = [queue_ commandBuffer];
    Encode(first, @"add", buffer);
    [first encodeSignalEvent:event value:1];
    const Done done = Commit(first);
    id<MTLCommandBuffer> second = [other commandBuffer];
    [second encodeWaitForEvent:event value:1];
    Encode(second, @"triple", buffer);
    Run(second);
    done->acquire();
    ASSERT_EQ(Word(buffer), 3u);
    ASSERT_EQ([event signaledValue], 1u);
  }
}

TEST_F(EventTest, WaitsHoldBackLaterCommandBuffersOfTheQueue) {
  id<MTLSharedEvent> event = Event();
  FRAMEWORK_CALL(halyardSimIgnore)("wait-before-signal");
  id<MTLBuffer> buffer = Buffer(4);
  Word(buffer) = 0;
  id<MTLCommandBuffer> first = [queue_ commandBuffer];
  [first encodeWaitForEvent:event value:1];
  const Done done = Commit(first);
  id<MTLCommandBuffer> second = [queue_ commandBuffer];
  Encode(second, @"add", buffer);
  const Done later = Commit(second);
  EXPECT_LT([second status], MTLCommandBufferStatusCompleted);
  [event setSignaledValue:1];
  done->acquire();
  later->acquire();
  EXPECT_EQ(Word(buffer), 1u);
  FRAMEWORK_CALL(halyardSimIgnore)("");
}

TEST_F(EventTest, SignalsComeAfterEarlierCommandBuffers) {
  for (int i = 0; i < kAttempts; ++i) {
    id<MTLSharedEvent> event = Event();
    id<MTLBuffer> buffer = Buffer(4);
    Word(buffer) = 0;
    id<MTLCommandBuffer> first = [queue_ commandBuffer];
    Encode(first, @"add", buffer);
    const Done done = Commit(first);
    Signal(event, 1)->acquire();
    ASSERT_EQ(Word(buffer), 1u);
    done->acquire();
  }
}

TEST_F(EventTest, TellListeners) {
  id<MTLSharedEvent> event = Event();
  auto* listener = NEW(MTLSharedEventListener);
  const Done told = std::make_shared<std::binary_semaphore>(0);
  [event notifyListener:listener
                atValue:2
                  block:^(id<MTLSharedEvent>, uint64_t value) {
                    EXPECT_EQ(value, 2u);
                    told->release();
                  }];
  Signal(event, 1)->acquire();
  EXPECT_FALSE(told->try_acquire());
  [event setSignaledValue:3];
  told->acquire();
}

TEST_F(EventTest, TellListenersOnTheirQueue) {
  const dispatch_queue_t queue = dispatch_queue_create("listener", DISPATCH_QUEUE_SERIAL);
  __block std::thread::id its_thread;
  dispatch_sync(queue, ^{
    its_thread = std::this_thread::get_id();
  });
  MTLSharedEventListener* listener =
      [[[NSClassFromString(@"MTLSharedEventListener") alloc] initWithDispatchQueue:queue] autorelease];
  id<MTLSharedEvent> event = Event();
  const Done told = std::make_shared<std::binary_semaphore>(0);
  const std::thread::id expected = its_thread;
  [event notifyListener:listener
                atValue:1
                  block:^(id<MTLSharedEvent>, uint64_t) {
                    EXPECT_EQ(std::this_thread::get_id(), expected);
                    told->release();
                  }];
  [event setSignaledValue:1];
  told->acquire();
  dispatch_release(queue);
}

TEST_F(EventTest, ReportAWaitOfTheHost) {
  id<MTLSharedEvent> event = Event();
  EXPECT_FALSE([event waitUntilSignaledValue:1 timeoutMS:1]);
  [event setSignaledValue:1];
  EXPECT_TRUE([event waitUntilSignaledValue:1 timeoutMS:60'000]);
  EXPECT_EQ(TakeReports("caller-blocked"), 2u);
}

TEST_F(EventTest, ReportAWaitAheadOfItsSignal) {
  id<MTLSharedEvent> event = Event();
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  [commands encodeWaitForEvent:event value:1];
  const Done done = Commit(commands);
  EXPECT_EQ(TakeReports("wait-before-signal"), 1u);
  [event setSignaledValue:1];
  done->acquire();
}

TEST_F(EventTest, ReportValuesThatDoNotRise) {
  id<MTLSharedEvent> event = Event();
  Signal(event, 2)->acquire();
  Signal(event, 2)->acquire();
  EXPECT_EQ(TakeReports("event-value"), 1u);
  [event setSignaledValue:1];
  EXPECT_EQ(TakeReports("event-value"), 1u);
  EXPECT_EQ([event signaledValue], 2u);
}

TEST_F(EventTest, AKilledCommandBufferNeverSignals) {
  FRAMEWORK_CALL(halyardSimLoseDevice)(0, 2, MTLCommandBufferErrorTimeout);
  id<MTLSharedEvent> event = Event();
  Signal(event, 1)->acquire();
  id<MTLCommandBuffer> killed = [queue_ commandBuffer];
  id<MTLBuffer> buffer = Buffer(4);
  Word(buffer) = 0;
  Encode(killed, @"add", buffer);
  [killed encodeSignalEvent:event value:2];
  Run(killed);
  EXPECT_EQ([killed status], MTLCommandBufferStatusError);
  EXPECT_EQ([[killed error] code], static_cast<NSInteger>(MTLCommandBufferErrorTimeout));
  EXPECT_TRUE([[[killed error] domain] isEqualToString:@"MTLCommandBufferErrorDomain"]);
  EXPECT_EQ(Word(buffer), 0u);
  EXPECT_EQ([event signaledValue], 1u);

  id<MTLCommandBuffer> behind = [queue_ commandBuffer];
  [behind encodeWaitForEvent:event value:2];
  [behind encodeSignalEvent:event value:3];
  Run(behind);  // does not hang
  EXPECT_EQ([behind status], MTLCommandBufferStatusError);
  EXPECT_EQ([event signaledValue], 1u);
}

TEST_F(EventTest, AFaultOfAnotherDeviceIsNotThisOnes) {
  FRAMEWORK_CALL(halyardSimLoseDevice)(1, 1, MTLCommandBufferErrorTimeout);
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  Run(commands);
  EXPECT_EQ([commands status], MTLCommandBufferStatusCompleted);
}

}  // namespace
}  // namespace halyard::metal_sim
