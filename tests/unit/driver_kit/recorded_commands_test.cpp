// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/recorded_commands.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/object_memory.h"

namespace halyard {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// An object that is nothing but its head, and counts its references.
template <class Head>
class FakeObject {
 public:
  explicit FakeObject(hal_object_kind_t kind) { hal_object_initialize(&head_.object, kind, &kTable); }
  ~FakeObject() { EXPECT_EQ(references(), 1u) << "a reference was not released"; }
  FakeObject(const FakeObject&) = delete;
  FakeObject& operator=(const FakeObject&) = delete;

  Head* get() { return &head_; }
  uint32_t references() const { return head_.object.ref_count; }

 private:
  static void Destroy(hal_object_t*) { ADD_FAILURE() << "a reference too many was released"; }
  static constexpr hal_object_vtable_t kTable = {sizeof(hal_object_vtable_t), Destroy};
  Head head_{};
};

class RecordedCommandsTest : public ::testing::Test {
 protected:
  hal_buffer_ref_t Whole(FakeObject<hal_buffer_t>& buffer, uint64_t length = 16) {
    return hal_buffer_ref(buffer.get(), 0, length);
  }

  FakeObject<hal_buffer_t> one_{HAL_OBJECT_KIND_BUFFER};
  FakeObject<hal_buffer_t> two_{HAL_OBJECT_KIND_BUFFER};
  FakeObject<hal_executable_t> executable_{HAL_OBJECT_KIND_EXECUTABLE};
  FakeObject<hal_event_t> event_{HAL_OBJECT_KIND_EVENT};
  RecordedCommands commands_;  // last, so that it is destroyed first
};

TEST_F(RecordedCommandsTest, KeepsOrderAndValues) {
  hal_command_t barrier{};
  barrier.type = HAL_COMMAND_TYPE_BARRIER;
  hal_command_t fill{};
  fill.type = HAL_COMMAND_TYPE_FILL;
  fill.u.fill = {hal_slot_ref(3, 4, 8), 0xABABABAB, 1};
  commands_.Append(barrier);
  commands_.Append(fill);
  ASSERT_EQ(commands_.commands().size(), 2u);
  EXPECT_EQ(commands_.commands()[0].type, HAL_COMMAND_TYPE_BARRIER);
  const hal_command_fill_t& kept = commands_.commands()[1].u.fill;
  EXPECT_EQ(kept.target.slot, 3u);
  EXPECT_EQ(kept.target.offset, 4u);
  EXPECT_EQ(kept.pattern, 0xABABABABu);
}

TEST_F(RecordedCommandsTest, KeepsBuffersAliveUntilCleared) {
  hal_command_t copy{};
  copy.type = HAL_COMMAND_TYPE_COPY;
  copy.u.copy = {Whole(one_), Whole(two_)};
  commands_.Append(copy);
  commands_.Append(copy);
  EXPECT_EQ(one_.references(), 3u);
  EXPECT_EQ(two_.references(), 3u);
  commands_.Clear();
  EXPECT_EQ(one_.references(), 1u);
  EXPECT_EQ(two_.references(), 1u);
  EXPECT_TRUE(commands_.commands().empty());
}

TEST_F(RecordedCommandsTest, CopiesTheDataOfAnUpdate) {
  std::vector<uint8_t> data(HAL_UPDATE_MAX_LENGTH);
  std::iota(data.begin(), data.end(), uint8_t{0});
  const std::vector<uint8_t> original = data;
  hal_command_t update{};
  update.type = HAL_COMMAND_TYPE_UPDATE;
  update.u.update = {Whole(one_, data.size()), data.data()};
  commands_.Append(update);
  std::fill(data.begin(), data.end(), uint8_t{0xFF});
  EXPECT_EQ(std::memcmp(commands_.commands()[0].u.update.data, original.data(), original.size()), 0);
}

TEST_F(RecordedCommandsTest, CopiesAllThatADispatchPointsTo) {
  std::array<float, 2> constants = {1.5f, -2.0f};
  std::array<hal_buffer_ref_t, 2> bindings = {Whole(one_), hal_slot_ref(0, 0, HAL_WHOLE_SIZE)};
  std::array<int64_t, 2> sizes = {4, 8};
  std::array<int64_t, 2> strides = {8, 1};
  std::array<hal_shape_t, 2> shapes = {
      {{HAL_ELEMENT_TYPE_F32, 2, sizes.data(), strides.data()}, {HAL_ELEMENT_TYPE_F32, 1, sizes.data(), nullptr}}};
  hal_command_t command{};
  command.type = HAL_COMMAND_TYPE_DISPATCH;
  command.u.dispatch.executable = executable_.get();
  command.u.dispatch.ordinal = 7;
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  command.u.dispatch.params = &params;
  params.flags = HAL_DISPATCH_INDIRECT;
  params.indirect = Whole(two_);
  params.constants = constants.data();
  params.constants_size = sizeof(constants);
  params.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  params.binding_shapes = shapes.data();
  commands_.Append(command);
  params = HAL_DISPATCH_PARAMS_INIT;
  constants = {};
  bindings = {};
  sizes = {};
  strides = {};
  shapes = {};

  EXPECT_EQ(executable_.references(), 2u);
  EXPECT_EQ(one_.references(), 2u);
  EXPECT_EQ(two_.references(), 2u);
  const hal_dispatch_params_t& kept = *commands_.commands()[0].u.dispatch.params;
  EXPECT_EQ(static_cast<const float*>(kept.constants)[1], -2.0f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(kept.constants) % 16, 0u);
  EXPECT_EQ(kept.bindings.refs[0].buffer, one_.get());
  EXPECT_EQ(kept.bindings.refs[1].length, HAL_WHOLE_SIZE);
  EXPECT_EQ(kept.binding_shapes[0].sizes[1], 8);
  EXPECT_EQ(kept.binding_shapes[0].strides[0], 8);
  EXPECT_EQ(kept.binding_shapes[1].sizes[0], 4);
  EXPECT_EQ(kept.binding_shapes[1].strides, nullptr);
}

TEST_F(RecordedCommandsTest, ADirectDispatchLeavesTheIndirectBufferAlone) {
  hal_command_t command{};
  command.type = HAL_COMMAND_TYPE_DISPATCH;
  command.u.dispatch.executable = executable_.get();
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  command.u.dispatch.params = &params;
  params.indirect.buffer = two_.get();
  commands_.Append(command);
  EXPECT_EQ(two_.references(), 1u);
}

TEST_F(RecordedCommandsTest, KeepsEventsAndLabels) {
  hal_event_t* event = event_.get();
  hal_command_t wait{};
  wait.type = HAL_COMMAND_TYPE_WAIT_EVENTS;
  wait.u.wait_events = {&event, 1};
  hal_command_t signal{};
  signal.type = HAL_COMMAND_TYPE_SIGNAL_EVENT;
  signal.u.event = {event};
  std::string text = "attention";
  hal_command_t group{};
  group.type = HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP;
  group.u.debug_group.label = {text.data(), text.size()};
  for (const hal_command_t* command : {&signal, &wait, &group}) commands_.Append(*command);
  event = nullptr;
  text = "---------";
  EXPECT_EQ(event_.references(), 3u);
  EXPECT_EQ(commands_.commands()[1].u.wait_events.events[0], event_.get());
  const hal_string_view_t label = commands_.commands()[2].u.debug_group.label;
  EXPECT_EQ(std::string(label.data, label.size), "attention");
}

TEST_F(RecordedCommandsTest, CanBeUsedAgain) {
  for (uint8_t round = 0; round < 20; ++round) {
    const std::vector<uint8_t> data(3000, round);
    hal_command_t update{};
    update.type = HAL_COMMAND_TYPE_UPDATE;
    update.u.update = {Whole(one_, data.size()), data.data()};
    for (int i = 0; i < 10; ++i) commands_.Append(update);
    for (const hal_command_t& command : commands_.commands()) {
      const auto* const kept = static_cast<const uint8_t*>(command.u.update.data);
      EXPECT_THAT(std::vector<uint8_t>(kept, kept + data.size()), Each(round));
    }
    commands_.Clear();
  }
}

TEST(Arena, GivesAlignedMemoryThatDoesNotOverlap) {
  Arena arena;
  std::vector<std::pair<uint8_t*, size_t>> pieces;
  for (size_t size = 1; size < 5000; size += 37) {
    auto* const memory = static_cast<uint8_t*>(arena.Allocate(size));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 16, 0u);
    std::memset(memory, static_cast<int>(pieces.size() & 0xFF), size);
    pieces.emplace_back(memory, size);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto [memory, size] = pieces[i];
    EXPECT_THAT(std::vector<uint8_t>(memory, memory + size), Each(static_cast<uint8_t>(i & 0xFF)));
  }
}

