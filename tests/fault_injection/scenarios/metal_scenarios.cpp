// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/scenarios/metal_scenarios.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "cts/memory_blobs.h"
#include "fault_injection/vendor.h"
#include "halyard/metal_interop.h"
#include "metal/library_control.h"
#include "metal/native/metal_calls.h"
#include "sim/unit/sim_library.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using Words = std::vector<uint32_t>;
using SharedEvent = metal::Owned<metal::NativeSharedEvent>;

const hal_metal_interop_interface_t& Interop(const Device& device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_METAL_INTEROP_INTERFACE), 1, &table), "query interface");
  return *static_cast<const hal_metal_interop_interface_t*>(table);
}

SharedEvent MakeEvent(const Device& device) {
  void* native = nullptr;
  cts::Check(Interop(device).device(device, &native), "device");
  SharedEvent event;
  cts::Check(Publish(metal::NewSharedEvent(static_cast<metal::NativeDevice>(native), &event)), "newSharedEvent");
  return event;
}

// An event of the application releases a fill, whose end is another event.
void Events(Witness& witness) {
  const metal::AutoreleaseScope scope;
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto time = device.CreateSemaphore();
  const SharedEvent begun = MakeEvent(device);
  const SharedEvent ended = MakeEvent(device);
  const cts::Points go = {{time, 1}};
  const cts::Points filled = {{time, 2}};
  if (!witness.Ok(Interop(device).import_event(device, begun.get(), 7, go), "import_event")) return;
  const bool submitted = witness.Ok(device.QueueFill<uint32_t>(go, filled, buffer, 2), "fill") &&
                         witness.Ok(Interop(device).export_event(device, filled, ended.get(), 9), "export_event");
  metal::SetSignaledValue(begun.get(), 7);  // it is awaited, and not to be kept otherwise
  if (!submitted) return;
  const auto seen = device.CreateSemaphore();
  if (!witness.Ok(Interop(device).import_event(device, ended.get(), 9, cts::Points{{seen, 1}}), "import_event") ||
      !witness.Reached(seen, 1, "the exported event")) {
    return;
  }
  if (witness.Reached(time, 2, "fill")) witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 2), "filled");
}

constexpr const char* kStore = R"(#include <metal_stdlib>
using namespace metal;
constant uint kValue [[function_constant(0)]];
struct Arguments { device uint* target [[id(0)]]; };
kernel void store(constant Arguments& arguments [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  arguments.target[i] = kValue;
})";

// The image of a library of Metal's compiler.
std::string CompiledLibrary() {
  decltype(&halyardSimMetalLibrary) make = nullptr;
  sim::FindSymbol(dlopen(HALYARD_SIM_LIBRARY, RTLD_NOW | RTLD_LOCAL), "halyardSimMetalLibrary", &make);
  std::string image(make(kStore, nullptr, 0), '\0');
  static_cast<void>(make(kStore, image.data(), image.size()));
  return image;
}

// Loads `image`, whose pipelines go to `blobs` or come from there, and runs it.
void StoreWords(Witness& witness, const Device& device, const std::string& image, const hal_blob_store_t& blobs) {
  const hal_parameter_t target = hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE);
  const hal_specialization_t value = {0, sizeof(uint32_t), 7};
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view("store");
  info.parameter_count = 1;
  info.parameters = &target;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("metallib");
  params.data = image.data();
  params.data_size = image.size();
  params.exports = &info;
  params.export_count = 1;
  params.specializations = &value;
  params.specialization_count = 1;
  params.blobs = &blobs;
  cts::Executable kernels;
  if (!witness.Ok(hal_executable_create(device, &params, kernels.out()), "executable")) return;
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto done = device.CreateSemaphore();
  const auto dispatch = cts::Dispatch().Workgroups(64).Bind(buffer);
  if (!witness.Ok(device.QueueDispatch(cts::kNoWaits, {{done, 1}}, kernels, "store", dispatch), "dispatch")) return;
  if (witness.Reached(done, 1, "dispatch")) {
    witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 7), "the specialised kernel's words");
  }
}

