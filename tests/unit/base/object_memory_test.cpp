// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object_memory.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace halyard {
namespace {

struct Thing : HostObject {
  explicit Thing(int number) : value(number) {
    if (number < 0) throw std::invalid_argument("negative");
  }
  ~Thing() { value = 0; }
  int value;
  char rest[60] = {};
};

TEST(ObjectMemory, GivesTheLastOneThatWasDestroyedFirst) {
  if (!kKeepsFreedMemory) GTEST_SKIP() << "freed memory is not kept under the address sanitizer";
  ObjectMemory memory;
  Thing* const first = memory.Make<Thing>(1);
  Thing* const second = memory.Make<Thing>(2);
  memory.Destroy(first);
  memory.Destroy(second);
  EXPECT_EQ(memory.Make<Thing>(3), second);
  Thing* const last = memory.Make<Thing>(4);
  EXPECT_EQ(last, first);
  EXPECT_EQ(last->value, 4);
  memory.Destroy(last);
  memory.Destroy(second);
}

TEST(ObjectMemory, AConstructorThatThrowsLosesNothing) {
  ObjectMemory memory;
  EXPECT_THROW(memory.Make<Thing>(-1), std::invalid_argument);
  Thing* const thing = memory.Make<Thing>(1);
  EXPECT_EQ(thing->value, 1);
  memory.Destroy(thing);
}

// What `new` makes and what this makes is the same; leak checkers see what is lost.
TEST(ObjectMemory, TakesWhatNewHasMadeAndFreesItAll) {
  ObjectMemory memory;
  std::vector<Thing*> things;
  for (int i = 0; i < 1000; ++i) things.push_back(new Thing(i));
  for (Thing* thing : things) memory.Destroy(thing);
  memory.Trim();
  delete memory.Make<Thing>(1);
}

}  // namespace
}  // namespace halyard
