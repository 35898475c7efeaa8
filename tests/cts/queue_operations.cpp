// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/queue_operations.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "cts/cts.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

constexpr size_t kWords = 64;
constexpr uint64_t kLength = kWords * sizeof(uint32_t);
constexpr uint32_t kPattern = 0xC0FFEE11;

Buffer BufferOf(const Device& device, uint32_t value) {
  return device.CreateBufferOf(std::vector<uint32_t>(kWords, value));
}

/// A test that looks for `value` in every word of a buffer.
std::function<bool()> Holds(const Device& device, const Buffer& buffer, uint32_t value) {
  return [=] { return device.Download<uint32_t>(buffer) == std::vector<uint32_t>(kWords, value); };
}

Operation MakeBarrier(const Device& device) {
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_barrier(device, hal::SubmitParams(waits, signals, queues));
          },
          nullptr};
}

Operation MakeAlloca(const Device& device) {
  auto buffer = std::make_shared<Buffer>();
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            const hal_buffer_params_t params = DeviceLocal();
            return hal_device_queue_alloca(device, hal::SubmitParams(waits, signals, queues), &params, kLength,
                                           buffer->out());
          },
          nullptr};
}

Operation MakeDealloca(const Device& device) {
  Buffer buffer;
  const Semaphore allocated = device.CreateSemaphore();
  Check(device.QueueAlloca(kNoWaits, {{allocated, 1}}, kLength, &buffer), "hal_device_queue_alloca");
  Check(allocated.Wait(1), "alloca");
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_dealloca(device, hal::SubmitParams(waits, signals, queues), buffer);
          },
          nullptr};
}

Operation MakeFill(const Device& device) {
  const Buffer target = BufferOf(device, 0);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_fill(device, hal::SubmitParams(waits, signals, queues), Ref(target), &kPattern,
                                         sizeof(kPattern));
          },
          Holds(device, target, kPattern)};
}

Operation MakeUpdate(const Device& device) {
  const Buffer target = BufferOf(device, 0);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            const std::vector<uint32_t> data(kWords, kPattern);
            return hal_device_queue_update(device, hal::SubmitParams(waits, signals, queues), data.data(), Ref(target));
          },
          Holds(device, target, kPattern)};
}

Operation MakeCopy(const Device& device) {
  const Buffer source = BufferOf(device, kPattern);
  const Buffer target = BufferOf(device, 0);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_copy(device, hal::SubmitParams(waits, signals, queues), Ref(source), Ref(target));
          },
          Holds(device, target, kPattern)};
}

Operation MakeCopyStrided(const Device& device) {
  const Buffer source = BufferOf(device, kPattern);
  const Buffer target = BufferOf(device, 0);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
            params.source = Ref(source);
            params.target = Ref(target);
            params.width = 16;
            params.height = kLength / params.width;
            return hal_device_queue_copy_strided(device, hal::SubmitParams(waits, signals, queues), &params);
          },
          Holds(device, target, kPattern)};
}

/// A file of memory that lives as long as the file.
File FileOf(const std::shared_ptr<std::vector<uint32_t>>& words, hal_file_access_t access) {
  File file;
  void* keep = AddCallback([words](hal_status_t, const std::string&) { return HAL_STATUS_OK; });
  Check(hal_file_from_memory(words->data(), kLength, access, CallRelease, keep, file.out()), "hal_file_from_memory");
  return file;
}

Operation MakeRead(const Device& device) {
  const File file = FileOf(std::make_shared<std::vector<uint32_t>>(kWords, kPattern), HAL_FILE_ACCESS_READ);
  const Buffer target = BufferOf(device, 0);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_read(device, hal::SubmitParams(waits, signals, queues), file, 0, Ref(target));
          },
          Holds(device, target, kPattern)};
}

Operation MakeWrite(const Device& device) {
  const auto words = std::make_shared<std::vector<uint32_t>>(kWords, 0);
  const File file = FileOf(words, HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE);
  const Buffer source = BufferOf(device, kPattern);
  // Read back through the queue, because memory that a write may be touching is not looked at from here.
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_write(device, hal::SubmitParams(waits, signals, queues), Ref(source), file, 0);
          },
          [=] {
            const Buffer copy = BufferOf(device, 0);
            const Semaphore read = device.CreateSemaphore();
            Check(device.QueueRead(kNoWaits, {{read, 1}}, file, 0, copy), "hal_device_queue_read");
            Check(read.Wait(1), "read");
            return Holds(device, copy, kPattern)();
          }};
}

Operation MakeDispatch(const Device& device) {
  const Executable executable = device.LoadKernels("basic");
  const Buffer data = BufferOf(device, kPattern - 1);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            const Dispatch dispatch = Dispatch().Workgroups(1).Bind(data);
            return hal_device_queue_dispatch(device, hal::SubmitParams(waits, signals, queues), executable,
                                             executable.Export("add_one"), dispatch.params());
          },
          Holds(device, data, kPattern)};
}

Operation MakeExecute(const Device& device) {
  const Buffer target = BufferOf(device, 0);
  const CommandBuffer commands =
      device.Record([&](const CommandBuffer& c) { Check(c.Fill(target, kPattern), "hal_command_buffer_fill"); });
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            return hal_device_queue_execute(device, hal::SubmitParams(waits, signals, queues), commands, {nullptr, 0});
          },
          Holds(device, target, kPattern)};
}

Operation MakeHostCall(const Device& device) {
  const auto called = std::make_shared<std::atomic<bool>>(false);
  return {[=](hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
            void* callback = AddCallback([called](hal_status_t status, const std::string&) {
              if (status == HAL_STATUS_OK) *called = true;
              return status;
            });
            const hal_status_t status =
                hal_device_queue_host_call(device, hal::SubmitParams(waits, signals, queues), CallHostCall, callback);
            if (status != HAL_STATUS_OK) WithdrawCallback(callback);
            return status;
          },
          [called] { return called->load(); }};
}

}  // namespace

void PrintTo(const OperationKind& kind, std::ostream* out) { *out << kind.name; }

const std::vector<OperationKind>& OperationKinds() {
  static const std::vector<OperationKind> kinds = {
      {"barrier", MakeBarrier},
      {"alloca", MakeAlloca},
      {"dealloca", MakeDealloca},
      {"fill", MakeFill},
      {"update", MakeUpdate},
      {"copy", MakeCopy},
      {"copy_strided", MakeCopyStrided},
      {"read", MakeRead},
      {"write", MakeWrite},
      {"dispatch", MakeDispatch},
      {"execute", MakeExecute},
      {"host_call", MakeHostCall},
  };
  return kinds;
}

std::vector<OperationKind> VisibleOperationKinds() {
  std::vector<OperationKind> kinds;
  for (const OperationKind& kind : OperationKinds()) {
    const bool visible = kind.make != MakeBarrier && kind.make != MakeAlloca && kind.make != MakeDealloca;
    if (visible) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace halyard::cts
