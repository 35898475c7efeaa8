// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-digits: recognises handwritten digits on any Halyard device.
///
/// The network was trained elsewhere (train.py). Here it is loaded, recorded once as a reusable command
/// buffer, and executed for batch after batch of digits that it has never seen. Read Recognise() first, then
/// network.cpp.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "digits_data.h"
#include "network.h"
#include "options.h"

namespace digits {
namespace {

constexpr uint32_t kClasses = 10;
constexpr size_t kDrawnPerLine = 4;

/// Where a file or folder of this program lies: where the user says, else beside an installed program, else
/// where the build left it.
std::filesystem::path Find(const char* argv0, const std::string& chosen, const char* from_program,
                           const char* in_build_tree) {
  if (!chosen.empty()) return chosen;
  std::error_code unknown;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);  // Linux knows
  if (unknown) program = std::filesystem::absolute(argv0, unknown);
  const std::filesystem::path installed = (program.parent_path() / from_program).lexically_normal();
  return std::filesystem::exists(installed, unknown) ? installed : in_build_tree;
}

/// Prints a URI for every device that could be opened, and the reason for every driver that cannot.
void ListDevices() {
  hal_registry_t* registry = hal_registry_default();
  size_t driver_count = 0;
  Check(hal_registry_list_drivers(registry, &driver_count, nullptr), "count the drivers");
  std::vector<hal_driver_info_t> drivers(driver_count, HAL_INIT(hal_driver_info_t));
  Check(hal_registry_list_drivers(registry, &driver_count, drivers.data()), "list the drivers");

  for (const hal_driver_info_t& info : drivers) {
    hal_driver_t* opened = nullptr;
    const hal_status_t status = hal_registry_open_driver(registry, info.name, &opened);
    const Driver driver(opened);
    if (status != HAL_STATUS_OK) {
      std::printf("%s: not available here: %s\n", info.name.data, hal_last_error_message());
      continue;
    }
    size_t device_count = 0;
    Check(hal_driver_list_devices(driver.get(), &device_count, nullptr), "count the devices");
    std::vector<hal_device_summary_t> devices(device_count, HAL_INIT(hal_device_summary_t));
    Check(hal_driver_list_devices(driver.get(), &device_count, devices.data()), "list the devices");
    for (const hal_device_summary_t& device : devices) {
      std::printf("%s://%s  %s\n", info.name.data, device.id.data, device.name.data);
    }
  }
}

/// Records what a device does while it lives, if it was given a file to write to.
class Trace {
 public:
  Trace(hal_device_t* device, const std::string& path) : device_(device), path_(path) {
    if (path_.empty()) return;
    writer_ = Create<TraceWriter>("create a trace writer", hal_trace_writer_create);
    const hal_profiling_sink_t sink = hal_trace_writer_sink(writer_.get());
    Check(hal_device_profiling_begin(device_, HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES, &sink),
          "begin profiling");
    is_profiling_ = true;
  }
  ~Trace() {
    if (is_profiling_) hal_device_profiling_end(device_);
  }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void Write() {
    if (!is_profiling_) return;
    is_profiling_ = false;
    Check(hal_device_profiling_end(device_), "end profiling");
    Check(hal_trace_writer_write(writer_.get(), View(path_)), "write the trace");
    std::printf("trace: %s\n", path_.c_str());
  }

 private:
  hal_device_t* device_;
  std::string path_;
  TraceWriter writer_;
  bool is_profiling_ = false;
};

/// Picks digits to draw: evenly spread, the last one a digit that was misread if there is any.
std::vector<size_t> PickDigits(const Digits& digits, std::span<const int32_t> predictions, size_t wanted) {
  std::vector<size_t> picked(std::min<size_t>(wanted, digits.count));
  for (size_t i = 0; i < picked.size(); ++i) picked[i] = i * digits.count / picked.size();
  for (size_t i = 0; i < digits.count && !picked.empty(); ++i) {
    if (predictions[i] == digits.labels[i]) continue;
    picked.back() = i;
    break;
  }
  return picked;
}

/// Draws digits side by side, with what the network reads in them underneath.
void Draw(const Digits& digits, std::span<const int32_t> predictions, std::span<const size_t> picked) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  const int width = static_cast<int>(2 * digits.width);  // a character is about half as wide as it is high
  for (; !picked.empty(); picked = picked.subspan(std::min(picked.size(), kDrawnPerLine))) {
    const auto line = picked.first(std::min(picked.size(), kDrawnPerLine));
    for (uint32_t y = 0; y < digits.height; ++y) {
      for (const size_t index : line) {
        for (const uint8_t pixel : digits.Image(index).subspan(size_t{y} * digits.width, digits.width)) {
          const char shade = kShades[pixel * (kShades.size() - 1) / digits.max_pixel];
          std::printf("%c%c", shade, shade);
        }
        std::printf("  ");
      }
      std::printf("\n");
    }
    for (const size_t index : line) {
      std::string caption = "read as " + std::to_string(predictions[index]);
      if (predictions[index] != digits.labels[index]) caption += ", is " + std::to_string(digits.labels[index]);
      std::printf("%-*s  ", width, caption.c_str());
    }
    std::printf("\n\n");
  }
}

