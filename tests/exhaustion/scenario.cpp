// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exhaustion/scenario.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>

#include "halyard/cpp/submit.hpp"

namespace halyard::exhaustion {
namespace {

using cts::View;
using Executable = cts::Handle<hal_executable_t, hal_executable_retain, hal_executable_release>;
using CommandBuffer = cts::Handle<hal_command_buffer_t, hal_command_buffer_retain, hal_command_buffer_release>;

constexpr uint64_t kLength = 4096;  // bytes of each buffer
constexpr hal_queue_mask_t kAny = HAL_QUEUE_ANY;
constexpr uint32_t kAddOne = 1;  // ordinals of the kernel set "basic"
constexpr uint32_t kAddConstant = 2;

hal_semaphore_list_t One(const hal_timeline_point_t& point) { return {&point, 1}; }
hal_buffer_ref_t Whole(hal_buffer_t* buffer) { return hal_buffer_ref(buffer, 0, HAL_WHOLE_SIZE); }

/// Fails a semaphore at the end of a scope, so that what was submitted for it and never signalled ends.
struct Ending {
  ~Ending() {
    if (semaphore) (void)hal_semaphore_fail(semaphore, HAL_STATUS_CANCELLED, hal_string_view("the scenario ends"));
  }
  hal_semaphore_t* semaphore;
};

hal_dispatch_params_t Grid(const hal_buffer_ref_t* bindings, size_t count) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = hal_dim3(16, 1, 1);
  params.bindings = hal_buffer_ref_list(bindings, count);
  return params;
}

bool Holds(Run& run, hal_buffer_t* buffer, uint32_t expected) {
  static std::array<uint32_t, kLength / 4> words;
  if (!run.Ok(hal_buffer_read(buffer, 0, words.data(), kLength), "read")) return false;
  for (const uint32_t word : words) {
    if (word == expected) continue;
    run.Expect(false, "the results are those of all work that succeeded");
    return false;
  }
  return true;
}

void OpenDevice(Run& run) {
  Device device;
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  if (!run.Open(&device)) return;
  run.Ok(hal_allocator_query_statistics(hal_device_allocator(device), &statistics), "statistics");
}

void ListDrivers(Run& run) {
  cts::Registry registry;
  cts::Driver driver;
  Device device;
  if (!run.Ok(hal_registry_create(registry.out()), "registry")) return;
  std::array<hal_driver_info_t, 16> drivers;
  drivers.fill(HAL_INIT(hal_driver_info_t));
  size_t count = drivers.size();
  if (!run.Ok(hal_registry_list_drivers(registry, &count, drivers.data()), "list drivers")) return;
  const std::string name = run.uri().substr(0, run.uri().find(':'));
  if (!run.Ok(hal_registry_open_driver(registry, View(name), driver.out()), "open driver")) return;
  std::array<hal_device_summary_t, 16> devices;
  devices.fill(HAL_INIT(hal_device_summary_t));
  count = devices.size();
  if (!run.Ok(hal_driver_list_devices(driver, &count, devices.data()), "list devices")) return;
  run.Ok(hal_driver_create_device(driver, hal_string_view(""), 0, nullptr, device.out()), "device");
}

void LoadExecutable(Run& run) {
  Device device;
  Executable executable;
  uint32_t ordinal = 0;
  if (!run.Open(&device) || !run.Load(device, executable.out())) return;
  if (!run.Ok(hal_executable_find_export(executable, hal_string_view("add_one"), &ordinal), "find")) return;
  run.Expect(ordinal == kAddOne, "the export has its ordinal");
}

bool RecordAll(Run& run, const Device& device, hal_executable_t* executable, CommandBuffer* out) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 2;
  const uint32_t pattern = 5;
  const uint32_t constant = 7;
  const std::array both = {hal_slot_ref(0, 0, kLength), hal_slot_ref(1, 0, kLength)};
  hal_dispatch_params_t add_constant = Grid(both.data(), 2);
  add_constant.constants = &constant;
  add_constant.constants_size = sizeof(constant);
  const hal_dispatch_params_t add_one = Grid(&both[1], 1);
  cts::Event event;
  if (!run.Ok(hal_event_create(device, event.out()), "event") ||
      !run.Ok(hal_command_buffer_create(device, &params, out->out()), "command buffer")) {
    return false;
  }
  hal_command_buffer_t* const commands = *out;
  hal_event_t* const signalled = event;
  const bool recorded =
      run.Ok(hal_command_buffer_begin(commands), "begin") &&
      run.Ok(hal_command_buffer_begin_debug_group(commands, hal_string_view("group")), "begin group") &&
      run.Ok(hal_command_buffer_fill(commands, both[0], &pattern, 4), "record fill") &&
      run.Ok(hal_command_buffer_signal_event(commands, event), "signal event") &&
      run.Ok(hal_command_buffer_wait_events(commands, 1, &signalled), "wait events") &&
      run.Ok(hal_command_buffer_dispatch(commands, executable, kAddConstant, &add_constant), "record dispatch") &&
      run.Ok(hal_command_buffer_barrier(commands), "record barrier") &&
      run.Ok(hal_command_buffer_dispatch(commands, executable, kAddOne, &add_one), "record dispatch") &&
      run.Ok(hal_command_buffer_end_debug_group(commands), "end group");
  const hal_status_t ended = hal_command_buffer_end(commands);
  run.Expect(recorded || ended != HAL_STATUS_OK, "half a command buffer does not end well");
  return run.Ok(ended, "end") && recorded;
}

