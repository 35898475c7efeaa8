// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks and dispatch queues, which clang and Foundation need of the system.
#include <memory>
#include <thread>
#include <vector>

#include <objc/blocks_runtime.h>

#include "framework_test.h"

namespace halyard::metal_sim {
namespace {

using IntBlock = int (^)(void);

TEST(BlocksTest, CopiesKeepWhatTheyCapture) {
  auto value = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = value;
  IntBlock copy = nullptr;
  {
    const std::shared_ptr<int> captured = value;
    copy = Block_copy(^{
      return *captured;
    });
  }
  value.reset();
  EXPECT_EQ(copy(), 7);
  Block_release(copy);
  EXPECT_TRUE(watch.expired());
}

TEST(BlocksTest, CopiesShareVariables) {
  __block int calls = 0;
  const IntBlock copy = Block_copy(^{
    return ++calls;
  });
  copy();
  copy();
  EXPECT_EQ(calls, 2);
  Block_release(copy);
  EXPECT_EQ(calls, 2);
}

TEST(BlocksTest, CopiesRetainObjects) {
  @autoreleasepool {
    NSObject* const object = [[NSObject alloc] init];
    const IntBlock copy = Block_copy(^{
      return object != nil ? 1 : 0;
    });
    EXPECT_EQ([object retainCount], 2u);
    const IntBlock nested = Block_copy(^{
      return copy();
    });
    Block_release(copy);
    EXPECT_EQ(nested(), 1);
    Block_release(nested);
    EXPECT_EQ([object retainCount], 1u);
    [object release];
  }
}

TEST(BlocksTest, AreObjects) {
  @autoreleasepool {
    auto value = std::make_shared<int>(5);
    const std::weak_ptr<int> watch = value;
    const std::shared_ptr<int> captured = std::move(value);
    {
      NSMutableArray* const blocks = [[NSMutableArray alloc] init];
      const id block = [[^{
        return *captured;
      } copy] autorelease];
      [blocks addObject:block];
      EXPECT_EQ(((IntBlock)[blocks objectAtIndex:0])(), 5);
      [blocks release];
      [[block retain] release];
    }
    EXPECT_EQ(watch.use_count(), 2);
  }
}

TEST(BlocksTest, OnesWithoutCapturesAreObjectsToo) {
  @autoreleasepool {
    const IntBlock block = ^{
      return 3;
    };
    const id copy = [[(id)block copy] autorelease];
    EXPECT_EQ(((IntBlock)copy)(), 3);
  }
}

TEST(DispatchTest, QueuesRunBlocksInOrder) {
  const dispatch_queue_t queue = dispatch_queue_create("test", DISPATCH_QUEUE_SERIAL);
  std::vector<int> order;
  std::vector<int>* const target = &order;
  for (int i = 0; i < 100; ++i) {
    dispatch_async(queue, ^{
      target->push_back(i);
    });
  }
  dispatch_sync(queue, ^{
    EXPECT_EQ(target->size(), 100u);
  });
  dispatch_release(queue);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(DispatchTest, DataCopiesItsBytes) {
  char bytes[] = "bytes";
  const dispatch_data_t data = dispatch_data_create(bytes, sizeof(bytes), nullptr, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
  EXPECT_EQ(dispatch_data_get_size(data), sizeof(bytes));
  dispatch_release(data);
}

}  // namespace
}  // namespace halyard::metal_sim