double Accuracy(const Digits& digits, std::span<const int32_t> predictions) {
  size_t right = 0;
  for (size_t i = 0; i < digits.count; ++i) right += predictions[i] == digits.labels[i] ? 1 : 0;
  return static_cast<double>(right) / digits.count;
}

/// The main job, from the files to the accuracy line.
void Recognise(const Options& options, const std::filesystem::path& data, const std::filesystem::path& kernels) {
  const Digits digits = ReadHeldOutDigits(data / "digits.bin");
  const uint32_t pixels = digits.PixelsPerImage();
  const std::vector<Layer> layers = ReadLayers(data / "digits_weights.bin", pixels, kClasses);

  const auto device = Create<Device>("open the device", hal_device_create, View(options.device));
  const hal_device_info_t& info = *hal_device_info(device.get());
  std::printf("device: %s (%s)\n", options.device.c_str(), info.name.data);
  std::printf("network: %u pixels", pixels);
  for (const Layer& layer : layers) std::printf(" -> %u", layer.out_features);
  std::printf("\n\n");
  Trace trace(device.get(), options.trace);

  // One timeline orders all that follows: uploads, batches, download. The host only waits where it needs a
  // result.
  Timeline timeline(device.get());
  Network network(device.get(), timeline, kernels.string(), layers, options.batch);

  // The recording takes whole batches, so the last one is filled up with empty images whose predictions are
  // ignored.
  const uint32_t batches = (digits.count + options.batch - 1) / options.batch;
  const size_t rows = size_t{batches} * options.batch;
  std::vector<float> values(digits.pixels.begin(), digits.pixels.end());
  values.resize(rows * pixels, 0.0f);
  const Buffer images = AllocateOnDevice(device.get(), rows * pixels * sizeof(float));
  const Buffer predictions = AllocateOnDevice(device.get(), rows * sizeof(int32_t));
  Upload(device.get(), timeline, values, images.get());
  timeline.Wait();

  const auto start = std::chrono::steady_clock::now();
  const uint64_t image_bytes = uint64_t{options.batch} * pixels * sizeof(float);
  const uint64_t prediction_bytes = uint64_t{options.batch} * sizeof(int32_t);
  for (uint32_t pass = 0; pass < options.repeat; ++pass) {
    for (uint32_t batch = 0; batch < batches; ++batch) {
      network.Submit(timeline, hal_buffer_ref(images.get(), batch * image_bytes, image_bytes),
                     hal_buffer_ref(predictions.get(), batch * prediction_bytes, prediction_bytes));
    }
  }
  timeline.Wait();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  const std::vector<int32_t> answers = Download(device.get(), timeline, predictions.get(), digits.count);
  Draw(digits, answers, PickDigits(digits, answers, options.show));
  std::printf("accuracy: %.1f %%\n", 100 * Accuracy(digits, answers));
  std::printf("speed: %.0f images per second (%u images, %u times, in batches of %u)\n",
              static_cast<double>(digits.count) * options.repeat / elapsed.count(), digits.count, options.repeat,
              options.batch);
  trace.Write();
}

void Run(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  if (options.help) {
    std::printf("%s", HelpText().c_str());
  } else if (options.list_devices) {
    ListDevices();
  } else {
    Recognise(options, Find(argv[0], options.data, "../share/halyard/digits", HALYARD_DIGITS_DATA),
              Find(argv[0], options.kernels, "../lib/halyard/kernels/digits_kernels.halx", HALYARD_DIGITS_KERNELS));
  }
}

}  // namespace
}  // namespace digits

int main(int argc, char** argv) {
  try {
    digits::Run(argc, argv);
    if (std::fflush(stdout) != 0) throw std::runtime_error("cannot write the output");
    return 0;
  } catch (const digits::UsageError& error) {
    std::fprintf(stderr, "halyard-digits: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-digits: %s\n", error.what());
    return 1;
  }
}
