// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants/collected_commands.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "driver_kit/queue/recorded_commands.h"

namespace halyard::mutants {
namespace {

/// Command buffers whose recording has not ended.
class CollectedCommands {
 public:
  void Append(hal_command_buffer_t* command_buffer, const hal_command_t& command) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<RecordedCommands>& commands = open_[command_buffer];
    if (!commands) commands = std::make_unique<RecordedCommands>();
    commands->Append(command);
  }

  std::unique_ptr<RecordedCommands> Take(hal_command_buffer_t* command_buffer) {
    const std::lock_guard lock(mutex_);
    auto node = open_.extract(command_buffer);
    return node ? std::move(node.mapped()) : std::make_unique<RecordedCommands>();
  }

 private:
  std::mutex mutex_;  // protects open_
  std::map<hal_command_buffer_t*, std::unique_ptr<RecordedCommands>> open_;
};

CollectedCommands g_collected;

}  // namespace

void ReverseSegments(Commands& commands) {
  auto begin = commands.begin();
  while (begin != commands.end()) {
    const auto end = std::find_if(begin, commands.end(), Separates);
    std::reverse(begin, end);
    begin = end == commands.end() ? end : end + 1;
  }
}

hal_status_t CollectCommand(hal_command_buffer_t* command_buffer, const hal_command_t* command) {
  g_collected.Append(command_buffer, *command);
  return HAL_STATUS_OK;
}

hal_status_t EndCollected(hal_command_buffer_t* command_buffer, void (*mutate)(Commands&), Hazards lost) {
  const std::unique_ptr<RecordedCommands> collected = g_collected.Take(command_buffer);
  Commands commands(collected->commands().begin(), collected->commands().end());
  mutate(commands);
  const bool tracks = (command_buffer->flags & HAL_COMMAND_BUFFER_TRACK_HAZARDS) != 0;
  tracks ? ReverseTracked(commands, lost) : ReverseSegments(commands);
  for (const hal_command_t& command : commands) {
    if (hal_status_t status = Local().command_buffer->record(command_buffer, &command); status != HAL_STATUS_OK)
      return status;
  }
  return Local().command_buffer->end(command_buffer);
}

void DestroyCollected(hal_object_t* command_buffer) {
  g_collected.Take(reinterpret_cast<hal_command_buffer_t*>(command_buffer));
  Local().command_buffer->destroy(command_buffer);
}

}  // namespace halyard::mutants