void RecordAndExecute(Run& run) {
  Device device;
  Executable executable;
  cts::Buffer first;
  cts::Buffer second;
  cts::Semaphore semaphore;
  CommandBuffer commands;
  if (!run.Open(&device) || !run.Load(device, executable.out()) || !run.Allocate(device, kLength, &first) ||
      !run.Allocate(device, kLength, &second) ||
      !run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore") ||
      !RecordAll(run, device, executable, &commands)) {
    return;
  }
  const Ending ending{semaphore};
  const std::array table = {Whole(first), Whole(second)};
  for (uint64_t step = 1; step < 3; ++step) {
    const hal_timeline_point_t before = hal_timeline_point(semaphore, step);
    const hal_timeline_point_t after = hal_timeline_point(semaphore, step + 1);
    const hal_status_t status = hal_device_queue_execute(device, hal::SubmitParams(One(before), One(after), kAny),
                                                         commands, hal_buffer_ref_list(table.data(), table.size()));
    if (!run.Ok(status, "execute")) return;
  }
  if (!run.Ok(hal_semaphore_signal(semaphore, 1), "signal") || !run.Reached(semaphore, 3)) return;
  Holds(run, second, 13);
}

hal_status_t CountCall(void* count, hal_status_t) {
  ++*static_cast<std::atomic<int>*>(count);
  return HAL_STATUS_OK;
}

void SubmitEverything(Run& run) {
  static std::atomic<int> calls;
  calls = 0;
  bool submitted = false;
  [&] {
    Device device;
    Executable executable;
    cts::Buffer first;
    cts::Buffer second;
    cts::Semaphore done;
    cts::Semaphore gate;
    if (!run.Open(&device) || !run.Load(device, executable.out()) || !run.Allocate(device, kLength, &first) ||
        !run.Allocate(device, kLength, &second) ||
        !run.Ok(hal_semaphore_create(device, nullptr, done.out()), "semaphore") ||
        !run.Ok(hal_semaphore_create(device, nullptr, gate.out()), "semaphore")) {
      return;
    }
    const Ending ending{gate};
    const hal_timeline_point_t open = hal_timeline_point(gate, 1);
    std::array<hal_timeline_point_t, 8> at;
    for (size_t i = 0; i < at.size(); ++i) at[i] = hal_timeline_point(done, i + 1);
    std::array<hal_timeline_point_t, 40> many;
    for (size_t i = 0; i < many.size(); ++i) many[i] = i % 2 ? at[3] : open;
    const uint32_t pattern = 9;
    const hal_buffer_ref_t binding = Whole(second);
    const hal_dispatch_params_t grid = Grid(&binding, 1);
    if (!run.Ok(
            hal_device_queue_fill(device, hal::SubmitParams(One(open), One(at[0]), kAny), Whole(first), &pattern, 4),
            "fill") ||
        !run.Ok(
            hal_device_queue_copy(device, hal::SubmitParams(One(at[0]), One(at[1]), kAny), Whole(first), Whole(second)),
            "copy") ||
        !run.Ok(hal_device_queue_dispatch(device, hal::SubmitParams(One(at[1]), One(at[2]), kAny), executable, kAddOne,
                                          &grid),
                "dispatch")) {
      return;
    }
    submitted =
        run.Ok(hal_device_queue_host_call(device, hal::SubmitParams(One(at[2]), One(at[3]), kAny), CountCall, &calls),
               "host call");
    if (!submitted ||
        !run.Ok(hal_device_queue_barrier(device, hal::SubmitParams({many.data(), many.size()}, One(at[4]), kAny)),
                "barrier") ||
        !run.Ok(hal_semaphore_signal(gate, 1), "signal") || !run.Reached(done, 5)) {
      return;
    }
    Holds(run, second, 10);
  }();
  while (submitted && calls == 0) usleep(100);  // a call is made in any case, with the failure of what it waits for
  run.Expect(calls == (submitted ? 1 : 0), "the host call is made once, if it was submitted");
}

