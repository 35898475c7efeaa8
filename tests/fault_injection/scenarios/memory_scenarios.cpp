// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations in the order of queues, memory of others, files.
#include <unistd.h>

#include <array>
#include <memory>
#include <string_view>

#include "cts/callbacks.h"
#include "fault_injection/scenarios/scenario.h"
#include "fault_injection/vendor.h"

namespace halyard::fault_injection {
namespace {

using cts::Buffer;
using cts::Device;
using cts::kNoWaits;
using cts::Ref;
using Words = std::vector<uint32_t>;

// Allocates, uses and frees memory three times, without a wait on the host in between.
void AllocaChain(Witness& witness) {
  const Device device = witness.Open();
  const auto out = device.CreateBufferOf(Words(3, 0), cts::Mappable());
  const auto time = device.CreateSemaphore();
  uint64_t now = 0;
  const auto next = [&](auto submit, const char* what) {
    const cts::Points waits = {{time, now}};
    const cts::Points signals = {{time, now + 1}};
    ++now;
    return witness.Ok(submit(waits, signals), what);
  };
  for (uint32_t i = 0; i < 3; ++i) {
    Buffer buffer;
    const bool submitted =
        next([&](auto& w, auto& s) { return device.QueueAlloca(w, s, 4096, &buffer); }, "alloca") &&
        next([&](auto& w, auto& s) { return device.QueueFill<uint32_t>(w, s, buffer, 7 + i); }, "fill") &&
        next([&](auto& w, auto& s) { return device.QueueCopy(w, s, Ref(buffer, 0, 4), Ref(out, 4 * i, 4)); }, "copy") &&
        next([&](auto& w, auto& s) { return device.QueueDealloca(w, s, buffer); }, "dealloca");
    if (!submitted) return;
  }
  if (witness.Reached(time, now, "chain")) witness.Expect(device.Download<uint32_t>(out) == Words{7, 8, 9}, "chain");
}

// Every kind of memory, and a trim of the cached blocks.
void Heaps(Witness& witness) {
  const Device device = witness.Open();
  auto managed = cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING);
  managed.memory_type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  for (const hal_buffer_params_t& params : {cts::DeviceLocal(), cts::Mappable(), managed}) {
    const auto buffer = device.CreateBufferOf(Words(16, 3), params);
    witness.Expect(device.Download<uint32_t>(buffer) == Words(16, 3), "what was written is there");
  }
  witness.Ok(hal_allocator_trim(device.allocator()), "trim");
}

struct alignas(4096) Page {
  std::array<uint32_t, 1024> words{};
};

// @param owner  keeps the memory until the release callback has come
Buffer Import(const Device& device, hal_external_memory_type_t type, uint64_t handle, hal_memory_type_t memory_type,
              const std::shared_ptr<void>& owner) {
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = type;
  memory.handle = handle;
  memory.length = 4096;
  hal_buffer_params_t params = cts::DeviceLocal();
  params.memory_type = memory_type;
  Buffer buffer;
  void* const release = cts::AddCallback([owner](hal_status_t, const std::string&) { return HAL_STATUS_OK; });
  const hal_status_t status =
      hal_allocator_import(device.allocator(), &params, &memory, cts::CallRelease, release, buffer.out());
  if (status != HAL_STATUS_OK) cts::WithdrawCallback(release);
  cts::Check(status, "hal_allocator_import");
  return buffer;
}

// Copies host memory into device memory that was imported.
void ImportAndExport(Witness& witness) {
  const Device device = witness.Open();
  const auto page = std::make_shared<Page>();
  page->words.fill(77);
  const auto owner = std::make_shared<Buffer>(
      device.CreateBuffer(4096, cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT)));
  hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
  if (!witness.Ok(hal_buffer_export(*owner, TestedVendor().device_memory, &exported), "export")) return;
  const auto source = Import(device, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER,
                             reinterpret_cast<uintptr_t>(page->words.data()), HAL_MEMORY_TYPE_HOST_VISIBLE, page);
  const auto target =
      Import(device, TestedVendor().device_memory, exported.handle, HAL_MEMORY_TYPE_DEVICE_LOCAL, owner);
  const auto done = device.CreateSemaphore();
  if (!witness.Ok(device.QueueCopy(kNoWaits, {{done, 1}}, source, target), "copy")) return;
  if (witness.Reached(done, 1, "copy")) {
    witness.Expect(device.Download<uint32_t>(*owner) == Words(1024, 77), "imported memory");
  }
}

