// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An all-reduce between any devices: each argument is the URI of one, which gets a thread and a rank.
//
//   halyard-allreduce local://task local://task vulkan://0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "halyard/halyard.hpp"

namespace {

constexpr uint64_t kCount = 1 << 20;

/// Adds up what all ranks have: rank `i` has `i + 1` in every element. Returns whether the sum is right.
bool RunRank(const char* uri, const hal_channel_id_t& id, uint32_t rank, uint32_t rank_count) {
  const hal::Device device = hal::Device::Open(uri);
  const hal::Queue queue = device.queues();
  const hal::Semaphore timeline = hal::Semaphore::Create(device);

  hal_channel_params_t params = HAL_INIT(hal_channel_params_t);
  params.id = id;
  params.rank = rank;
  params.rank_count = rank_count;
  const hal::Channel channel = hal::Channel::Create(device, params);

  const hal::Buffer gradients = device.allocator().Allocate(kCount * sizeof(float), HAL_BUFFER_PARAMS_INIT);
  queue.Fill({}, {{timeline, 1}}, gradients, static_cast<float>(rank + 1));

  hal_collective_params_t sum = HAL_COLLECTIVE_PARAMS_INIT;
  sum.kind = HAL_COLLECTIVE_ALL_REDUCE;
  sum.reduction = HAL_REDUCTION_SUM;
  sum.element_type = HAL_ELEMENT_TYPE_F32;
  sum.count = kCount;
  sum.source = sum.target = hal_buffer_ref(gradients, 0, HAL_WHOLE_SIZE);  // in place
  queue.Collective({{timeline, 1}}, {{timeline, 2}}, channel, sum);

  std::vector<float> result(kCount);
  queue.Download({{timeline, 2}}, {{timeline, 3}}, gradients, result.data());
  timeline.Wait(3);
  const uint32_t sum_of_ranks = rank_count * (rank_count + 1) / 2;
  const auto expected = static_cast<float>(sum_of_ranks);
  return std::all_of(result.begin(), result.end(), [expected](float value) { return value == expected; });
}

int Run(int count, char** uris) {
  const hal_channel_id_t id = hal::Channel::CreateId();
  std::vector<std::thread> ranks;
  ranks.reserve(static_cast<size_t>(count));
  std::vector<int> right(static_cast<size_t>(count), 0);
  for (int rank = 0; rank < count; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        right[static_cast<size_t>(rank)] =
            RunRank(uris[rank], id, static_cast<uint32_t>(rank), static_cast<uint32_t>(count));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  if (!std::all_of(right.begin(), right.end(), [](int each) { return each != 0; })) return 1;
  std::printf("%d ranks: every element is %d\n", count, count * (count + 1) / 2);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1) return Run(argc - 1, argv + 1);
    std::fprintf(stderr, "usage: %s DEVICE...\n", argv[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 2;
}