void AllocateInOrder(Run& run) {
  Device device;
  cts::Buffer target;
  cts::Semaphore semaphore;
  if (!run.Open(&device) || !run.Allocate(device, kLength, &target) ||
      !run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) {
    return;
  }
  const Ending ending{semaphore};
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const uint32_t pattern = 3;
  uint64_t value = 1;
  for (int i = 0; i < 3; ++i, value += 4) {
    std::array<hal_timeline_point_t, 5> at;
    for (size_t j = 0; j < at.size(); ++j) at[j] = hal_timeline_point(semaphore, value + j);
    cts::Buffer made;
    const hal_status_t status =
        hal_device_queue_alloca(device, hal::SubmitParams(One(at[0]), One(at[1]), kAny), &params, kLength, made.out());
    run.Expect(status == HAL_STATUS_OK || !made.get(), "an allocation that was refused makes no buffer");
    if (!run.Ok(status, "alloca") ||
        !run.Ok(
            hal_device_queue_fill(device, hal::SubmitParams(One(at[1]), One(at[2]), kAny), Whole(made), &pattern, 4),
            "fill") ||
        !run.Ok(
            hal_device_queue_copy(device, hal::SubmitParams(One(at[2]), One(at[3]), kAny), Whole(made), Whole(target)),
            "copy") ||
        !run.Ok(hal_device_queue_dealloca(device, hal::SubmitParams(One(at[3]), One(at[4]), kAny), made), "dealloca")) {
      return;
    }
  }
  if (!run.Ok(hal_semaphore_signal(semaphore, 1), "signal") || !run.Reached(semaphore, value)) return;
  Holds(run, target, pattern);
}

void CountRelease(void* count) { ++*static_cast<std::atomic<int>*>(count); }

void ReadAndWriteFiles(Run& run) {
  const std::string path = run.Path("file");
  static std::atomic<int> releases;
  static std::array<char, kLength> memory;
  releases = 0;
  memory.fill(0x11);
  bool taken = false;
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  run.Expect(ftruncate(descriptor, 2 * kLength) == 0, "the file can be made");
  [&] {
    Device device;
    cts::Buffer first;
    cts::Buffer second;
    cts::Semaphore semaphore;
    cts::File named;
    cts::File given;
    cts::File held;
    if (!run.Open(&device) || !run.Allocate(device, kLength, &first) || !run.Allocate(device, kLength, &second) ||
        !run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) {
      return;
    }
    const Ending ending{semaphore};
    if (!run.Ok(hal_file_open(View(path), HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE, named.out()), "file") ||
        !run.Ok(hal_file_from_descriptor(descriptor, HAL_FILE_ACCESS_READ, given.out()), "descriptor")) {
      return;
    }
    taken = run.Ok(
        hal_file_from_memory(memory.data(), memory.size(), HAL_FILE_ACCESS_READ, CountRelease, &releases, held.out()),
        "memory");
    if (!taken) return;
    std::array<hal_timeline_point_t, 4> at;
    for (size_t i = 0; i < at.size(); ++i) at[i] = hal_timeline_point(semaphore, i + 1);
    if (!run.Ok(hal_device_queue_read(device, hal::SubmitParams(One(at[0]), One(at[1]), kAny), held, 0, Whole(first)),
                "read") ||
        !run.Ok(hal_device_queue_write(device, hal::SubmitParams(One(at[1]), One(at[2]), kAny), Whole(first), named,
                                       kLength),
                "write") ||
        !run.Ok(hal_device_queue_read(device, hal::SubmitParams(One(at[2]), One(at[3]), kAny), given, kLength,
                                      Whole(second)),
                "read") ||
        !run.Ok(hal_semaphore_signal(semaphore, 1), "signal") || !run.Reached(semaphore, 4)) {
      return;
    }
    Holds(run, second, 0x11111111);
  }();
  close(descriptor);
  unlink(path.c_str());
  while (taken && releases == 0) usleep(100);
  run.Expect(releases == (taken ? 1 : 0), "the memory of a file is released once, if the file was made");
}

