// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-timeline: two threads and a device pass frames along, and only semaphores keep them in step.
///
///     camera thread --written--> device --scaled--> display thread --shown--> camera thread
///
/// For readers who know Vulkan: every semaphore of Halyard is a timeline semaphore, and they are all there is: no
/// fences to reset, no binary semaphores. Host and device wait for them and signal them alike. A wait may be submitted
/// long before its signal: here all work of the device is submitted before the first frame exists. And a semaphore can
/// *fail*. The failure travels along the waits, so that a thread that gives up need only fail its timeline.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace examples {
namespace {

constexpr uint64_t kFrames = 100;
constexpr uint64_t kSlots = 2;  // frames that are under way at a time
constexpr size_t kPixels = 1024;
constexpr float kFactor = 10;
constexpr uint32_t kWorkgroups = kPixels / 64;  // scale() takes 64 numbers to a workgroup

/// The device, a ring of buffers, and three timelines. All of them count frames, from 1: `written` stands at 7 once
/// frame 7 is written.
struct Pipeline {
  hal::Device device;
  hal::Executable executable;
  hal::Semaphore written;
  hal::Semaphore scaled;
  hal::Semaphore shown;
  hal::Buffer slots[kSlots];

  const hal::Buffer& SlotOf(uint64_t frame) const { return slots[frame % kSlots]; }
};

Pipeline MakePipeline(const std::string& uri) {
  Pipeline pipeline;
  pipeline.device = hal::Device::Open(uri);
  pipeline.executable = hal::Executable::Load(pipeline.device, KERNELS);
  for (hal::Semaphore* semaphore : {&pipeline.written, &pipeline.scaled, &pipeline.shown}) {
    *semaphore = hal::Semaphore::Create(pipeline.device);
  }
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;  // memory that the host can write and read
  params.usage |= HAL_BUFFER_USAGE_STORAGE;                     // and kernels, too
  for (hal::Buffer& slot : pipeline.slots) {
    slot = pipeline.device.allocator().Allocate(kPixels * sizeof(float), params);
  }
  return pipeline;
}

/// The device's part, for one frame: once it is written, scale it. Frames could be scaled side by side, but a timeline
/// only moves forward: so that `scaled` does not come to 2 before 1, each frame waits for the one before it, too.
void SubmitFrame(const Pipeline& pipeline, uint64_t frame) {
  pipeline.device.queues().Dispatch({pipeline.written.At(frame), pipeline.scaled.At(frame - 1)},
                                    pipeline.scaled.At(frame), pipeline.executable, 0,
                                    hal::Dispatch(kWorkgroups).Constant(kFactor).Bind(pipeline.SlotOf(frame)));
}

/// The camera's part: once a slot is free again, write the next frame into it.
void Film(const Pipeline& pipeline, uint64_t breaks_down_at) {
  for (uint64_t frame = 1; frame <= kFrames; ++frame) {
    if (frame > kSlots) pipeline.shown.Wait(frame - kSlots);
    if (frame == breaks_down_at) throw std::runtime_error("the camera broke down at frame " + std::to_string(frame));
    pipeline.SlotOf(frame).Write(std::vector<float>(kPixels, static_cast<float>(frame)));
    pipeline.written.Signal(frame);
  }
}

/// The display's part: once a frame is scaled, look at it and return its slot.
void Show(const Pipeline& pipeline) {
  std::vector<float> pixels(kPixels);
  for (uint64_t frame = 1; frame <= kFrames; ++frame) {
    pipeline.scaled.Wait(frame);
    pipeline.SlotOf(frame).Read(pixels);
    for (const float pixel : pixels) {
      if (pixel != kFactor * static_cast<float>(frame)) throw std::runtime_error("a pixel has the wrong value");
    }
    pipeline.shown.Signal(frame);
  }
}

/// Runs a part on a thread of its own. If it gives up, the timeline that others wait for fails, so that they end, too.
template <typename Part>
std::future<void> Start(const char* name, const hal::Semaphore& timeline, Part part) {
  return std::async(std::launch::async, [=, &timeline] {
    try {
      part();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name, error.what());
      timeline.Fail(HAL_STATUS_ABORTED, error.what());
      throw;
    }
  });
}

void Run(const std::string& uri, uint64_t breaks_down_at) {
  const Pipeline pipeline = MakePipeline(uri);
  for (uint64_t frame = 1; frame <= kFrames; ++frame) SubmitFrame(pipeline, frame);
  std::future<void> camera = Start("camera", pipeline.written, [&] { Film(pipeline, breaks_down_at); });
  std::future<void> display = Start("display", pipeline.shown, [&] { Show(pipeline); });
  camera.wait();
  display.get();
  camera.get();
  std::printf("%llu frames, all as expected\n", static_cast<unsigned long long>(kFrames));
}

}  // namespace
}  // namespace examples

// halyard-timeline [URI [FRAME]]: on a device; with FRAME, the camera breaks down there.
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local", argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-timeline: %s\n", error.what());
    return 1;
  }
}
