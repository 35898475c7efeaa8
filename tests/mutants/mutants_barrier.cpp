// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers that lose barriers, events or commands. All of them run the commands between barriers backwards,
// which a driver may do; a control does nothing else.
#include <algorithm>
#include <map>
#include <mutex>

#include "mutants/collected_commands.h"

namespace halyard::mutants {
namespace {

void LoseNothing(Commands&) {}

void LoseAllBarriers(Commands& commands) { std::erase_if(commands, IsBarrier); }

// The barrier is the first command, and makes the next one seem not to be needed.
void LoseBarrierAfterLeadingOne(Commands& commands) {
  if (commands.empty() || !IsBarrier(commands.front())) return;
  const auto next = std::find_if(commands.begin() + 1, commands.end(), IsBarrier);
  if (next != commands.end()) commands.erase(next);
}

// The second barrier of a row forgets what the first one was about.
void LoseBarriersInARow(Commands& commands) {
  Commands kept;
  for (auto it = commands.begin(); it != commands.end();) {
    const auto row_end = std::find_if_not(it, commands.end(), IsBarrier);
    if (row_end - it == 1) kept.push_back(*it);
    it = row_end;
    if (it != commands.end()) kept.push_back(*it++);
  }
  commands = std::move(kept);
}

// Work before the last barrier of a command buffer is lost.
void LoseWorkBeforeTrailingBarrier(Commands& commands) {
  if (commands.size() < 2 || !IsBarrier(commands.back())) return;
  const auto last = std::find_if_not(commands.rbegin(), commands.rend(), IsBarrier);
  if (last != commands.rend()) commands.erase(last.base() - 1);
}

// Barriers with a transfer on either side are ignored.
void LoseTransferBarriers(Commands& commands) {
  const auto is_dispatch = [&](size_t i) {
    return i < commands.size() && commands[i].type == HAL_COMMAND_TYPE_DISPATCH;
  };
  Commands kept;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!IsBarrier(commands[i]) || (i > 0 && is_dispatch(i - 1) && is_dispatch(i + 1))) kept.push_back(commands[i]);
  }
  commands = std::move(kept);
}

void LoseEventWaits(Commands& commands) {
  std::erase_if(commands, [](const hal_command_t& command) { return command.type == HAL_COMMAND_TYPE_WAIT_EVENTS; });
}

void LoseCommandsInDebugGroups(Commands& commands) {
  int depth = 0;
  std::erase_if(commands, [&](const hal_command_t& command) {
    if (command.type == HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP) ++depth;
    if (command.type == HAL_COMMAND_TYPE_END_DEBUG_GROUP) --depth;
    return depth >= 2;
  });
}

void LoseCommandsPast4096(Commands& commands) {
  if (commands.size() > 4096) commands.resize(4096);
}

// A second execution of a command buffer does nothing.
hal_status_t ExecuteOnlyOnce(hal_device_t* device, const hal_queue_operation_t* operation) {
  static std::mutex mutex;
  // Retains the command buffers, so that no other one gets the same address; never destroyed.
  static auto& executed = *new std::map<hal_command_buffer_t*, Ref<hal_command_buffer_t>>();
  if (operation->type != HAL_QUEUE_OPERATION_TYPE_EXECUTE) return Local().device->submit(device, operation);
  bool again = false;
  {
    const std::lock_guard lock(mutex);
    Ref<hal_command_buffer_t>& known = executed[operation->u.execute.command_buffer];
    again = static_cast<bool>(known);
    known = Ref<hal_command_buffer_t>::Retaining(operation->u.execute.command_buffer);
  }
  const hal_queue_operation_t barrier = BarrierLike(*operation);
  return Local().device->submit(device, again ? &barrier : operation);
}