void PrepareInCaches(Run& run) {
  const std::string folder = run.Path("cache");
  {
    Device device;
    hal_executable_cache_params_t params = HAL_INIT(hal_executable_cache_params_t);
    params.directory = View(folder);
    hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
    kernels.path = hal_string_view(HALYARD_BASIC_KERNELS);
    if (!run.Open(&device)) return;
    for (int i = 0; i < 2; ++i) {
      cts::ExecutableCache cache;
      Executable prepared;
      Executable again;
      if (!run.Ok(hal_executable_cache_create(device, &params, cache.out()), "cache") ||
          !run.Ok(hal_executable_cache_prepare(cache, &kernels, prepared.out()), "prepare") ||
          !run.Ok(hal_executable_cache_prepare(cache, &kernels, again.out()), "prepare again")) {
        break;
      }
      run.Expect(prepared.get() == again.get(), "a cache makes one executable of one image");
    }
  }
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    run.Expect(entry.path().extension() != ".tmp", "no temporary file stays");
  }
  std::filesystem::remove_all(folder, none);
}

void Profile(Run& run) {
  Device device;
  Executable executable;
  cts::Buffer buffer;
  cts::Semaphore semaphore;
  if (!run.Open(&device) || !run.Load(device, executable.out()) || !run.Allocate(device, kLength, &buffer) ||
      !run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) {
    return;
  }
  hal_trace_writer_t* writer = nullptr;
  if (!run.Ok(hal_trace_writer_create(&writer), "trace writer")) return;
  const std::string path = run.Path("trace.json");
  [&] {
    const hal_profiling_sink_t sink = hal_trace_writer_sink(writer);
    const hal_profiling_flags_t flags = HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES;
    if (!run.Ok(hal_device_profiling_begin(device, flags, &sink), "profile")) return;
    const hal_timeline_point_t done = hal_timeline_point(semaphore, 1);
    const hal_buffer_ref_t binding = Whole(buffer);
    const hal_dispatch_params_t grid = Grid(&binding, 1);
    const bool reached = run.Ok(hal_device_queue_dispatch(device, hal::SubmitParams({nullptr, 0}, One(done), kAny),
                                                          executable, kAddOne, &grid),
                                "dispatch") &&
                         run.Reached(semaphore, 1);
    if (!run.Ok(hal_device_profiling_end(device), "end of profiling") || !reached) return;
    run.Ok(hal_trace_writer_write(writer, View(path)), "write");
  }();
  hal_trace_writer_destroy(writer);
  unlink(path.c_str());
}

void TraceByParameter(Run& run) {
  const std::string path = run.Path("own_trace.json");
  const std::string uri = run.uri() + (run.uri().find('?') == std::string::npos ? "?" : "&") + "trace=" + path;
  {
    Device device;
    cts::Semaphore semaphore;
    if (run.Ok(hal_device_create(View(uri), device.out()), "device") &&
        run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) {
      const hal_timeline_point_t done = hal_timeline_point(semaphore, 1);
      if (run.Ok(hal_device_queue_barrier(device, hal::SubmitParams({nullptr, 0}, One(done), kAny)), "barrier"))
        run.Reached(semaphore, 1);
    }
  }
  unlink(path.c_str());
}

void CountTimepoint(void* count, hal_status_t, hal_string_view_t) { ++*static_cast<std::atomic<int>*>(count); }

