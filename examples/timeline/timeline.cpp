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

#include "support/halyard_handles.h"

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
  Device device;
  Executable executable;
  Semaphore written;
  Semaphore scaled;
  Semaphore shown;
  Buffer slots[kSlots];

  hal_buffer_t* SlotOf(uint64_t frame) const { return slots[frame % kSlots].get(); }
};

Pipeline MakePipeline(const std::string& uri) {
  Pipeline pipeline;
  pipeline.device = Create<Device>("open the device", hal_device_create, View(uri));
  hal_device_t* const device = pipeline.device.get();
  pipeline.executable = LoadExecutable(device, KERNELS);
  for (Semaphore* semaphore : {&pipeline.written, &pipeline.scaled, &pipeline.shown}) {
    *semaphore = Create<Semaphore>("create a semaphore", hal_semaphore_create, device, uint64_t{0});
  }
  for (Buffer& slot : pipeline.slots) slot = AllocateBuffer(device, kPixels * sizeof(float));
  return pipeline;
}

/// The device's part, for one frame: once it is written, scale it. Frames could be scaled side by side, but a timeline
/// only moves forward: so that `scaled` does not come to 2 before 1, each frame waits for the one before it, too.
void SubmitFrame(const Pipeline& pipeline, uint64_t frame) {
  const hal_buffer_ref_t binding = hal_buffer_ref(pipeline.SlotOf(frame), 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = hal_dim3(kWorkgroups, 1, 1);
  params.constants = &kFactor;
  params.constants_size = sizeof(kFactor);
  params.bindings = hal_buffer_ref_list(&binding, 1);
  const hal_timeline_point_t waits[] = {hal_timeline_point(pipeline.written.get(), frame),
                                        hal_timeline_point(pipeline.scaled.get(), frame - 1)};
  const hal_timeline_point_t signal = hal_timeline_point(pipeline.scaled.get(), frame);
  Check(hal_device_queue_dispatch(pipeline.device.get(), HAL_QUEUE_ANY, hal_semaphore_list(waits, 2),
                                  hal_semaphore_list(&signal, 1), pipeline.executable.get(), 0, &params),
        "submit a frame");
}

/// The camera's part: once a slot is free again, write the next frame into it.
void Film(const Pipeline& pipeline, uint64_t breaks_down_at) {
  for (uint64_t frame = 1; frame <= kFrames; ++frame) {
    if (frame > kSlots) Check(hal_semaphore_wait(pipeline.shown.get(), frame - kSlots, HAL_TIMEOUT_INFINITE), "film");
    if (frame == breaks_down_at) throw std::runtime_error("the camera broke down at frame " + std::to_string(frame));
    const std::vector<float> pixels(kPixels, static_cast<float>(frame));
    Check(hal_buffer_write(pipeline.SlotOf(frame), 0, pixels.data(), kPixels * sizeof(float)), "write a frame");
    Check(hal_semaphore_signal(pipeline.written.get(), frame), "hand a frame over");
  }
}

/// The display's part: once a frame is scaled, look at it and return its slot.
void Show(const Pipeline& pipeline) {
  std::vector<float> pixels(kPixels);
  for (uint64_t frame = 1; frame <= kFrames; ++frame) {
    Check(hal_semaphore_wait(pipeline.scaled.get(), frame, HAL_TIMEOUT_INFINITE), "show a frame");
    Check(hal_buffer_read(pipeline.SlotOf(frame), 0, pixels.data(), kPixels * sizeof(float)), "read a frame");
    for (const float pixel : pixels) {
      if (pixel != kFactor * static_cast<float>(frame)) throw std::runtime_error("a pixel has the wrong value");
    }
    Check(hal_semaphore_signal(pipeline.shown.get(), frame), "return a slot");
  }
}

/// Runs a part on a thread of its own. If it gives up, the timeline that others wait for fails, so that they end, too.
template <typename Part>
std::future<void> Start(const char* name, const Semaphore& timeline, Part part) {
  return std::async(std::launch::async, [=, semaphore = timeline.get()] {
    try {
      part();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name, error.what());
      hal_semaphore_fail(semaphore, HAL_STATUS_ABORTED, hal_string_view(error.what()));
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
