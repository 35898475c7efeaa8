// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events of the application, in one order with the library's queues (halyard/cuda_interop.h and the like).
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "engine/file_memory.h"
#include "fault_injection/application.h"
#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::kNoWaits;
using cts::Points;
using cts::Ref;
using Words = std::vector<uint32_t>;

/// 64 words, and where they are for the vendor.
struct Shared {
  explicit Shared(const Device& device)
      : buffer(device.CreateBuffer(256, cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT))) {
    hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
    cts::Check(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &exported), "hal_buffer_export");
    address = exported.handle;
  }
  const cts::Buffer buffer;
  uint64_t address = 0;
};

Words Halves(uint32_t first, uint32_t second) {
  Words words(64, first);
  words.resize(32);
  words.resize(64, second);
  return words;
}

/// Notes the result of a call that waits for `value`. If the submission that signals it has failed half-way, a wait on
/// the host reports that.
bool OkAfter(Witness& witness, const cts::Semaphore& time, uint64_t value, hal_status_t status, const char* what) {
  if (status != HAL_STATUS_FAILED_PRECONDITION) return witness.Ok(status, what);
  const bool reached = witness.Reached(time, value, what);
  witness.Expect(!reached, std::string(what) + " was refused although its wait was submitted");
  return false;
}

// A queue's work, then the application's, then a queue's again, all without the host.
void JoinedStream(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto stream = application.MakeStream();
  const auto& interop = application.interop();
  const Points filled = {{time, 1}};
  const Points overwritten = {{time, 2}};
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, filled, shared.buffer, 1), "fill")) return;
  if (!OkAfter(witness, time, 1, interop.wait_on_stream(device, stream, filled), "wait_on_stream")) return;
  application.Fill(stream, shared.address, 2, 32);
  if (!witness.Ok(interop.signal_from_stream(device, stream, overwritten), "signal_from_stream")) return;
  if (!witness.Ok(device.QueueCopy(overwritten, {{time, 3}}, shared.buffer, out, device.Queue(1)), "copy")) return;
  if (witness.Reached(time, 3, "copy")) witness.Expect(device.Download<uint32_t>(out) == Halves(2, 1), "all in order");
}

// Submissions to a stream that was begun, with the application's own work in between. The stream is ended after every
// failure.
bool SubmitIntoStream(Witness& witness, const Device& device, const cts::Semaphore& time, const Shared& shared,
                      Application& application, Stream stream) {
  const auto& interop = application.interop();
  const auto kernels = device.LoadKernels("basic");
  const auto recording = device.Record([&](const cts::CommandBuffer& commands) {
    cts::Check(commands.Dispatch(kernels, "add_one", cts::Dispatch().Workgroups(1).Bind(shared.buffer)), "dispatch");
  });
  application.Fill(stream, shared.address, 5, 64);
  if (!witness.Ok(interop.begin_stream(device, stream), "begin_stream")) return false;
  const bool submitted =
      witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, Ref(shared.buffer, 128, 128), 7), "fill") &&
      OkAfter(witness, time, 1, device.QueueExecute({{time, 1}}, {{time, 2}}, recording), "execute");
  return witness.Ok(interop.end_stream(device), "end_stream") && submitted;
}

void BegunStream(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto stream = application.MakeStream();
  if (!SubmitIntoStream(witness, device, time, shared, application, stream)) return;
  if (!witness.Reached(time, 2, "work in a stream")) return;
  witness.Expect(device.Download<uint32_t>(shared.buffer) == Halves(6, 8), "in the stream's order");
}