void WaitForSemaphores(Run& run) {
  static std::atomic<int> called;
  called = 0;
  int registered = 0;
  [&] {
    Device device;
    std::array<cts::Semaphore, 6> semaphores;
    cts::Fence fence;
    if (!run.Open(&device)) return;
    for (cts::Semaphore& semaphore : semaphores) {
      if (!run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) return;
    }
    for (size_t i = 0; i < 20; ++i) {
      if (!run.Ok(hal_semaphore_notify(semaphores[i % 6], 1 + i / 6, CountTimepoint, &called, nullptr), "notify"))
        return;
      ++registered;
    }
    std::array<hal_timeline_point_t, 6> points;
    for (size_t i = 0; i < points.size(); ++i) points[i] = hal_timeline_point(semaphores[i], 1);
    const hal_status_t early = hal_semaphore_list_wait({points.data(), points.size()}, HAL_WAIT_ALL, 1, nullptr);
    if (early != HAL_STATUS_DEADLINE_EXCEEDED && !run.Ok(early, "list wait")) return;
    if (!run.Ok(hal_fence_create(2, fence.out()), "fence")) return;
    for (const cts::Semaphore& semaphore : semaphores) {
      if (!run.Ok(hal_fence_insert(fence, semaphore, 9), "insert")) return;
    }
    if (run.Ok(hal_fence_signal(fence), "fence signal")) run.Ok(hal_fence_wait(fence, 0), "fence wait");
  }();
  while (called < registered) usleep(100);  // a device of many threads calls them after its destruction
  run.Expect(called == registered, "each timepoint is called once");
}

void ImportAndView(Run& run) {
  alignas(4096) static std::array<char, 8192> memory;
  static std::atomic<int> releases;
  releases = 0;
  bool imported = false;
  [&] {
    Device device;
    cts::Buffer buffer;
    cts::Buffer part;
    cts::Buffer foreign;
    cts::BufferView view;
    cts::DescriptorSetLayout set;
    cts::PipelineLayout layout;
    if (!run.Open(&device) || !run.Allocate(device, kLength, &buffer) ||
        !run.Ok(hal_buffer_subspan(buffer, 64, 128, part.out()), "subspan")) {
      return;
    }
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
    external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    external.handle = reinterpret_cast<uintptr_t>(memory.data());
    external.length = kLength;
    imported = run.Ok(
        hal_allocator_import(hal_device_allocator(device), &params, &external, CountRelease, &releases, foreign.out()),
        "import");
    if (!imported) return;
    const std::array<int64_t, 2> sizes = {4, 4};
    std::array<char, 256> text;
    const std::array<hal_descriptor_binding_t, 2> bindings = {
        {{0, HAL_BINDING_ACCESS_READ}, {3, HAL_BINDING_ACCESS_WRITE}}};
    if (!run.Ok(hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_F32, 2, sizes.data(), view.out()), "view") ||
        !run.Ok(hal_buffer_view_format(view, 2, text.data(), text.size(), nullptr), "format") ||
        !run.Ok(hal_descriptor_set_layout_create(device, 2, bindings.data(), set.out()), "set layout")) {
      return;
    }
    hal_descriptor_set_layout_t* const sets = set;
    run.Ok(hal_pipeline_layout_create(device, 1, &sets, 8, layout.out()), "layout");
  }();
  while (imported && releases == 0) usleep(100);
  run.Expect(releases == (imported ? 1 : 0), "imported memory is released once, if it was taken");
}

void LoadPlugin(Run& run) {
  cts::Registry registry;
  Device device;
  cts::Semaphore semaphore;
  if (!run.Ok(hal_registry_create(registry.out()), "registry") ||
      !run.Ok(hal_registry_load_plugin(registry, hal_string_view(HALYARD_PLUGIN)), "plugin") ||
      !run.Ok(hal_registry_create_device(registry, hal_string_view("abacus"), 0, nullptr, device.out()), "device") ||
      !run.Ok(hal_semaphore_create(device, nullptr, semaphore.out()), "semaphore")) {
    return;
  }
  const hal_timeline_point_t done = hal_timeline_point(semaphore, 1);
  if (run.Ok(hal_device_queue_barrier(device, hal::SubmitParams({nullptr, 0}, One(done), kAny)), "barrier"))
    run.Reached(semaphore, 1);
}