TEST_F(RecordedCommandsTest, ShowsManyCommandsInOrder) {
  for (uint32_t i = 0; i < 5000; ++i) {
    hal_command_t fill{};
    fill.type = HAL_COMMAND_TYPE_FILL;
    fill.u.fill = {Whole(one_), i, 4};
    commands_.Append(fill);
  }
  ASSERT_EQ(commands_.commands().size(), 5000u);
  uint32_t number = 0;
  for (const hal_command_t& command : commands_.commands()) {
    EXPECT_EQ(command.u.fill.pattern, number);
    EXPECT_EQ(&command, &commands_.commands()[number]) << "commands do not move";
    ++number;
  }
  EXPECT_EQ(one_.references(), 5001u);
}

TEST_F(RecordedCommandsTest, AlignsConstantsAsTheirSizeAsks) {
  const std::array<char, 64> constants = {1, 2, 3};
  for (uint32_t size = 1; size <= constants.size(); ++size) {
    hal_command_t command{};
    command.type = HAL_COMMAND_TYPE_DISPATCH;
    command.u.dispatch.executable = executable_.get();
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    command.u.dispatch.params = &params;
    params.constants = constants.data();
    params.constants_size = size;
    commands_.Append(command);
    const hal_dispatch_params_t& kept = *commands_.commands()[size - 1].u.dispatch.params;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(kept.constants) % (size > 8 ? 16 : 8), 0u);
    EXPECT_EQ(std::memcmp(kept.constants, constants.data(), size), 0);
    EXPECT_EQ(kept.workgroup_count.x, 1u);
    EXPECT_EQ(kept.dynamic_local_memory, 0u);
  }
}

