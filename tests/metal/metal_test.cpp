// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal_test.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "sim/unit/sim_library.h"

namespace halyard::metal {
namespace {

constexpr const char* kHold = R"(#include <metal_stdlib>
using namespace metal;
struct Arguments { device atomic_uint* flag [[id(0)]]; };
kernel void hold(constant Arguments& arguments [[buffer(0)]]) {
  while (atomic_load_explicit(arguments.flag, memory_order_relaxed) == 0) {}
}
)";

MetalSim Load() {
  void* const library = dlopen(std::getenv("HALYARD_METAL_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  MetalSim sim;
  sim::FindSymbol(library, "halyardSimReset", &sim.Reset);
  sim::FindSymbol(library, "halyardSimFail", &sim.Fail);
  sim::FindSymbol(library, "halyardSimCalls", &sim.Calls);
  sim::FindSymbol(library, "halyardSimObjects", &sim.Objects);
  sim::FindSymbol(library, "halyardSimReport", &sim.Report);
  sim::FindSymbol(library, "halyardSimMetalCompiledFunctions", &sim.CompiledFunctions);
  sim::FindSymbol(library, "halyardSimMetalLibrary", &sim.Library);
  sim::FindSymbol(library, "halyardSimMetalLog", &sim.Log);
  sim::FindSymbol(library, "halyardSimMetalHoldPipelines", &sim.HoldPipelines);
  sim::FindSymbol(library, "halyardSimMetalFastLibraries", &sim.FastLibraries);
  sim::FindSymbol(library, "halyardSimMetalLoggingLibraries", &sim.LoggingLibraries);
  return sim;
}

}  // namespace

const MetalSim& MetalSim::Get() {
  static const MetalSim sim = Load();
  return sim;
}

std::string MetalSim::Reports() const {
  std::string text(Report(nullptr, 0), '\0');
  static_cast<void>(Report(text.data(), text.size()));
  text.resize(text.find('\0'));
  return text;
}

std::string MetalSim::MakeLibrary(const std::string& source) const {
  std::string image(Library(source.c_str(), nullptr, 0), '\0');
  static_cast<void>(Library(source.c_str(), image.data(), image.size()));
  return image;
}

MetalTest::~MetalTest() {
  cts::ExpectAllCallbacksCalled();
  EXPECT_EQ(sim().Reports(), "");
}

cts::Device MetalTest::Open(const std::string& parameters) {
  return cts::OpenDevice("metal://0" + (parameters.empty() ? "" : "?" + parameters));
}

void MetalTest::AwaitNothingLeft() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(cts::kForever);
  while (sim().Objects() != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  EXPECT_EQ(sim().Objects(), 0u);
}

LogRecorder::LogRecorder() {
  const auto record = [](void* self, hal_log_level_t level, hal_string_view_t message) {
    auto* const recorder = static_cast<LogRecorder*>(self);
    {
      const std::lock_guard lock(recorder->mutex_);
      recorder->lines_.push_back({level, cts::Text(message)});
    }
    recorder->count_.Add();
  };
  hal_set_log_callback(record, this, HAL_LOG_LEVEL_DEBUG);
}

LogRecorder::~LogRecorder() { hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_WARNING); }

std::vector<LogRecorder::Line> LogRecorder::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

void PrintTo(const LogRecorder::Line& line, std::ostream* out) { *out << line.level << ": " << line.text; }

MetalSource& MetalSource::Export(const char* name, std::vector<hal_parameter_t> parameters, uint32_t constants_size) {
  parameters_.push_back(std::move(parameters));
  hal_export_info_t& info = exports_.emplace_back();
  info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(name);
  info.constants_size = constants_size;
  info.parameter_count = static_cast<uint32_t>(parameters_.back().size());
  info.parameters = parameters_.back().data();
  return *this;
}

MetalSource& MetalSource::Specialize(uint32_t id, uint32_t size, uint64_t value) {
  specializations_.push_back({id, size, value});
  return *this;
}

hal_executable_params_t MetalSource::params() const {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(format_);
  params.data = text_.data();
  params.data_size = text_.size();
  params.exports = exports_.data();
  params.export_count = exports_.size();
  params.specializations = specializations_.data();
  params.specialization_count = specializations_.size();
  return params;
}

hal_status_t MetalSource::Create(const cts::Device& device, cts::Executable* out_executable) const {
  const hal_executable_params_t params = this->params();
  return hal_executable_create(device, &params, out_executable->out());
}

hal_status_t MetalSource::Create(const cts::Device& device) const {
  cts::Executable executable;
  return Create(device, &executable);
}

HeldDispatch::HeldDispatch(const cts::Device& device)
    : flag_(device.CreateBuffer(sizeof(uint32_t), cts::Mappable(HAL_BUFFER_USAGE_ALL))),
      done_(device.CreateSemaphore()) {
  MetalSource source(kHold);
  source.Export("hold", {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE)});
  cts::Check(source.Create(device, &kernel_), "hold");
  device.Upload(flag_, std::vector<uint32_t>{0});
  void* memory = nullptr;
  cts::Check(hal_buffer_map(flag_, HAL_MAP_ACCESS_WRITE, 0, sizeof(uint32_t), &memory), "hal_buffer_map");
  mapped_ = static_cast<uint32_t*>(memory);
  cts::Check(device.QueueDispatch(cts::kNoWaits, {end()}, kernel_, "hold", cts::Dispatch().Bind(flag_)), "hold");
}

HeldDispatch::~HeldDispatch() {
  Release();
  static_cast<void>(done_.Wait(1));
  static_cast<void>(hal_buffer_unmap(flag_));
}

void HeldDispatch::Release() { std::atomic_ref(*mapped_).store(1); }

const hal_metal_interop_interface_t& InteropOf(const cts::Device& device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, hal_string_view(HAL_METAL_INTEROP_INTERFACE), 1, &table),
             HAL_METAL_INTEROP_INTERFACE);
  return *static_cast<const hal_metal_interop_interface_t*>(table);
}

}  // namespace halyard::metal