#ifdef HALYARD_MEMREF_FUNCTIONS
hal_value_type_t MatrixType() {
  static constexpr int64_t kAnySize[] = {HAL_DYNAMIC, HAL_DYNAMIC};
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_RANKED;
  type.element_type = HAL_ELEMENT_TYPE_F32;
  type.rank = 2;
  type.offset = HAL_DYNAMIC;
  type.sizes = kAnySize;
  type.strides = kAnySize;
  return type;
}

hal_value_type_t FactorType() {
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_SCALAR;
  type.element_type = HAL_ELEMENT_TYPE_F32;
  return type;
}

// `scale` of tests/memref/functions.c, which allocates nothing itself.
void CallFunction(Run& run) {
  const std::array<hal_value_type_t, 2> types = {MatrixType(), FactorType()};
  hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
  signature.argument_count = types.size();
  signature.arguments = types.data();
  hal_export_info_t scale = HAL_EXPORT_INFO_INIT;
  scale.name = hal_string_view("scale");
  scale.signature = &signature;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(HALYARD_MEMREF_FUNCTIONS);
  params.exports = &scale;
  params.export_count = 1;
  Device device;
  Executable executable;
  const hal_function_t* function = nullptr;
  if (!run.Open(&device) || !run.Ok(hal_executable_create(device, &params, executable.out()), "executable") ||
      !run.Ok(hal_executable_find_function(executable, scale.name, &function), "function")) {
    return;
  }
  std::array<float, 4> values = {1, 2, 3, 4};
  constexpr std::array<int64_t, 2> kSizes = {2, 2};
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, kSizes.size(), kSizes.data(), nullptr};
  hal_memref_t matrix;
  if (!run.Ok(hal_memref_initialize(&shape, values.data(), sizeof(values), &matrix), "memref")) return;
  const std::array<hal_value_t, 2> arguments = {hal_value_memref(&matrix), hal_value_f32(10)};
  const bool called =
      run.Ok(hal_function_call(function, arguments.size(), arguments.data(), 0, nullptr), "function call");
  run.Expect(values[3] == (called ? 40.0f : 4.0f), "a function runs if its call succeeds");
}
#endif

constexpr Scenario kScenarios[] = {
    {"Open", OpenDevice},
    {"List", ListDrivers},
    {"Load", LoadExecutable},
    {"Record", RecordAndExecute},
    {"Submit", SubmitEverything},
    {"Alloca", AllocateInOrder},
    {"Files", ReadAndWriteFiles},
    {"Cache", PrepareInCaches},
    {"Profile", Profile},
    {"Trace", TraceByParameter},
    {"Wait", WaitForSemaphores},
    {"Import", ImportAndView},
    {"Plugin", LoadPlugin},
#ifdef HALYARD_MEMREF_FUNCTIONS
    {"Function", CallFunction, Devices::kLocal},
#endif
};

}  // namespace

std::span<const Scenario> Scenarios() { return kScenarios; }

std::string Run::Path(const char* name) const { return folder_ + "/" + name + std::to_string(getpid()); }

bool Run::Ok(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return true;
  const char* const words = hal_last_error_message();
  failures_.push_back(std::string(what) + ": " + hal_status_name(status) + ": " + words);
  Expect(words[0] != '\0', "a failure has a message");
  return false;
}

void Run::Expect(bool right, const char* what) {
  if (!right) faults_.push_back(std::string("not so: ") + what);
}

bool Run::Reached(hal_semaphore_t* semaphore, uint64_t value) {
  return Ok(hal_semaphore_wait(semaphore, value, HAL_TIMEOUT_INFINITE), "wait");
}

bool Run::Open(Device* out) {
  const bool ok = Ok(hal_device_create(View(uri_), out->out()), "device");
  Expect(ok == (out->get() != nullptr), "a device is made if opening succeeds");
  return ok;
}

bool Run::Allocate(const Device& device, uint64_t length, cts::Buffer* out) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  const bool ok = Ok(hal_allocator_allocate(hal_device_allocator(device), &params, length, out->out()), "buffer");
  Expect(ok == (out->get() != nullptr), "a buffer is made if allocating succeeds");
  return ok;
}

bool Run::Load(const Device& device, hal_executable_t** out) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = hal_string_view(HALYARD_BASIC_KERNELS);
  const bool ok = Ok(hal_executable_create(device, &params, out), "executable");
  Expect(ok == (*out != nullptr), "an executable is made if loading succeeds");
  return ok;
}

}  // namespace halyard::exhaustion