TEST_F(RecordedCommandsTest, DispatchesInARowShareReferencesToWhatTheyHaveAtTheSamePlace) {
  hal_command_t command{};
  command.type = HAL_COMMAND_TYPE_DISPATCH;
  command.u.dispatch.executable = executable_.get();
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  command.u.dispatch.params = &params;
  const auto append = [&](const std::vector<hal_buffer_ref_t>& bindings) {
    params.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
    commands_.Append(command);
  };
  append({Whole(one_), Whole(two_)});
  append({Whole(one_)});
  append({Whole(one_), Whole(two_)});
  EXPECT_EQ(executable_.references(), 2u);
  EXPECT_EQ(one_.references(), 2u);
  EXPECT_EQ(two_.references(), 3u);
  append({Whole(two_), Whole(one_)});
  EXPECT_EQ(one_.references(), 3u);
  EXPECT_EQ(two_.references(), 4u);
  hal_command_t barrier{};
  barrier.type = HAL_COMMAND_TYPE_BARRIER;
  commands_.Append(barrier);
  params.flags = HAL_DISPATCH_INDIRECT;
  params.indirect = Whole(one_);
  append({Whole(two_), hal_slot_ref(0, 0, HAL_WHOLE_SIZE)});
  append({Whole(two_), hal_slot_ref(0, 0, HAL_WHOLE_SIZE)});
  EXPECT_EQ(executable_.references(), 3u);
  EXPECT_EQ(one_.references(), 5u);
  EXPECT_EQ(two_.references(), 5u);
  commands_.Clear();
  EXPECT_EQ(executable_.references(), 1u);
  EXPECT_EQ(one_.references(), 1u);
  EXPECT_EQ(two_.references(), 1u);
}

