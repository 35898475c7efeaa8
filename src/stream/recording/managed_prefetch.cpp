// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/managed_prefetch.h"

#include "base/status.h"
#include "stream/memory/stream_buffer.h"

namespace halyard::stream {
namespace {

void Prefetch(NativeApi& api, NativeStream stream, const hal_buffer_ref_t& ref,
              std::span<const hal_buffer_ref_t> table) noexcept {
  const hal_buffer_t* const buffer = ref.buffer                ? ref.buffer
                                     : ref.slot < table.size() ? table[ref.slot].buffer
                                                               : nullptr;
  if (!buffer) return;  // the code that runs the command says so
  const auto& memory = *static_cast<const StreamBuffer*>(buffer);
  if (memory.TakeFromHost()) api.PrefetchManaged(stream, memory.address(), memory.length).Ignore();
}

}  // namespace

void PrefetchManaged(NativeApi& api, NativeStream stream, CommandList commands,
                     std::span<const hal_buffer_ref_t> table) noexcept {
  for (const hal_command_t& command : commands) {
    if (command.type != HAL_COMMAND_TYPE_DISPATCH) continue;
    const hal_buffer_ref_list_t& bindings = command.u.dispatch.params->bindings;
    for (size_t i = 0; i < bindings.count; ++i) Prefetch(api, stream, bindings.refs[i], table);
  }
}

}  // namespace halyard::stream