// Memory that leaves by a descriptor and comes back as another buffer, if the device has it.
void MoveByHandle(Witness& witness, hal_peer_handles_t handle, hal_external_memory_type_t type,
                  hal_memory_type_t memory_type) {
  const Device device = witness.Open();
  hal_peer_properties_t own = HAL_INIT(hal_peer_properties_t);
  if (!witness.Ok(hal_device_query_peer(device, device, &own), "query_peer")) return;
  if ((own.memory_handles & handle) == 0) return;
  hal_buffer_params_t params = cts::DeviceLocal();
  params.memory_type = memory_type;
  hal_buffer_params_t leaving = params;
  leaving.handles = handle;
  const auto mine = device.CreateBuffer(4096, leaving);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  if (!witness.Ok(hal_buffer_export(mine, type, &memory), "export")) return;
  Buffer theirs;
  const hal_status_t status =
      hal_allocator_import(device.allocator(), &params, &memory, nullptr, nullptr, theirs.out());
  close(static_cast<int>(memory.handle));
  // So Vulkan's drivers answer to a descriptor of something else, and the library says that: INCOMPATIBLE.
  const bool is_refusal = status == HAL_STATUS_INCOMPATIBLE &&
                          std::string_view(hal_last_error_message()).find("OUT_OF_DEVICE") != std::string_view::npos;
  if (!witness.Ok(is_refusal ? HAL_STATUS_RESOURCE_EXHAUSTED : status, "import")) return;
  const auto done = device.CreateSemaphore();
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{done, 1}}, mine, 77), "fill")) return;
  if (witness.Reached(done, 1, "fill")) {
    witness.Expect(device.Download<uint32_t>(theirs) == Words(1024, 77), "both are the same memory");
  }
}

void HostHandles(Witness& witness) {
  MoveByHandle(witness, HAL_PEER_HANDLE_HOST_FD, HAL_EXTERNAL_MEMORY_TYPE_HOST_FD, HAL_MEMORY_TYPE_HOST_VISIBLE);
}
void VirtualHandles(Witness& witness) {
  MoveByHandle(witness, HAL_PEER_HANDLE_VIRTUAL_FD, HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD, HAL_MEMORY_TYPE_DEVICE_LOCAL);
}
void OpaqueHandles(Witness& witness) {
  MoveByHandle(witness, HAL_PEER_HANDLE_OPAQUE_FD, HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, HAL_MEMORY_TYPE_DEVICE_LOCAL);
}

// Copies a file to device memory, and that memory to another file.
void MoveFile(Witness& witness, size_t length) {
  const Device device = witness.Open();
  std::vector<uint8_t> bytes(length);
  for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  std::vector<uint8_t> back(length);
  cts::File in;
  cts::File out;
  cts::Check(hal_file_from_memory(bytes.data(), length, HAL_FILE_ACCESS_READ, nullptr, nullptr, in.out()), "file");
  cts::Check(hal_file_from_memory(back.data(), length, HAL_FILE_ACCESS_WRITE, nullptr, nullptr, out.out()), "file");
  const auto buffer = device.CreateBuffer(length);
  const auto done = device.CreateSemaphore();
  const bool submitted = witness.Ok(device.QueueRead(kNoWaits, {{done, 1}}, in, 0, buffer), "read") &&
                         witness.Ok(device.QueueWrite({{done, 1}}, {{done, 2}}, buffer, out, 0), "write");
  if (submitted && witness.Reached(done, 2, "file")) witness.Expect(bytes == back, "the file came back");
}

void Files(Witness& witness) { MoveFile(witness, 10'000); }
// Several pieces of the staging memory.
void LargeFilesSlow(Witness& witness) { MoveFile(witness, (size_t{12} << 20) + 100); }

constexpr Scenario kMemoryScenarios[] =
    {  // On Metal and Vulkan an allocation is tried again once what comes before has ended.
        {"AllocaChain", AllocaChain, "newBufferWithLength:options:,vkCreateBuffer,vkBindBufferMemory"},
        {"HostAllocaChain", AllocaChain, "", Apis::kStreams, "&async_allocation=false"},
        {"Heaps", Heaps},
        {"ImportAndExport", ImportAndExport},
        {"HostHandles", HostHandles},
        {"VirtualHandles", VirtualHandles, "", Apis::kStreams},
        {"OpaqueHandles", OpaqueHandles, "", Apis::kOthers},
        {"Files", Files},
        {"LargeFilesSlow", LargeFilesSlow}};

}  // namespace

std::span<const Scenario> MemoryScenarios() { return kMemoryScenarios; }

}  // namespace halyard::fault_injection