// An event of the application releases a queue's work, whose end is an event that another stream waits for.
void ImportedAndExportedEvents(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256, cts::Mappable());
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto before = application.MakeStream();
  const auto after = application.MakeStream();
  const auto begun = application.MakeEvent();
  const auto copied = application.MakeEvent();
  const auto& interop = application.interop();
  application.Fill(before, shared.address, 3, 64);
  application.Record(begun, before);
  if (!witness.Ok(interop.import_event(device, begun, Points{{time, 1}}), "import_event")) return;
  if (!witness.Ok(device.QueueCopy({{time, 1}}, {{time, 2}}, shared.buffer, out), "copy")) return;
  if (!OkAfter(witness, time, 2, interop.export_event(device, Points{{time, 2}}, copied), "export_event")) return;
  application.Wait(after, copied);
  application.Fill(after, shared.address, 4, 64);
  application.Synchronize(after);
  // An event cannot carry a failure; the semaphore can.
  if (!witness.Reached(time, 2, "copy")) return;
  witness.Expect(device.Download<uint32_t>(out) == Words(64, 3), "the copy came before what waited for it");
  witness.Expect(device.Download<uint32_t>(shared.buffer) == Words(64, 4), "the last fill");
}

// The application's work in the stream of a queue.
void SharedQueue(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto mask = device.Queue(0);
  void* stream = nullptr;
  if (!witness.Ok(application.interop().queue_stream(device, 0, &stream), "queue_stream")) return;
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, shared.buffer, 1, mask), "fill")) return;
  application.Fill(stream, shared.address, 2, 32);
  if (!witness.Ok(device.QueueCopy(kNoWaits, {{time, 2}}, shared.buffer, out, mask), "copy")) return;
  if (witness.Reached(time, 2, "copy")) witness.Expect(device.Download<uint32_t>(out) == Halves(2, 1), "all in order");
}

/// Memory of a process that does nothing else, as the simulation names it.
class ForeignMemory {
 public:
  ForeignMemory() {
    const int made = sim::MakeFile(0, kSize);
    file_ = dup(made);  // which goes through exec
    close(made);
    char program[] = "sleep";
    char time[] = "600";
    char* const arguments[] = {program, time, nullptr};
    if (posix_spawnp(&process_, program, nullptr, nullptr, arguments, environ) != 0) throw std::runtime_error("spawn");
  }
  ForeignMemory(const ForeignMemory&) = delete;
  ForeignMemory& operator=(const ForeignMemory&) = delete;
  ~ForeignMemory() {
    close(file_);
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  hal_external_memory_t Handle() const {
    sim::FileName name = sim::NameOf(file_, 0);
    name.process = process_;
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_IPC;
    memory.length = 4096;
    std::memcpy(memory.bytes, &name, sizeof(name));
    return memory;
  }

 private:
  static constexpr size_t kSize = size_t{2} << 20;
  int file_ = -1;
  pid_t process_ = -1;
};

// Memory that leaves by an IPC handle, and memory of another process, which comes by one.
void IpcHandles(Witness& witness) {
  static const ForeignMemory foreign;
  const Device device = witness.Open();
  hal_buffer_params_t leaving = cts::DeviceLocal();
  leaving.handles = HAL_PEER_HANDLE_IPC;
  const auto mine = device.CreateBuffer(4096, leaving);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  if (!witness.Ok(hal_buffer_export(mine, HAL_EXTERNAL_MEMORY_TYPE_IPC, &memory), "export")) return;
  const hal_buffer_params_t params = cts::DeviceLocal();
  const hal_external_memory_t given = foreign.Handle();
  cts::Buffer theirs;
  if (!witness.Ok(hal_allocator_import(device.allocator(), &params, &given, nullptr, nullptr, theirs.out()),
                  "import")) {
    return;
  }
  const auto time = device.CreateSemaphore();
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, theirs, 77), "fill")) return;
  if (!witness.Ok(device.QueueCopy({{time, 1}}, {{time, 2}}, theirs, mine), "copy")) return;
  if (witness.Reached(time, 2, "copy")) witness.Expect(device.Download<uint32_t>(mine) == Words(1024, 77), "the copy");
}

constexpr Scenario kInteropScenarios[] = {{"JoinedStream", JoinedStream},
                                          {"IpcHandles", IpcHandles},
                                          {"BegunStream", BegunStream},
                                          {"ImportedAndExportedEvents", ImportedAndExportedEvents},
                                          {"SharedQueue", SharedQueue}};

}  // namespace

std::span<const Scenario> InteropScenarios() { return kInteropScenarios; }

}  // namespace halyard::fault_injection