// A copy is a command as any other.
TEST_F(RecordedCommandsTest, CopiesACopyOfADispatch) {
  const hal_buffer_ref_t binding = Whole(one_);
  hal_command_t command{};
  command.type = HAL_COMMAND_TYPE_DISPATCH;
  command.u.dispatch = {executable_.get(), 7, 0, nullptr};
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  command.u.dispatch.params = &params;
  params.workgroup_count = hal_dim3(2, 3, 4);
  params.dynamic_local_memory = 5;
  params.bindings = hal_buffer_ref_list(&binding, 1);
  commands_.Append(command);
  const hal_command_t whole = commands_.commands()[0];
  commands_.Append(whole);
  commands_.Append(commands_.commands()[1]);
  EXPECT_EQ(executable_.references(), 2u) << "dispatches in a row share a reference";
  EXPECT_EQ(one_.references(), 2u);
  for (const hal_command_t& kept : commands_.commands()) {
    EXPECT_EQ(kept.type, HAL_COMMAND_TYPE_DISPATCH);
    EXPECT_EQ(kept.u.dispatch.ordinal, 7u);
    EXPECT_EQ(kept.u.dispatch.params->workgroup_count.z, 4u);
    EXPECT_EQ(kept.u.dispatch.params->dynamic_local_memory, 5u);
    EXPECT_EQ(kept.u.dispatch.params->bindings.refs[0].buffer, one_.get());
  }
}

TEST(Arena, KeepsSomeBlocksWhenCleared) {
  Arena arena;
  std::vector<void*> first;
  for (int i = 0; i < 100; ++i) first.push_back(arena.Allocate(64));
  arena.Allocate(1 << 20);
  arena.Clear();
  for (void* memory : first) EXPECT_EQ(arena.Allocate(64), memory);
}

TEST(Arena, SkipsKeptBlocksThatAreTooSmall) {
  Arena arena;
  for (int i = 0; i < 10; ++i) arena.Allocate(200);
  arena.Clear();
  auto* const large = static_cast<uint8_t*>(arena.Allocate(30'000));
  std::memset(large, 1, 30'000);
  auto* const small = static_cast<uint8_t*>(arena.Allocate(16));
  std::memset(small, 2, 16);
  EXPECT_EQ(large[29'999], 1);
}

TEST(Arena, OfAPoolUsesTheBlocksOfTheOneBefore) {
  if (!kKeepsFreedMemory) GTEST_SKIP() << "the address sanitizer is to see every use after the end";
  ArenaPool pool;
  void* first = nullptr;
  for (int round = 0; round < 3; ++round) {
    Arena arena(pool);
    void* const memory = arena.Allocate(64);
    if (first) EXPECT_EQ(memory, first);
    first = memory;
    for (int i = 0; i < 1000; ++i) arena.Allocate(1000);
  }
  ArenaBlock* const kept = pool.Take(ArenaPool::kLargest);
  EXPECT_NE(kept, nullptr);
  if (kept) kept->next = nullptr;
  pool.Give(kept);
  pool.Trim();
  EXPECT_EQ(pool.Take(ArenaPool::kLargest), nullptr);
}

TEST(Arena, ClearedMemoryIsUsedAgain) {
  Arena arena;
  void* const first = arena.Allocate(64);
  arena.Allocate(100'000);
  arena.Clear();
  EXPECT_EQ(arena.Allocate(64), first);
  EXPECT_EQ(arena.Copy<int>(nullptr, 0), nullptr);
}

}  // namespace
}  // namespace halyard
