// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-ring: a producer and a consumer, two processes, share a ring of buffers and two timelines. No byte is
/// copied.
///
///     producer's device fills a slot --written--> consumer's device marks it --> consumer looks --seen--> producer
///
/// The producer makes buffers and semaphores that can leave (`handles`), exports them and sends the descriptors. From
/// then on each process uses its own objects: both timelines count frames, and each device waits for them on its
/// queues. If one of the processes ends in between, the timelines fail, and the other one hears of it in its next wait.
///
/// The processes begin by fork() before either has used the library: a vendor's library does not work after it.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/halyard.hpp"
#include "ring/channel.h"

namespace examples {
namespace {

constexpr uint64_t kFrames = 200;
constexpr uint64_t kSlots = 4;
constexpr uint64_t kKilledAt = 100;  // the frame at which a process ends that is to end
constexpr uint64_t kWords = 4096;
constexpr uint64_t kLength = kWords * sizeof(uint32_t);  // bytes
constexpr uint32_t kMark = 0x80000000;

struct Options {
  std::string uri = "local";
  bool in_device = false;   // where the slots lie
  std::string_view killed;  // "producer", "consumer", or empty
};

/// What both have. `written` stands at 7 once frame 7 is written, `seen` once the consumer has no need of it any more.
struct Ring {
  hal::Device device;
  hal::Semaphore written;
  hal::Semaphore seen;
  std::array<hal::Buffer, kSlots> slots;

  const hal::Buffer& SlotOf(uint64_t frame) const { return slots[frame % kSlots]; }
};

hal_buffer_params_t SlotParams(const Options& options) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;  // memory of the device
  if (!options.in_device) params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  return params;
}

Ring MakeRing(const Options& options, const Channel& consumer) {
  Ring ring;
  ring.device = hal::Device::Open(options.uri);
  hal_buffer_params_t params = SlotParams(options);
  params.handles = options.in_device ? HAL_PEER_HANDLE_VIRTUAL_FD : HAL_PEER_HANDLE_HOST_FD;
  for (hal::Semaphore* semaphore : {&ring.written, &ring.seen}) {
    *semaphore = hal::Semaphore::CreateShared(ring.device);
    consumer.Send(semaphore->Export(HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD));
  }
  for (hal::Buffer& slot : ring.slots) {
    slot = ring.device.allocator().Allocate(kLength, params);
    consumer.Send(
        slot.Export(options.in_device ? HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD : HAL_EXTERNAL_MEMORY_TYPE_HOST_FD));
  }
  return ring;
}

Ring JoinRing(const Options& options, const Channel& producer) {
  Ring ring;
  ring.device = hal::Device::Open(options.uri);
  for (hal::Semaphore* semaphore : {&ring.written, &ring.seen}) {
    hal_external_semaphore_t external = HAL_INIT(hal_external_semaphore_t);
    producer.Receive(&external);
    *semaphore = hal::Semaphore::Import(ring.device, external);
    close(static_cast<int>(external.handle));
  }
  for (hal::Buffer& slot : ring.slots) {
    hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
    producer.Receive(&external);
    slot = ring.device.allocator().Import(external, SlotParams(options), [] {});
    close(static_cast<int>(external.handle));
  }
  return ring;
}

/// All work is submitted at once: the queue waits until the consumer has seen what the slot had before. A timeline only
/// moves forward, so each frame waits for the one before it, too.
void Produce(const Options& options, const Channel& consumer) {
  const Ring ring = MakeRing(options, consumer);
  const uint64_t last = options.killed == "producer" ? kKilledAt : kFrames;
  for (uint64_t frame = 1; frame <= last; ++frame) {
    const uint64_t before = frame > kSlots ? frame - kSlots : 0;
    ring.device.queues().Fill({ring.seen.At(before), ring.written.At(frame - 1)}, ring.written.At(frame),
                              ring.SlotOf(frame), static_cast<uint32_t>(frame));
  }
  if (last < kFrames) {
    ring.written.Wait(last);
    raise(SIGKILL);
  }
  ring.seen.Wait(kFrames);
}

/// The device marks the first word of each frame in place, in the memory that both have.
void Consume(const Options& options, const Channel& producer) {
  const Ring ring = JoinRing(options, producer);
  const hal::Semaphore marked = hal::Semaphore::Create(ring.device);
  const hal::Buffer look = ring.device.allocator().Allocate(kLength, HAL_BUFFER_PARAMS_STAGING_INIT);
  std::vector<uint32_t> words(kWords);
  for (uint64_t frame = 1; frame <= kFrames; ++frame) {
    if (frame == kKilledAt && options.killed == "consumer") raise(SIGKILL);
    const auto number = static_cast<uint32_t>(frame);
    const hal::Buffer& slot = ring.SlotOf(frame);
    ring.device.queues().Fill(ring.written.At(frame), marked.At(2 * frame - 1), slot.Range(0, sizeof(uint32_t)),
                              number | kMark);
    ring.device.queues().Copy(marked.At(2 * frame - 1), marked.At(2 * frame), slot, look);
    marked.Wait(2 * frame);
    look.Read(words);
    for (uint64_t i = 0; i < kWords; ++i) {
      if (words[i] != (i == 0 ? number | kMark : number)) throw std::runtime_error("a word has the wrong value");
    }
    ring.seen.Signal(frame);
  }
  std::printf("%llu frames, all as expected\n", static_cast<unsigned long long>(kFrames));
}

/// Runs a part in a process of its own.
pid_t Start(const char* name, void (*part)(const Options&, const Channel&), const Options& options, int socket,
            int other_socket) {
  const pid_t process = fork();
  if (process != 0) return process;
  close(other_socket);
  int result = 0;
  try {
    const Channel channel(socket);
    part(options, channel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    result = 1;
  }
  std::fflush(nullptr);
  std::exit(result);
}

/// Whether the process ended well; says so if it was killed.
bool Await(const char* name, pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the %s was killed\n", name);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Run(const Options& options) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw std::runtime_error("no sockets");
  const pid_t producer = Start("producer", Produce, options, sockets[0], sockets[1]);
  const pid_t consumer = Start("consumer", Consume, options, sockets[1], sockets[0]);
  for (const int socket : sockets) close(socket);
  const bool produced = Await("producer", producer);
  const bool consumed = Await("consumer", consumer);
  return produced && consumed;
}

Options Parse(int argc, char** argv) {
  constexpr std::string_view kKill = "--kill=";
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kKill)) {
      options.killed = argument.substr(kKill.size());
    } else if (argument == "--memory=device") {
      options.in_device = true;
    } else {
      options.uri = argument;
    }
  }
  return options;
}

}  // namespace
}  // namespace examples

// halyard-ring [URI] [--memory=device] [--kill=producer|consumer]: with --kill, that process is killed at frame 100.
int main(int argc, char** argv) {
  try {
    return examples::Run(examples::Parse(argc, argv)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-ring: %s\n", error.what());
    return 1;
  }
}
