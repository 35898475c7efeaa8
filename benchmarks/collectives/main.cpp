// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All-reduce of f32, in place, on CUDA devices of this process: through a channel, and by NCCL called directly.
//
//   halyard-collectives [devices [largest size in bytes]]
//
// One thread submits the parts of all ranks. *Latency* is from the first call until all ranks are known to be done, in
// microseconds. The *rate* is that of operations in a row, each after the one before, in GB/s of bus bandwidth:
// 2 (n - 1) / n times the bytes over the time. Both sides take turns, and medians of the turns are shown.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"
#include "raw_nccl.h"

namespace halyard::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

void Must(hal_status_t status) {
  if (status != HAL_STATUS_OK) throw std::runtime_error(hal_last_error_message());
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The same through a channel.
class Channels {
 public:
  Channels(size_t count, uint64_t bytes) {
    std::vector<hal_device_t*> raw;
    for (size_t i = 0; i < count; ++i) {
      devices_.push_back(hal::Device::Open(("cuda://" + std::to_string(i)).c_str()));
      done_.push_back(hal::Semaphore::Create(devices_[i]));
      buffers_.push_back(devices_[i].allocator().Allocate(bytes, HAL_BUFFER_PARAMS_INIT));
      raw.push_back(devices_[i].get());
    }
    std::vector<hal_channel_t*> made(count);
    Must(hal_channel_create_all(count, raw.data(), 0, made.data()));
    for (hal_channel_t* const channel : made) channels_.push_back(hal::Channel(channel));
    for (size_t i = 0; i < count; ++i) devices_[i].queues().Fill({}, {{done_[i], 1}}, buffers_[i], 0.0F);
    Must(hal_channel_wait(made[0], HAL_TIMEOUT_INFINITE));
    Wait();
  }
  std::string engine() const {
    hal_channel_info_t info = HAL_INIT(hal_channel_info_t);
    Must(hal_channel_query(channels_[0].get(), &info));
    return {info.engine.data, info.engine.size};
  }
  void Submit(uint64_t bytes) {
    for (size_t i = 0; i < devices_.size(); ++i) {
      hal_collective_params_t sum = HAL_COLLECTIVE_PARAMS_INIT;
      sum.element_type = HAL_ELEMENT_TYPE_F32;
      sum.count = bytes / sizeof(float);
      sum.source = sum.target = hal_buffer_ref(buffers_[i], 0, bytes);
      devices_[i].queues().Collective({{done_[i], value_}}, {{done_[i], value_ + 1}}, channels_[i], sum);
    }
    ++value_;
  }
  void Wait() {
    for (const hal::Semaphore& each : done_) each.Wait(value_);
  }

 private:
  std::vector<hal::Device> devices_;
  std::vector<hal::Semaphore> done_;
  std::vector<hal::Buffer> buffers_;
  std::vector<hal::Channel> channels_;
  uint64_t value_ = 1;
};

template <class Side>
double Time(Side& side, uint64_t bytes, size_t count) {
  const auto begin = Clock::now();
  for (size_t i = 0; i < count; ++i) side.Submit(bytes);
  side.Wait();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / static_cast<double>(count);
}

/// How long one takes by itself, and one of several in a row.
struct Times {
  std::vector<double> alone;
  std::vector<double> in_a_row;
};

template <class Side>
void TakeTurn(Side& side, uint64_t bytes, size_t count, Times* out) {
  for (size_t i = 0; i < count; ++i) out->alone.push_back(Time(side, bytes, 1));
  out->in_a_row.push_back(Time(side, bytes, count));
}

void Run(size_t ranks, uint64_t largest) {
  std::vector<int> ordinals(ranks);
  std::iota(ordinals.begin(), ordinals.end(), 0);
  Channels channels(ranks, largest);
  RawNccl raw(ordinals, largest);
  std::printf("%zu ranks; channel: %s; directly: NCCL %d\n", ranks, channels.engine().c_str(), raw.version());
  std::printf("%12s %12s %12s %7s %14s %14s %7s\n", "bytes", "latency us", "raw us", "+us", "rate GB/s", "raw GB/s",
              "ratio");
  for (uint64_t bytes = 8; bytes <= largest; bytes = bytes == 8          ? 32 << 10
                                                     : bytes == 32 << 10 ? 512 << 10
                                                                         : bytes * 2) {
    if (bytes > 1 << 20 && bytes < largest && bytes != 16 << 20 && bytes != 128 << 20) continue;
    const size_t count = bytes >= 128 << 20 ? 8 : bytes >= 1 << 20 ? 30 : 100;
    Times own;
    Times direct;
    for (int turn = 0; turn < 5; ++turn) {
      TakeTurn(raw, bytes, count, &direct);
      TakeTurn(channels, bytes, count, &own);
    }
    const double factor = 2.0 * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
    const auto rate = [&](double us) { return factor * static_cast<double>(bytes) / us / 1e3; };
    const double latency = Median(own.alone);
    const double row = Median(own.in_a_row);
    std::printf("%12llu %12.1f %12.1f %7.1f %14.3f %14.3f %7.3f\n", static_cast<unsigned long long>(bytes), latency,
                Median(direct.alone), latency - Median(direct.alone), rate(row), rate(Median(direct.in_a_row)),
                Median(direct.in_a_row) / row);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace halyard::benchmarks

int main(int argc, char** argv) {
  try {
    const size_t ranks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2;
    const uint64_t largest = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : uint64_t{1} << 30;
    halyard::benchmarks::Run(ranks, largest);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-collectives: %s\n", error.what());
    return 1;
  }
}