constexpr Mutant kBarrierMutants[] = {
    {"all-barriers-lost", "barriers in command buffers order nothing",
     "*BarrierPlacementTest.*:*ReadAfterWriteTest.*:*WriteAfter*", PlantInCommandBuffers<LoseAllBarriers>},
    {"leading-barrier-lost", "a barrier at the start of a command buffer removes the next one",
     "*BarrierPlacementTest.*:CommandOrderTest.*", PlantInCommandBuffers<LoseBarrierAfterLeadingOne>},
    {"barriers-in-a-row-lost", "several barriers in a row order nothing", "*BarrierPlacementTest.*:CommandOrderTest.*",
     PlantInCommandBuffers<LoseBarriersInARow>},
    {"trailing-barrier-lost", "the command before the last barrier of a command buffer does not run",
     "*BarrierPlacementTest.*:CommandOrderTest.*", PlantInCommandBuffers<LoseWorkBeforeTrailingBarrier>},
    {"transfer-barriers-lost", "barriers between transfers, or between those and kernels, order nothing",
     "*Order*:*Barrier*:*ReadAfter*:*WriteAfter*:*Indirect*:*Command*", PlantInCommandBuffers<LoseTransferBarriers>},
    {"event-waits-lost", "waits for events order nothing", "*EventOrderTest.*:EventTest.*",
     PlantInCommandBuffers<LoseEventWaits>},
    {"nested-debug-groups-lost", "commands in nested debug groups do not run", "DebugGroupTest.*",
     PlantInCommandBuffers<LoseCommandsInDebugGroups>},
    {"long-recording-cut", "commands past the 4,096th do not run", "CommandBufferTest.*-*Slow",
     PlantInCommandBuffers<LoseCommandsPast4096>},
    {"tracked-read-after-write-lost", "tracked recordings order no reads after writes",
     "*TrackedRecordingTest.*:*.IsTracked*", PlantInCommandBuffers<LoseNothing, Hazards::kReadAfterWrite>},
    {"tracked-write-after-read-lost", "tracked recordings order no writes after reads",
     "*TrackedRecordingTest.*:*.IsTracked*", PlantInCommandBuffers<LoseNothing, Hazards::kWriteAfterRead>},
    {"tracked-write-after-write-lost", "tracked recordings order no writes after writes",
     "*TrackedRecordingTest.*:*.IsTracked*", PlantInCommandBuffers<LoseNothing, Hazards::kWriteAfterWrite>},
    {"tracked-overlaps-lost", "tracked recordings see hazards between equal ranges only", "*TrackedRecordingTest.*",
     PlantInCommandBuffers<LoseNothing, Hazards::kPartialOverlaps>},
    {"tracked-counts-lost", "tracked recordings do not see that indirect dispatches read their counts",
     "*IndirectHazardTest.*", PlantInCommandBuffers<LoseNothing, Hazards::kCounts>},
    {"tracked-slots-lost", "tracked recordings take slots for different memory, whatever they are",
     "*TrackedRecordingTest.*", PlantInCommandBuffers<LoseNothing, Hazards::kSlots>},
    {"second-execution-lost", "a reusable command buffer does nothing from its second execution on",
     "*CommandBufferReuseTest.*", [](Tables& tables) { tables.device.submit = ExecuteOnlyOnce; }},
};

// All tests that are quick, except those that make a registry of their own: it does not know the drivers of this
// program.
constexpr std::string_view kAllTests =
    "*-*Slow*:RegistryTest.OwnRegistriesAreIndependent:"
    "RegistryTest.DeviceOutlivesRegistryAndDriver";

constexpr Mutant kControls[] = {
    {.name = "none",
     .what = "nothing is wrong: the local driver under another name",
     .tests = kAllTests,
     .plant = [](Tables&) {},
     .is_mutant = false},
    {.name = "none-reordered",
     .what = "nothing is wrong: commands between barriers run backwards, as they may",
     .tests = kAllTests,
     .plant = PlantInCommandBuffers<LoseNothing>,
     .is_mutant = false},
    {.name = "none-apart",
     .what = "nothing is wrong: the driver imports no memory, so pieces of copies between devices are files",
     .tests = "*PeerCopy*-*UnderTwoHandles*",
     .plant = [](Tables& tables) { tables.allocator.import = nullptr; },
     .is_mutant = false,
     .mode = "task"},
};

}  // namespace

std::span<const Mutant> BarrierMutants() { return kBarrierMutants; }
std::span<const Mutant> Controls() { return kControls; }

}  // namespace halyard::mutants
