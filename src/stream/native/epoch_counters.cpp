// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/epoch_counters.h"

#include <cstring>

#include "base/host_memory.h"
#include "platform/memory.h"

namespace halyard::stream {

EpochCounters::~EpochCounters() {
  if (registered_) api_.UnregisterHost(lines_);
  if (lines_) HostFree(lines_, size_, PageSize());
}

Status EpochCounters::Make(uint32_t count, bool device_writes) {
  const size_t page = PageSize();
  size_ = (count * sizeof(Line) + page - 1) / page * page;
  lines_ = static_cast<Line*>(HostAllocate(size_, page));
  std::memset(lines_, 0, size_);
  if (!device_writes) return kOk;
  HAL_TRY(api_.RegisterHost(lines_, size_));
  registered_ = true;
  return api_.HostAddress(lines_, &address_);
}

}  // namespace halyard::stream