// A library of Metal's compiler, whose pipelines are archived, and then come from the archive.
void Archives(Witness& witness) {
  const Device device = witness.Open();
  cts::MemoryBlobs store;
  const hal_blob_store_t blobs = store.Interface();
  const std::string image = CompiledLibrary();
  for (int i = 0; i < 2; ++i) StoreWords(witness, device, image, blobs);
}

// Recorded fills in encoders of both kinds, ordered by fences.
void Fences(Witness& witness) {
  constexpr size_t kCount = 32768;  // of words: a blit fills that many with one byte, and a kernel a part of a word
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(kCount, 1));
  const auto commands = device.Record([&](const cts::CommandBuffer& recording) {
    cts::Check(recording.Fill<uint32_t>(buffer, 0x02020202), "record a blit");
    cts::Check(recording.Barrier(), "record barrier");
    cts::Check(recording.Fill<uint8_t>(cts::Ref(buffer, 1, 1), 3), "record a kernel");
  });
  const auto done = device.CreateSemaphore();
  if (!witness.Ok(device.QueueExecute(cts::kNoWaits, {{done, 1}}, commands), "execute")) return;
  Words expected(kCount, 0x02020202);
  expected[0] = 0x02020302;
  if (witness.Reached(done, 1, "execute")) witness.Expect(device.Download<uint32_t>(buffer) == expected, "filled");
}

// Words that the host wrote, and the device writes next. A discrete GPU has a copy of them on each side.
void ManagedMemory(Witness& witness) {
  const Device device = witness.Open();
  auto managed = cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING);
  managed.memory_type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  const auto buffer = device.CreateBufferOf(Words(64, 1), managed);
  const auto done = device.CreateSemaphore();
  const cts::Ref half(buffer, 0, 128);
  if (!witness.Ok(device.QueueFill<uint32_t>(cts::kNoWaits, {{done, 1}}, half, 2), "fill")) return;
  Words expected(64, 1);
  std::fill_n(expected.begin(), 32, 2);
  if (witness.Reached(done, 1, "fill")) witness.Expect(device.Download<uint32_t>(buffer) == expected, "filled");
}

// A file for a capture. It goes with this object, when no device writes to it any more.
class CaptureDocument {
 public:
  CaptureDocument() { std::filesystem::remove_all(path_); }
  ~CaptureDocument() {
    AwaitClosed();
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  CaptureDocument(const CaptureDocument&) = delete;
  CaptureDocument& operator=(const CaptureDocument&) = delete;

  std::string path() const { return path_.string(); }
  bool exists() const { return std::filesystem::exists(path_); }
  // A device may close on a thread of the library.
  static void AwaitClosed() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(cts::kForever);
    while (!IsClosed({}, 0) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("halyard-capture-" + std::to_string(getpid()) + ".gputrace");
};

// A device is captured from its opening to its closing.
void Capture(Witness& witness) {
  const CaptureDocument document;
  Device device = witness.Open(0, "capture=" + document.path());
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto done = device.CreateSemaphore();
  if (witness.Ok(device.QueueFill<uint32_t>(cts::kNoWaits, {{done, 1}}, buffer, 2), "fill") &&
      witness.Reached(done, 1, "fill")) {
    witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 2), "filled");
  }
  witness.Expect(!document.exists(), "the capture ends with its device");
}

// What exports an event fails without a semaphore; the event is set all the same.
constexpr Scenario kMetalScenarios[] = {{"Events", Events, "commandBufferWithUnretainedReferences"},
                                        {"Archives", Archives},
                                        {"Fences", Fences},
                                        {"ManagedMemory", ManagedMemory},
                                        {"Capture", Capture}};

}  // namespace

std::span<const Scenario> MetalScenarios() { return kMetalScenarios; }

}  // namespace halyard::fault_injection
