// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-sharing: one buffer of one GPU, used by a CUDA device and a Vulkan device in turn, without a copy.
///
///     Vulkan fills --> CUDA looks, and fills --> Vulkan looks
///
/// Vulkan allocates the memory and exports it as a file descriptor. CUDA imports that (cuda_import.cpp). Semaphores of
/// Halyard keep the devices in step: a queue of one device may wait for a semaphore of another, whatever their drivers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "halyard/vulkan_interop.h"
#include "sharing/cuda_import.h"
#include "support/halyard_handles.h"

namespace examples {
namespace {

constexpr int kSkipped = 77;  // as test programs tell CTest
constexpr uint64_t kWords = 1 << 20;
constexpr uint64_t kLength = kWords * sizeof(uint32_t);  // bytes

/// The machine lacks what the example is about.
struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Device OpenOrSkip(const std::string& uri) {
  hal_device_t* device = nullptr;
  if (hal_device_create(View(uri), &device) == HAL_STATUS_OK) return Device(device);
  throw Skipped(uri + ": " + hal_last_error_message());
}

/// The UUID that both drivers tell of a GPU. CUDA writes "GPU-" before it.
std::string UuidOf(hal_device_t* cuda) {
  const hal_string_view_t id = hal_device_info(cuda)->id;
  constexpr std::string_view kPrefix = "GPU-";
  std::string_view text(id.data, id.size);
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  return std::string(text);
}

/// One device's side: the shared memory as its buffer, memory for the host to look at, and a timeline that moves with
/// its work.
struct Side {
  Device device;
  Buffer shared;
  Buffer seen;
  Semaphore done;

  void Open(Device opened) {
    device = std::move(opened);
    seen = AllocateBuffer(device.get(), kLength);
    done = Create<Semaphore>("create a semaphore", hal_semaphore_create, device.get(), nullptr);
  }
  void Fill(hal_timeline_point_t wait, uint64_t signal, uint32_t word) const {
    const hal_timeline_point_t point = hal_timeline_point(done.get(), signal);
    Check(hal_device_queue_fill(device.get(),
                                hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&point, 1)),
                                hal_buffer_ref(shared.get(), 0, HAL_WHOLE_SIZE), &word, sizeof(word)),
          "fill the buffer");
  }
  void Look(hal_timeline_point_t wait, uint64_t signal) const {
    const hal_timeline_point_t point = hal_timeline_point(done.get(), signal);
    Check(hal_device_queue_copy(
              device.get(), hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&point, 1)),
              hal_buffer_ref(shared.get(), 0, HAL_WHOLE_SIZE), hal_buffer_ref(seen.get(), 0, HAL_WHOLE_SIZE)),
          "copy the buffer");
  }
  void Expect(const char* name, uint32_t word) const {
    std::vector<uint32_t> words(kWords);
    Check(hal_buffer_read(seen.get(), 0, words.data(), kLength), "read what was seen");
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == word) continue;
      throw std::runtime_error(std::string(name) + " sees " + std::to_string(words[i]) + " at word " +
                               std::to_string(i) + ", not " + std::to_string(word));
    }
  }
};

void Share(Side& vulkan, Side& cuda) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage |= HAL_BUFFER_USAGE_EXPORT;
  vulkan.shared = Create<Buffer>("allocate the buffer", hal_allocator_allocate,
                                 hal_device_allocator(vulkan.device.get()), &params, kLength);
  const void* table = nullptr;
  Check(hal_device_query_interface(vulkan.device.get(), hal_string_view(HAL_VULKAN_INTEROP_INTERFACE), 1, &table),
        "find the extension of the Vulkan driver");
  hal_vulkan_memory_t memory = HAL_VULKAN_MEMORY_INIT;
  Check(static_cast<const hal_vulkan_interop_interface_t*>(table)->export_memory(
            vulkan.shared.get(), HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, &memory),
        "export the memory");
  cuda.shared = ImportIntoCuda(cuda.device.get(), memory, kLength);
}

/// Nothing here waits on the host but the end of a round, when it looks at what both have seen.
void TakeTurns(const Side& vulkan, const Side& cuda, uint64_t round) {
  const uint64_t turn = 2 * round;
  const auto word = static_cast<uint32_t>(round);
  vulkan.Fill(hal_timeline_point(cuda.done.get(), turn - 2), turn - 1, word);
  cuda.Look(hal_timeline_point(vulkan.done.get(), turn - 1), turn - 1);
  cuda.Fill(hal_timeline_point(cuda.done.get(), turn - 1), turn, ~word);
  vulkan.Look(hal_timeline_point(cuda.done.get(), turn), turn);
  Check(hal_semaphore_wait(vulkan.done.get(), turn, HAL_TIMEOUT_INFINITE), "finish a round");
  cuda.Expect("CUDA", word);
  vulkan.Expect("Vulkan", ~word);
}

void Run(const std::string& uri, uint64_t rounds) {
  Side cuda;
  cuda.Open(OpenOrSkip(uri));
  Side vulkan;
  vulkan.Open(OpenOrSkip("vulkan://" + UuidOf(cuda.device.get())));
  Share(vulkan, cuda);
  for (uint64_t round = 1; round <= rounds; ++round) TakeTurns(vulkan, cuda, round);
  std::printf("CUDA and Vulkan shared %llu bytes: %llu rounds, all as expected\n",
              static_cast<unsigned long long>(kLength), static_cast<unsigned long long>(rounds));
}

}  // namespace
}  // namespace examples

// halyard-sharing [--repeat=ROUNDS] [URI]: on a CUDA device, and the Vulkan device of the same GPU.
int main(int argc, char** argv) {
  constexpr std::string_view kRepeat = "--repeat=";
  std::string uri = "cuda://0";
  uint64_t rounds = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kRepeat)) {
      rounds = std::strtoull(argv[i] + kRepeat.size(), nullptr, 10);
    } else {
      uri = argument;
    }
  }
  try {
    examples::Run(uri, rounds);
    return 0;
  } catch (const examples::Skipped& reason) {
    std::printf("skipped, as it needs a GPU with CUDA and Vulkan: %s\n", reason.what());
    return examples::kSkipped;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-sharing: %s\n", error.what());
    return 1;
  }
}
